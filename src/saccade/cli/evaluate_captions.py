"""The part of ``saccade evaluate`` that scores captioners."""

import json
import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from saccade.cli.console import counting, say

if TYPE_CHECKING:
    from saccade.runs import CaptionEvaluation, CaptionRun

WIDTH = 18  # of "reach of the grid"


def evaluate_captions(
    run: "CaptionRun",
    data: str | None,
    *,
    against: "CaptionRun | None",
    beam: int | None,
    length_penalty: float | None,
    consensus: bool | None,
    meteor_jar: Path | None,
    output: Path | None,
    as_json: bool,
) -> "CaptionEvaluation":
    """Scores, and beside another captioner of the same pictures by paired bootstrap."""
    from saccade.cli.caption import in_a_column
    from saccade.cli.evaluate import paired_line, score_line
    from saccade.cli.report import write_report
    from saccade.runs import compare_captioned

    spec = run.test_set(data)

    def score(one: "CaptionRun") -> "CaptionEvaluation":
        pictures = one.pictures(spec)
        with counting("captioning", len(pictures)) as done:
            return one.evaluate(
                spec,
                pictures=pictures,
                meteor_jar=meteor_jar,
                command=shlex.join(["saccade", *sys.argv[1:]]),
                on_progress=done,
                beam=beam,
                length_penalty=length_penalty,
                consensus=consensus,
            )

    found = score(run)
    comparison = None if against is None else compare_captioned(score(against), found)
    if output is not None:
        lines = (f"{one.picture.name}\t{in_a_column(one.text)}\n" for one in found.captioned)
        output.write_text("".join(lines), encoding="utf-8")
    write_report(run)
    if as_json:
        said = asdict(found.result) | ({} if comparison is None else {"comparison": asdict(comparison)})
        print(json.dumps(said, indent=2, ensure_ascii=False))
        return found
    result = found.result
    print(f"{result.data}: {result.sentences:,} pictures, beam {result.decode['beam']}, {result.seconds:.1f} s")
    print("\n".join(score_line(score, width=WIDTH) for score in result.scores))
    if found.pointing is not None:
        print(f"pointing was read from {found.pointing.lens}")
    for test in () if comparison is None else comparison.tests:
        print(paired_line(test))
    for note in found.scores.notes:
        say(note)
    return found
