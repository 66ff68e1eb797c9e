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


SHORTEST = (1, 10, 15, 20, 30, 40)  # words with which a bucket begins
FEWEST = 30  # sentences of a bucket: BLEU of fewer says more about these sentences than about the system


@dataclass(frozen=True)
class LengthScore:
    """BLEU of the sentences of one length."""

    words: str
    sentences: int
    bleu: float


def bleu_by_length(
    sources: Sequence[str], hypotheses: Sequence[str], references: Sequence[str]
) -> tuple[LengthScore, ...]:
    """One score for each bucket."""
    words = [len(source.split()) for source in sources]
    scores = []
    for bucket in buckets(words):
        rows = [row for row, count in enumerate(words) if count in bucket]
        written, wanted = [hypotheses[row] for row in rows], [references[row] for row in rows]
        bleu = score_translations(written, wanted, resamples=0).bleu.value
        scores.append(LengthScore(str(bucket), len(rows), bleu))
    return tuple(scores)


def buckets(words: Sequence[int]) -> tuple[Lengths, ...]:
    """From the shortest to the longest; one with few sentences joins the next shorter one, the first the next."""
    found: list[Lengths] = []
    high = None
    for low in reversed(SHORTEST):
        bucket = Lengths(low, high)
        if sum(count in bucket for count in words) >= FEWEST:
            found.insert(0, bucket)
            high = low - 1
    if found:
        return Lengths(SHORTEST[0], found[0].high), *found[1:]
    return (Lengths(SHORTEST[0], None),)
