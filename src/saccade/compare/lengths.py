"""BLEU of short and of long sentences: a system whose one vector cannot hold the whole source falls with the length."""

from collections.abc import Sequence
from dataclasses import dataclass

from saccade.evaluation.translation import score_translations


@dataclass(frozen=True)
class Lengths:
    """Sentences of ``low`` to ``high`` source words; without ``high`` there is no end."""

    low: int
    high: int | None

    def __str__(self) -> str:
        return f"{self.low}+" if self.high is None else f"{self.low}–{self.high}"

    def __contains__(self, words: int) -> bool:
        return self.low <= words and (self.high is None or words <= self.high)


BUCKETS = (Lengths(1, 9), Lengths(10, 14), Lengths(15, 19), Lengths(20, 24), Lengths(25, None))


@dataclass(frozen=True)
class LengthScore:
    """BLEU of the sentences of one length."""

    words: str
    sentences: int
    bleu: float


def bleu_by_length(
    sources: Sequence[str], hypotheses: Sequence[str], references: Sequence[str]
) -> tuple[LengthScore, ...]:
    """One score for each bucket that has sentences."""
    scores = []
    for bucket in BUCKETS:
        rows = [row for row, source in enumerate(sources) if len(source.split()) in bucket]
        if rows:
            written, wanted = [hypotheses[row] for row in rows], [references[row] for row in rows]
            bleu = score_translations(written, wanted, resamples=0).bleu.value
            scores.append(LengthScore(str(bucket), len(rows), bleu))
    return tuple(scores)
