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
    from saccade.evaluation.translation import PairedTest, Score, TranslationComparison
    from saccade.runs import (
        CaptionEvaluation,
        Evaluation,
        LabelledEvaluation,
        LanguageEvaluation,
        MaskedEvaluation,
        PictureEvaluation,
        TranslationRun,
    )


def evaluate(
    runs: Annotated[list[Path], Argument(help="A run folder; several make an ensemble.", metavar="RUN...")],
    data: Annotated[
        str | None,
        Option(help="What to evaluate on, given like data.test in a recipe. Default: the recipe's data.test."),
    ] = None,
    against: Annotated[Path | None, Option(help="Another run: compare the two by paired bootstrap.")] = None,
    via: Annotated[
        str | None, Option(help="Translate into this language first, and from it into the data's own.")
    ] = None,
    beam: Annotated[
        int | None, Option(help="Hypotheses kept at each step; 1 is greedy. Default: the recipe's.")
    ] = None,
    length_penalty: Annotated[float | None, Option(help="Power of the length in a hypothesis' score.")] = None,
    replace_unknown: Annotated[
        bool | None,
        Option(help="Write, for an unknown word, the source word that attention looked at. Default: the recipe's."),
    ] = None,
    consensus: Annotated[
        bool | None,
        Option(help="Of a beam's captions the one most like all others, not the likeliest. Default: the recipe's."),
    ] = None,
    meteor_jar: Annotated[
        Path | None,
        Option(help="METEOR's program, meteor-1.5.jar. Default: the one of an installed pycocoevalcap."),
    ] = None,
    output: Annotated[
        Path | None,
        Option(help="Write the translations, labels or tags to this file, one line for each text or picture."),
    ] = None,
    submit: Annotated[
        Path | None, Option(help="Write the answers to an official GLUE test set into this folder, to be submitted.")
    ] = None,
    as_json: Annotated[bool, Option("--json", help="Print the result as JSON.")] = False,
) -> "Evaluation | LanguageEvaluation | LabelledEvaluation | MaskedEvaluation | PictureEvaluation | CaptionEvaluation":
    """Score a run on held-out data. The result is kept, with all that is needed to repeat it, in its results.json.

    A translator: BLEU (cased and lower-cased) and chrF of decoded text against untouched references, with signature and
    95 % interval; where gold word alignments exist (scenes), also the alignment error of its cross-attention. A
    language model: perplexity, bits per byte and per character, with an interval from resampled documents. A
    classifier of texts or pictures: accuracy, F1 and Matthews correlation, on GLUE's files its official metrics, of
    pictures also class by class. A tagger: entity F1, or the accuracy of words where tags are plain. A captioner:
    BLEU-1 to 4, ROUGE-L and CIDEr against all references; where boxes of what words speak of are known, how often its
    attention points at them; on scenes, how many captions are exactly right.

    Examples:

      saccade evaluate runs/demo-1

      saccade evaluate runs/a-1 --data "corpus/test.{en,de}" --against runs/b-1

      saccade evaluate runs/rnn-lm-1 --data test.txt

      saccade evaluate runs/glue-sst2-1 --data glue:sst-2:glue/SST-2

      saccade evaluate runs/glue-sst2-1 --data glue:sst-2:glue/SST-2 --submit submission

      saccade evaluate runs/cifar10-vit-1 --against runs/cifar10-resnet-1

      saccade evaluate runs/flickr8k-soft-1 --against runs/flickr8k-rnn-1 --beam 5
    """
    from saccade.cli.evaluate_bert import evaluate_labels, evaluate_masked
    from saccade.cli.evaluate_captions import evaluate_captions
    from saccade.cli.evaluate_language import evaluate_text
    from saccade.cli.evaluate_pictures import evaluate_pictures
    from saccade.errors import DecodingError
    from saccade.runs import (
        CaptionRun,
        ClassifierRun,
        LanguageRun,
        MaskedRun,
        PictureRun,
        TaggerRun,
        TranslationRun,
        load,
    )

    loaded = [load(run) for run in runs]
    other = None if against is None else load(against)
    every = loaded if other is None else [*loaded, other]
    if submit is not None and not all(isinstance(run, ClassifierRun | TaggerRun) for run in every):
        raise DecodingError("--submit is for GLUE's test sets, which a classifier of texts answers; leave it out")
    captioners = [run for run in every if isinstance(run, CaptionRun)]
    for name, asked in (("meteor-jar", meteor_jar), ("consensus", consensus)):
        if asked is not None and len(captioners) < len(every):
            raise DecodingError(f"--{name} is for captioners")
    translators = [run for run in every if isinstance(run, TranslationRun)]
    if len(translators) == len(every):
        return evaluate_translators(
            translators[: len(loaded)],
            data,
            against=None if other is None else translators[-1],
            via=via,
            beam=beam,
            length_penalty=length_penalty,
            replace_unknown=replace_unknown,
            output=output,
            as_json=as_json,
        )
    for name, given in (("via", via), ("replace-unknown", replace_unknown)):
        if given is not None:
            raise DecodingError(f"--{name} is for translators")
    if len(captioners) == len(every) and len(loaded) == 1:
        return evaluate_captions(
            captioners[0],
            data,
            against=None if other is None else captioners[-1],
            beam=beam,
            length_penalty=length_penalty,
            consensus=consensus,
            meteor_jar=meteor_jar,
            output=output,
            as_json=as_json,
        )
    for name, number in (("beam", beam), ("length-penalty", length_penalty)):
        if number is not None and not captioners and not translators:
            raise DecodingError(f"--{name} is for translators and captioners")
    if len(every) == 1 and isinstance(every[0], ClassifierRun | TaggerRun):
        return evaluate_labels(every[0], data, output=output, submit=submit, as_json=as_json)
    if len(every) == 1 and isinstance(every[0], MaskedRun):
        if output is not None:
            raise DecodingError("a pretrained BERT is scored on words that are hidden from it: it has no --output")
        return evaluate_masked(every[0], data, as_json=as_json)
    picturing = [run for run in every if isinstance(run, PictureRun)]
    if len(picturing) == len(every) and len(loaded) == 1:
        others = picturing[1:]
        return evaluate_pictures(
            picturing[0], data, against=others[0] if others else None, output=output, as_json=as_json
        )
    models = [run for run in every if isinstance(run, LanguageRun)]
    if len(models) < len(every) or len(loaded) > 1:
        raise DecodingError(
            "classifiers, taggers, captioners and language models are evaluated one at a time; two language models, "
            "two captioners, or two classifiers of pictures, can be compared"
        )
    if output is not None:
        raise DecodingError("a language model is scored on the text as it is: it has no --output")
    return evaluate_text(models[0], data, against=None if other is None else models[-1], as_json=as_json)


def evaluate_translators(
    runs: "list[TranslationRun]",
    data: str | None = None,
    *,
    against: "TranslationRun | None" = None,
    via: str | None = None,
    beam: int | None = None,
    length_penalty: float | None = None,
    replace_unknown: bool | None = None,
    output: Path | None = None,
    as_json: bool = False,
) -> "Evaluation":
    from saccade.cli.report import write_report
    from saccade.cli.translate import one_line
    from saccade.runs import Ensemble, compare, reader_of

    command = shlex.join(["saccade", *sys.argv[1:]])
    spec = runs[0].test_set(data)
    pairs = reader_of(runs if against is None else [*runs, against]).pairs(spec)

    def score(members: "list[TranslationRun]") -> "Evaluation":
        with counting("translating", len(pairs)) as done:
            return Ensemble(members).evaluate(
                spec,
                via=via,
                command=command,
                pairs=pairs,
                on_progress=done,
                beam=beam,
                length_penalty=length_penalty,
                replace_unknown=replace_unknown,
            )

    found = score(runs)
    comparison = None if against is None else compare(score([against]), found)
    if output is not None:
        output.write_text("".join(f"{one_line(one.text)}\n" for one in found.translations), encoding="utf-8")
    write_report(runs[0])
    if as_json:
        said = asdict(found.result) | ({} if comparison is None else {"comparison": asdict(comparison)})
        print(json.dumps(said, indent=2, ensure_ascii=False))
    else:
        print("\n".join(_lines(found, comparison)))
    return found


def _lines(found: "Evaluation", comparison: "TranslationComparison | None") -> list[str]:
    result = found.result
    way = f" by way of {result.decode['via']}" if "via" in result.decode else ""
    lines = [
        f"{result.data}{way}: {result.sentences:,} sentences, beam {result.decode['beam']}, {result.seconds:.1f} s"
    ]
    lines += [score_line(score) for score in found.scores.scores]
    if found.alignment is not None:
        lines.append(
            f"alignment error  {found.alignment.score.error_rate:6.1%}   precision "
            f"{found.alignment.score.precision:.1%}, recall {found.alignment.score.recall:.1%}, read from "
            f"{found.alignment.lens} (chosen on validation)"
        )
    unfinished = sum(not one.finished for one in found.translations)
    if unfinished:
        lines.append(f"{unfinished:,} translations were cut off at the greatest length")
    tests = () if comparison is None else (comparison.bleu, comparison.chrf)
    return lines + [paired_line(test) for test in tests]


def paired_line(test: "PairedTest", digits: int = 2) -> str:
    return (
        f"{test.metric}: {test.b.value:.{digits}f} against {test.a.value:.{digits}f}, difference "
        f"{test.difference:+.{digits}f} ({test.interval.low:+.{digits}f} to {test.interval.high:+.{digits}f}), "
        f"p = {test.p_value:.3f}"
    )


def score_line(score: "Score", digits: int = 2, width: int = 16) -> str:
    interval = f"({score.interval.low:.{digits}f} to {score.interval.high:.{digits}f})" if score.interval else ""
    return f"{score.name:<{width}} {score.value:6.{digits}f}   {interval}   {score.signature}"
