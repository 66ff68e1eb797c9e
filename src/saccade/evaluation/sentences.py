"""Scores of single sentences, on tokens: rough, quick, and made to be learned from (see ``tasks.reward``)."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

RewardName = Literal["bleu", "gleu", "cider"]

ORDERS = 4


@dataclass(frozen=True)
class Overlap:
    """Of the n-grams of one order: how many the hypothesis has, how many the reference, how many both."""

    hypothesis: int
    reference: int
    both: int


def overlaps(hypothesis: Sequence[int], reference: Sequence[int]) -> list[Overlap]:
    """For n = 1 … 4. An n-gram that occurs twice is matched twice only if it occurs twice in both."""
    found = []
    for n in range(1, ORDERS + 1):
        ours, theirs = _ngrams(hypothesis, n), _ngrams(reference, n)
        found.append(Overlap(ours.total(), theirs.total(), (ours & theirs).total()))
    return found


def sentence_bleu(hypothesis: Sequence[int], reference: Sequence[int]) -> float:
    """BLEU of one sentence, 0 to 1: brevity · (p₁ p₂ p₃ p₄)^¼, with one match added for n > 1 (Lin & Och 2004).

    Without the added match nearly every sentence that is not perfect would score 0.
    """
    first, *longer = overlaps(hypothesis, reference)
    if not first.both:
        return 0.0
    logs = [math.log(first.both / first.hypothesis)]
    logs += [math.log((one.both + 1) / (one.hypothesis + 1)) for one in longer]
    brevity = min(0.0, 1 - len(reference) / len(hypothesis))
    return math.exp(brevity + sum(logs) / ORDERS)


def sentence_gleu(hypothesis: Sequence[int], reference: Sequence[int]) -> float:
    """The lesser of precision and recall of all n-grams of 1 to 4 tokens together (Wu et al. 2016, "GNMT")."""
    found = overlaps(hypothesis, reference)
    most = max(sum(one.hypothesis for one in found), sum(one.reference for one in found))
    return sum(one.both for one in found) / most if most else 0.0


TRANSLATION_REWARDS: dict[RewardName, Callable[[Sequence[int], Sequence[int]], float]] = {
    "bleu": sentence_bleu,
    "gleu": sentence_gleu,
}


def _ngrams(tokens: Sequence[int], n: int) -> Counter[tuple[int, ...]]:
    return Counter(zip(*(tokens[start:] for start in range(n)), strict=False))
