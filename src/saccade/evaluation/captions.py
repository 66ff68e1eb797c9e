"""Captions scored against all references of their pictures, with interval and paired test over the pictures."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from saccade.evaluation.caption_metrics import References, bleu, cider, length, rouge_l
from saccade.evaluation.caption_words import Words, caption_words, reference_words
from saccade.evaluation.measured import RESAMPLES, Measured, compared, to_score
from saccade.evaluation.meteor import NotMeasured, find_meteor, meteor
from saccade.evaluation.translation import PairedTest, Score

SETTINGS = "coco|tok:ptb-lower-nopunct"
UNIT = "pictures"


@dataclass(frozen=True)
class CaptionScores:
    """BLEU-1 … 4, ROUGE-L, CIDEr, the captions' length, and METEOR where its program is.

    ``notes`` says what was not measured and why.
    """

    scores: tuple[Score, ...]
    pictures: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class CaptionComparison:
    """Two captioners by each metric on the same resamples of the pictures."""

    tests: tuple[PairedTest, ...]
    pictures: int


def measure_captions(captions: Sequence[Words], references: References) -> tuple[Measured, ...]:
    """The metrics that need no program from outside, of captions as words."""
    return (*bleu(captions, references), rouge_l(captions, references), cider(captions, references))


def score_captions(
    captions: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    resamples: int = RESAMPLES,
    meteor_jar: Path | None = None,
    with_meteor: bool = True,
) -> CaptionScores:
    """All scores of ``captions``, one for each picture, against ``references[i]``, all those of picture i.

    0 resamples: no interval. METEOR takes the jar given, or the one of an installed pycocoevalcap.
    """
    ours, theirs = [caption_words(caption) for caption in captions], reference_words(references)

    def scored(measured: Measured) -> Score:
        return to_score(measured, settings=SETTINGS, unit=UNIT, resamples=resamples)

    scores = [scored(measured) for measured in (*measure_captions(ours, theirs), length(ours, theirs))]
    program = find_meteor(meteor_jar) if with_meteor else NotMeasured("METEOR was not asked for")
    if isinstance(program, NotMeasured):
        return CaptionScores(tuple(scores), len(ours), (program.reason,))
    with meteor(ours, theirs, program) as measured:
        scores.append(scored(measured))
    return CaptionScores(tuple(scores), len(ours))


def compare_captions(
    a: Sequence[str], b: Sequence[str], references: Sequence[Sequence[str]], *, resamples: int = RESAMPLES
) -> CaptionComparison:
    """Paired bootstrap of two captioners by every metric but METEOR; above zero, b is better."""
    theirs = reference_words(references)
    measured_a, measured_b = (
        measure_captions([caption_words(caption) for caption in captions], theirs) for captions in (a, b)
    )
    tests = tuple(
        compared(one, other, settings=SETTINGS, unit=UNIT, resamples=resamples)
        for one, other in zip(measured_a, measured_b, strict=True)
    )
    return CaptionComparison(tests, len(theirs))
