"""Accuracy, F1 and Matthews correlation of predicted classes, all times 100 as GLUE gives them.

Legend: N examples, C classes, S counts.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from saccade.errors import DataError
from saccade.evaluation.measured import Measured, Times, check_lengths, check_tags


def accuracy(gold: Sequence[str], predicted: Sequence[str]) -> Measured:
    """100 · right / all."""
    right_N = _equal(gold, predicted)
    return Measured("accuracy", len(right_N), lambda times_N: 100 * float(times_N @ right_N / times_N.sum()))


def word_accuracy(gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]) -> Measured:
    """100 · words with the right tag / all words. N are sentences: their words are not drawn one by one."""
    check_tags(gold, predicted)
    pairs = zip(gold, predicted, strict=True)
    right_N = np.array([sum(ours == said for ours, said in zip(*pair, strict=True)) for pair in pairs])
    words_N = np.array([len(tags) for tags in gold])
    return Measured("word accuracy", len(gold), lambda times_N: 100 * float((times_N @ right_N) / (times_N @ words_N)))


def f1(gold: Sequence[str], predicted: Sequence[str], *, positive: str) -> Measured:
    """100 · 2 TP / (2 TP + FP + FN) of the ``positive`` class; 0 where neither side has it."""
    right_N = _equal(gold, predicted)
    if positive not in gold:
        raise DataError(
            f'none of {len(gold):,} examples has the label "{positive}", of which F1 is asked for; '
            f"there are: {', '.join(sorted(set(gold)))}"
        )
    gold_N, predicted_N = (np.array([label == positive for label in labels]) for labels in (gold, predicted))
    counts_NS = np.stack([right_N & gold_N, gold_N, predicted_N], axis=1).astype(np.int64)
    return Measured("F1", len(gold), lambda times_N: 100 * f1_of(times_N @ counts_NS))


def class_metrics(gold: Sequence[str], predicted: Sequence[str], names: Sequence[str]) -> dict[str, Measured]:
    """Accuracy and Matthews correlation; of two classes also F1 of the second, where it is among the gold labels."""
    found = {"accuracy": accuracy(gold, predicted), "matthews": matthews(gold, predicted)}
    if len(names) == 2 and names[1] in gold:
        found["f1"] = f1(gold, predicted, positive=names[1])
    return found


def f1_of(sums_S: NDArray[np.int64]) -> float:
    """From how many are right, how many there are and how many were predicted: the harmonic mean of both shares."""
    right, there, found = sums_S
    return float(2 * right / (there + found)) if there + found else 0.0


def matthews(gold: Sequence[str], predicted: Sequence[str]) -> Measured:
    """100 · the correlation of two partitions into classes; for two classes Matthews', for more Gorodkin's R_K (2004).

        (c·s − Σ p_k t_k) / √((s² − Σ p_k²) (s² − Σ t_k²))

    with c right of s examples, p_k predicted as and t_k truly of class k; 0 where one side has one class only.
    """
    _equal(gold, predicted)
    names, both = np.unique(np.array([*gold, *predicted]), return_inverse=True)
    classes = len(names)
    cells_N = both[: len(gold)] * classes + both[len(gold) :]

    def score(times_N: Times) -> float:
        confusion_CC = np.bincount(cells_N, weights=times_N, minlength=classes**2).reshape(classes, classes)
        all_, right = confusion_CC.sum(), np.trace(confusion_CC)
        gold_C, predicted_C = confusion_CC.sum(axis=1), confusion_CC.sum(axis=0)
        spread = (all_**2 - predicted_C @ predicted_C) * (all_**2 - gold_C @ gold_C)
        return 100 * float(right * all_ - predicted_C @ gold_C) / math.sqrt(spread) if spread else 0.0

    return Measured("Matthews correlation", len(gold), score)


def _equal(gold: Sequence[str], predicted: Sequence[str]) -> NDArray[np.bool_]:
    check_lengths(len(predicted), len(gold), "predictions", "labels")
    return np.array([ours == theirs for ours, theirs in zip(predicted, gold, strict=True)])
