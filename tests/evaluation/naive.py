"""The metrics once more, as plain as their textbook definitions, for comparison."""

import math
from collections.abc import Sequence


def naive_f1(gold: Sequence[str], predicted: Sequence[str], positive: str) -> float:
    pairs = list(zip(gold, predicted, strict=True))
    right = sum(1 for ours in pairs if ours == (positive, positive))
    if not right:
        return 0.0
    precision = right / sum(1 for label in predicted if label == positive)
    recall = right / sum(1 for label in gold if label == positive)
    return 2 * precision * recall / (precision + recall)


def naive_matthews(gold: Sequence[str], predicted: Sequence[str]) -> float:
    """Gorodkin's definition: covariances of the 0/1 indicators, summed over the classes."""
    classes, count = sorted({*gold, *predicted}), len(gold)

    def covariance(xs: Sequence[str], ys: Sequence[str]) -> float:
        total = 0.0
        for label in classes:
            mean_x, mean_y = (sum(one == label for one in side) / count for side in (xs, ys))
            total += sum(((x == label) - mean_x) * ((y == label) - mean_y) for x, y in zip(xs, ys, strict=True))
        return total

    spread = covariance(gold, gold) * covariance(predicted, predicted)
    return covariance(gold, predicted) / math.sqrt(spread) if spread > 1e-12 else 0.0


def naive_pearson(xs: Sequence[float], ys: Sequence[float]) -> float:
    if len(set(xs)) == 1 or len(set(ys)) == 1:
        return 0.0
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    both = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True))
    return both / math.sqrt(sum((x - mean_x) ** 2 for x in xs) * sum((y - mean_y) ** 2 for y in ys))


def naive_ranks(values: Sequence[float]) -> list[float]:
    order = sorted(values)
    return [sum(place for place, other in enumerate(order, 1) if other == one) / order.count(one) for one in values]


def naive_spearman(xs: Sequence[float], ys: Sequence[float]) -> float:
    return naive_pearson(naive_ranks(xs), naive_ranks(ys))
