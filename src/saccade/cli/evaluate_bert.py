"""The part of ``saccade evaluate`` that scores BERTs: pretrained ones, classifiers and taggers."""

import json
import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from saccade.cli.console import say

if TYPE_CHECKING:
    from saccade.runs import ClassifierRun, LabelledEvaluation, MaskedEvaluation, MaskedRun, TaggerRun


def evaluate_labels(
    run: "ClassifierRun | TaggerRun", data: str | None, *, output: Path | None, submit: Path | None, as_json: bool
) -> "LabelledEvaluation":
    from saccade.cli.evaluate import score_line
    from saccade.cli.report import write_report

    found = run.evaluate(data, submit=submit, command=shlex.join(["saccade", *sys.argv[1:]]))
    if output is not None:
        output.write_text("".join(f"{line}\n" for line in found.said), encoding="utf-8")
    if found.submission is not None:
        made = found.submission
        rest = "" if made.complete else f"; the official test set has {made.expected:,} rows"
        say(f"submission: {made.path}, {made.rows:,} rows{rest}")
        return found
    write_report(run)
    if as_json:
        print(json.dumps(asdict(found.result), indent=2, ensure_ascii=False))
    else:
        result = found.result
        print(f"{result.data}: {result.sentences:,} {result.unit}, {result.seconds:.1f} s")
        width = max(len(score.name) for score in found.scores)
        print("\n".join(score_line(score, width=width) for score in found.scores))
    return found


def evaluate_masked(run: "MaskedRun", data: str | None, *, as_json: bool) -> "MaskedEvaluation":
    from saccade.cli.evaluate import score_line
    from saccade.cli.report import write_report

    found = run.evaluate(data, command=shlex.join(["saccade", *sys.argv[1:]]))
    write_report(run)
    if as_json:
        said = asdict(found.result) | ({} if found.ideal is None else {"ideal": asdict(found.ideal)})
        print(json.dumps(said, indent=2, ensure_ascii=False))
        return found
    print(f"{found.result.data}: {found.result.sentences:,} pairs of texts, {found.result.seconds:.1f} s")
    print("\n".join(score_line(score) for score in found.scores))
    if found.ideal is not None:
        words, pairs = (score.value for score in found.scores)
        ideal = found.ideal
        print(
            f"a reader who knew the grammar would find {ideal.words:.2f} % of the hidden words and tell "
            f"{ideal.pairs:.2f} % of the pairs: the model reaches {words / ideal.words:.1%} and "
            f"{pairs / ideal.pairs:.1%} of that"
        )
    return found
