"""BLEU-1 … 4, ROUGE-L and CIDEr of captions, number for number as the standard COCO code computes them, times 100.

Captions come as words (see `caption_words`); each picture has one caption and one or more references.

Legend: N pictures, S counts.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.errors import DataError
from saccade.evaluation.caption_words import Words
from saccade.evaluation.measured import Measured, Times, check_lengths

ORDERS = 4
BETA = 1.2  # of ROUGE-L: how much more recall counts than precision
SIGMA = 6.0  # of CIDEr: how far the lengths may lie apart
# The standard code adds these to its divisions, so that nothing is divided by zero.
TINY, SMALL = 1e-15, 1e-9

Ngrams = Counter[Words]
References = Sequence[Sequence[Words]]


def bleu(captions: Sequence[Words], references: References) -> tuple[Measured, ...]:
    """BLEU-1 … 4 (Papineni et al. 2002) from counts summed over the pictures.

        BLEU-n = min(1, e^(1 − r/c)) · (p₁ ⋯ p_n)^(1/n)

    with p_k the share of the captions' k-grams that are found in a reference, each at most as often as in the reference
    that has most of it; c the length of all captions; r that of the reference closest in length, the shorter of two.
    """
    _check(captions, references)
    counts_NS = np.array([_bleu_counts(ours, theirs) for ours, theirs in zip(captions, references, strict=True)])

    def measured(order: int) -> Measured:
        return Measured(f"BLEU-{order}", len(captions), lambda times_N: 100 * _bleu(times_N @ counts_NS, order=order))

    return tuple(measured(order) for order in range(1, ORDERS + 1))


def length(captions: Sequence[Words], references: References) -> Measured:
    """100 · c/r, how long all captions are beside the references closest in length.

    Below 100 BLEU pays for it: divided by e^(1 − 100/length) it is what papers report that leave brevity out.
    """
    _check(captions, references)
    pairs_N2 = np.array(
        [[len(ours), _closest(ours, theirs)] for ours, theirs in zip(captions, references, strict=True)]
    )

    def score(times_N: Times) -> float:
        ours, theirs = times_N @ pairs_N2
        return 100 * float(ours) / max(float(theirs), SMALL)

    return Measured("length", len(captions), score)


def bleu_of_one(caption: Words, references: Sequence[Words]) -> float:
    """BLEU-4 of a single caption, 0 to 1, made to be learned from: one match is added for n > 1 (Lin and Och 2004).

    Without it nearly every caption would score 0: few have a run of four words in common with a reference.
    """
    counts = _bleu_counts(caption, references)
    found, there, (length, closest) = counts[:ORDERS], counts[ORDERS : 2 * ORDERS], counts[-2:]
    if not found[0]:
        return 0.0
    added = [0, *([1] * (ORDERS - 1))]
    logs = [math.log((f + more) / (t + more)) for f, t, more in zip(found, there, added, strict=True)]
    return math.exp(min(0.0, 1 - closest / length) + sum(logs) / ORDERS)


def rouge_l(captions: Sequence[Words], references: References) -> Measured:
    """ROUGE-L (Lin 2004), the mean over the pictures.

        (1 + β²) P R / (R + β² P),   β = 1.2

    P and R are the longest common subsequence's share of the caption and of the reference. As in the standard code each
    is the largest over the references by itself, so that P and R may be of two different ones.
    """
    _check(captions, references)
    scores_N = np.array([_rouge_l(ours, theirs) for ours, theirs in zip(captions, references, strict=True)])
    return _mean("ROUGE-L", scores_N)


def cider(captions: Sequence[Words], references: References) -> Measured:
    """CIDEr (Vedantam et al. 2015) as the standard code's ``Cider()`` gives it, which is the paper's CIDEr-D.

        10/4 Σ_n mean over references r of  e^(−(l_c − l_r)² / 2σ²) · Σ min(g_c, g_r) g_r / (‖g_c‖ ‖g_r‖),   σ = 6

    g holds for each n-gram its count times log N − log(how many of the N pictures have it in their references); l
    counts bigrams. A resample draws among the pictures' scores: the frequencies stay those of the whole set.
    """
    _check(captions, references)
    rarities = Cider(references)
    scores_N = [rarities.scores([ours], theirs)[0] for ours, theirs in zip(captions, references, strict=True)]
    return _mean("CIDEr", np.array(scores_N))


def ngrams(words: Words, order: int) -> Ngrams:
    return Counter(zip(*(words[start:] for start in range(order)), strict=False))


def _mean(name: str, scores_N: NDArray[np.float64]) -> Measured:
    def score(times_N: Times) -> float:
        return 100 * float(times_N @ scores_N / times_N.sum())

    return Measured(name, len(scores_N), score)


def _bleu_counts(caption: Words, references: Sequence[Words]) -> list[int]:
    """Of each order how many match and how many there are, then the lengths of caption and closest reference."""
    found, there = [], []
    for order in range(1, ORDERS + 1):
        most: Ngrams = Counter()
        for reference in references:
            most |= ngrams(reference, order)
        ours = ngrams(caption, order)
        found.append((ours & most).total())
        there.append(ours.total())
    return [*found, *there, len(caption), _closest(caption, references)]


def _closest(caption: Words, references: Sequence[Words]) -> int:
    """The length of the reference closest in length, the shorter of two."""
    return min((len(one) for one in references), key=lambda theirs: (abs(theirs - len(caption)), theirs))


def _bleu(sums_S: NDArray[np.int64], *, order: int) -> float:
    found_S, there_S = sums_S[:ORDERS], sums_S[ORDERS : 2 * ORDERS]
    length, closest = sums_S[-2:]
    product = float(np.prod((found_S[:order] + TINY) / (there_S[:order] + SMALL)))
    ratio = float((length + TINY) / (closest + SMALL))
    brevity = math.exp(1 - 1 / ratio) if ratio < 1 else 1.0
    return float(product ** (1 / order)) * brevity


def _rouge_l(caption: Words, references: Sequence[Words]) -> float:
    # For the standard code a caption without words is one empty word.
    ours = caption or ("",)
    precisions, recalls = [], []
    for reference in references:
        theirs = reference or ("",)
        common = _longest_common(ours, theirs)
        precisions.append(common / len(ours))
        recalls.append(common / len(theirs))
    precision, recall = max(precisions), max(recalls)
    if not precision or not recall:
        return 0.0
    return (1 + BETA**2) * precision * recall / (recall + BETA**2 * precision)


def _longest_common(a: Words, b: Words) -> int:
    """How many words the longest sequence has that is found, with gaps, in both."""
    above = [0] * (len(b) + 1)
    for one in a:
        row = [0]
        for place, other in enumerate(b):
            row.append(above[place] + 1 if one == other else max(above[place + 1], row[place]))
        above = row
    return above[-1]


@dataclass(frozen=True)
class _Vector:
    """A caption as CIDEr sees it: for each order its weighted n-grams and their norm; ``bigrams`` is its length."""

    weights: tuple[dict[Words, float], ...]
    norms: tuple[float, ...]
    bigrams: int


class Cider:
    """Scores single captions, with the rarity that n-grams have in these references of N pictures."""

    def __init__(self, references: References) -> None:
        self._log_pictures = math.log(len(references))
        self._pictures_with: Counter[Words] = Counter()
        for captions in references:
            self._pictures_with.update(
                {ngram for words in captions for order in range(1, ORDERS + 1) for ngram in ngrams(words, order)}
            )

    def scores(self, captions: Sequence[Words], references: Sequence[Words]) -> list[float]:
        """Of several captions of one picture, 0 to 10."""
        theirs = [self._vector(reference) for reference in references]
        return [10 * sum(_likeness(ours, one) for one in theirs) / len(theirs) for ours in map(self._vector, captions)]

    def _vector(self, words: Words) -> _Vector:
        weights = []
        for order in range(1, ORDERS + 1):
            counts = ngrams(words, order)
            weights.append({ngram: count * self._rarity(ngram) for ngram, count in counts.items()})
        norms = (math.sqrt(sum(weight**2 for weight in one.values())) for one in weights)
        return _Vector(tuple(weights), tuple(norms), max(len(words) - 1, 0))

    def _rarity(self, ngram: Words) -> float:
        return self._log_pictures - math.log(max(1, self._pictures_with[ngram]))


def _likeness(ours: _Vector, theirs: _Vector) -> float:
    """The mean over the orders of the clipped cosine, less the further the lengths lie apart."""
    cosines = []
    for one, other, our_norm, their_norm in zip(ours.weights, theirs.weights, ours.norms, theirs.norms, strict=True):
        product = sum(min(weight, other[ngram]) * other[ngram] for ngram, weight in one.items() if ngram in other)
        cosines.append(product / (our_norm * their_norm) if our_norm and their_norm else 0.0)
    apart = ours.bigrams - theirs.bigrams
    return math.exp(-(apart**2) / (2 * SIGMA**2)) * sum(cosines) / ORDERS


def _check(captions: Sequence[Words], references: References) -> None:
    check_lengths(len(captions), len(references), "captions", "pictures with references")
    for number, given in enumerate(references, start=1):
        if not given:
            raise DataError(f"picture {number} has no reference: give at least one caption for each picture")
        if isinstance(given[0], str):
            raise DataError(
                f"the references of picture {number} are texts: give each as its words, as `caption_words` cuts them"
            )
