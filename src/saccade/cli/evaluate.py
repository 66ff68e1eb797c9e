"""``saccade evaluate``."""

import json
import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from saccade.cli.console import counting

if TYPE_CHECKING:
    from saccade.evaluation.translation import Score, TranslationComparison
    from saccade.runs import Evaluation, Run


def evaluate(
    runs: Annotated[list[Path], Argument(help="A run folder; several make an ensemble.", metavar="RUN...")],
    data: Annotated[
        str | None,
        Option(help="What to evaluate on, given like data.test in a recipe. Default: the recipe's data.test."),
    ] = None,
    against: Annotated[Path | None, Option(help="Another run: compare the two by paired bootstrap.")] = None,
    beam: Annotated[
        int | None, Option(help="Hypotheses kept at each step; 1 is greedy. Default: the recipe's.")
    ] = None,
    length_penalty: Annotated[float | None, Option(help="Power of the length in a hypothesis' score.")] = None,
    replace_unknown: Annotated[
        bool | None,
        Option(help="Write, for an unknown word, the source word that attention looked at. Default: the recipe's."),
    ] = None,
    output: Annotated[Path | None, Option(help="Write the translations to this file, one a line.")] = None,
    as_json: Annotated[bool, Option("--json", help="Print the result as JSON.")] = False,
) -> "Evaluation":
    """Score a run on untouched references: BLEU (cased and lower-cased) and chrF with signature and 95 % interval.

    Where gold word alignments exist (scenes), also the alignment error of its cross-attention. The result is kept, with
    all that is needed to repeat it, in the run's results.json.

    Examples:

      saccade evaluate runs/demo-1

      saccade evaluate runs/a-1 --data "corpus/test.{en,de}" --against runs/b-1
    """
    from saccade.cli.report import write_report
    from saccade.cli.translate import one_line
    from saccade.runs import Ensemble, compare, load

    loaded = [load(run) for run in runs]
    command = shlex.join(["saccade", *sys.argv[1:]])
    spec = loaded[0].test_set(data)
    pairs = loaded[0].pairs(spec)

    def score(members: list["Run"]) -> "Evaluation":
        with counting("translating", len(pairs)) as done:
            return Ensemble(members).evaluate(
                spec,
                command=command,
                pairs=pairs,
                on_progress=done,
                beam=beam,
                length_penalty=length_penalty,
                replace_unknown=replace_unknown,
            )

    found = score(loaded)
    comparison = None if against is None else compare(score([load(against)]), found)
    if output is not None:
        output.write_text("".join(f"{one_line(one.text)}\n" for one in found.translations), encoding="utf-8")
    write_report(loaded[0])
    if as_json:
        said = asdict(found.result) | ({} if comparison is None else {"comparison": asdict(comparison)})
        print(json.dumps(said, indent=2, ensure_ascii=False))
    else:
        print("\n".join(_lines(found, comparison)))
    return found


def _lines(found: "Evaluation", comparison: "TranslationComparison | None") -> list[str]:
    result = found.result
    lines = [f"{result.data}: {result.sentences:,} sentences, beam {result.decode['beam']}, {result.seconds:.1f} s"]
    lines += [_score_line(score) for score in found.scores.scores]
    if found.alignment is not None:
        lines.append(
            f"alignment error  {found.alignment.score.error_rate:6.1%}   precision "
            f"{found.alignment.score.precision:.1%}, recall {found.alignment.score.recall:.1%}, read from "
            f"{found.alignment.lens} (chosen on validation)"
        )
    unfinished = sum(not one.finished for one in found.translations)
    if unfinished:
        lines.append(f"{unfinished:,} translations were cut off at the greatest length")
    for test in () if comparison is None else (comparison.bleu, comparison.chrf):
        lines.append(
            f"{test.metric}: {test.b.value:.2f} against {test.a.value:.2f}, difference {test.difference:+.2f} "
            f"({test.interval.low:+.2f} to {test.interval.high:+.2f}), p = {test.p_value:.3f}"
        )
    return lines


def _score_line(score: "Score") -> str:
    interval = f"({score.interval.low:.2f} to {score.interval.high:.2f})" if score.interval else ""
    return f"{score.name:<16} {score.value:6.2f}   {interval}   {score.signature}"
