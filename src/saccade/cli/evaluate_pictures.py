"""The part of ``saccade evaluate`` that scores classifiers of pictures."""

import json
import shlex
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from saccade.cli.console import counting

if TYPE_CHECKING:
    from saccade.runs import ClassScore, PictureEvaluation, PictureRun


def evaluate_pictures(
    run: "PictureRun", data: str | None, *, against: "PictureRun | None", output: Path | None, as_json: bool
) -> "PictureEvaluation":
    """Scores, class by class, and beside another run by paired bootstrap."""
    from saccade.cli.evaluate import paired_line, score_line
    from saccade.cli.report import write_report
    from saccade.evaluation.classification import accuracy
    from saccade.evaluation.measured import compared

    command = shlex.join(["saccade", *sys.argv[1:]])
    spec = run.test_set(data)
    found = _counted(run, spec, command)
    test = None
    if against is not None:
        other = _counted(against, spec, command)
        test = compared(accuracy(other.gold, other.said), accuracy(found.gold, found.said))
    if output is not None:
        output.write_text("".join(f"{label}\n" for label in found.said), encoding="utf-8")
    write_report(run)
    if as_json:
        said = asdict(found.result) | {"classes": [asdict(one) for one in found.classes]}
        said |= {} if test is None else {"comparison": asdict(test)}
        print(json.dumps(said, indent=2, ensure_ascii=False))
        return found
    result = found.result
    print(f"{result.data}: {result.sentences:,} {result.unit}, {result.seconds:.1f} s")
    width = max(len(score.name) for score in found.scores)
    print("\n".join(score_line(score, width=width) for score in found.scores))
    if test is not None:
        print(paired_line(test))
    print("\n".join(_class_lines(found.classes)))
    return found


def _counted(run: "PictureRun", spec: str, command: str) -> "PictureEvaluation":
    examples = run.examples(spec)
    with counting("classifying", len(examples)) as done:
        return run.evaluate(spec, examples=examples, command=command, on_progress=done)


def _class_lines(classes: "tuple[ClassScore, ...]") -> Iterator[str]:
    """How much of each class was found, and how much of what was said was right."""
    width = max(len("class"), *(len(one.label) for one in classes))
    yield f"{'class':<{width}}  {'pictures':>8}  {'found':>6}  {'said':>6}  {'rightly':>7}"
    for one in classes:
        rightly = f"{one.right / one.said:.1%}" if one.said else "–"
        yield f"{one.label:<{width}}  {one.pictures:>8,}  {one.found:>5.1f}%  {one.said:>6,}  {rightly:>7}"
