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


def evaluate_captions(
    run: "CaptionRun",
    data: str | None,
    *,
    beam: int | None,
    length_penalty: float | None,
    output: Path | None,
    as_json: bool,
) -> "CaptionEvaluation":
    from saccade.cli.caption import in_a_column
    from saccade.cli.evaluate import score_line
    from saccade.cli.report import write_report

    spec = run.test_set(data)
    pictures = run.pictures(spec)
    with counting("captioning", len(pictures)) as done:
        found = run.evaluate(
            spec,
            pictures=pictures,
            command=shlex.join(["saccade", *sys.argv[1:]]),
            on_progress=done,
            beam=beam,
            length_penalty=length_penalty,
        )
    if output is not None:
        lines = (f"{one.picture.name}\t{in_a_column(one.text)}\n" for one in found.captioned)
        output.write_text("".join(lines), encoding="utf-8")
    write_report(run)
    if as_json:
        print(json.dumps(asdict(found.result), indent=2, ensure_ascii=False))
        return found
    result = found.result
    print(f"{result.data}: {result.sentences:,} pictures, beam {result.decode['beam']}, {result.seconds:.1f} s")
    print("\n".join(score_line(score, width=18) for score in result.scores))
    if found.pointing is not None:
        print(f"pointing was read from {found.pointing.lens}")
    for note in found.scores.notes:
        say(note)
    return found
