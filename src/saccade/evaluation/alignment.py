"""How well attention weights agree with a gold word alignment.

Legend: Q queries (target tokens), K keys (source tokens), T target words, S source words.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.data.examples import Link
from saccade.errors import DataError

NO_WORD = -1


@dataclass(frozen=True)
class AlignmentScore:
    """Alignment error rate (Och and Ney, 2003; 0 is perfect), precision and recall over all links of a corpus."""

    error_rate: float
    precision: float
    recall: float


def alignment_error_rate(predicted: Sequence[frozenset[Link]], gold: Sequence[frozenset[Link]]) -> AlignmentScore:
    """AER = 1 - (|A∩S| + |A∩P|) / (|A| + |S|), where every gold link is sure: S = P.

    The counts are summed over the sentences first. With nothing predicted, precision and recall are 0.
    """
    if len(predicted) != len(gold):
        raise DataError(f"there are {len(predicted):,} predicted and {len(gold):,} gold alignments: give one for each")
    in_both = sum(len(ours & theirs) for ours, theirs in zip(predicted, gold, strict=True))
    in_predicted = sum(len(links) for links in predicted)
    in_gold = sum(len(links) for links in gold)
    if in_gold == 0:
        raise DataError(
            f"the gold alignments of {len(gold):,} sentences hold no link: there is nothing to score against"
        )
    return AlignmentScore(
        error_rate=1 - 2 * in_both / (in_predicted + in_gold),
        precision=in_both / in_predicted if in_predicted else 0.0,
        recall=in_both / in_gold,
    )


def links_from_weights(
    weights_QK: NDArray[np.floating], *, source_words: Sequence[int], target_words: Sequence[int]
) -> frozenset[Link]:
    """Each target word linked to the source word it looks at most.

    ``source_words[k]`` and ``target_words[q]`` are the word that a token belongs to, ``-1`` for none (begin, end). The
    weights of a source word's tokens are summed, the rows of a target word's tokens averaged; of equally strong words
    the first is taken. A target word that looks at no source word at all has no link.
    """
    if weights_QK.shape != (len(target_words), len(source_words)):
        raise DataError(
            f"the weights have shape {weights_QK.shape}, but there are {len(target_words)} target tokens (rows) and "
            f"{len(source_words)} source tokens (columns)"
        )
    if not np.isfinite(weights_QK).all():
        raise DataError("the attention weights hold NaN or infinity: no alignment can be read from them")
    from_S, columns_SK = _membership(source_words)
    to_T, rows_TQ = _membership(target_words)
    if not len(from_S):
        return frozenset()
    mean_TQ = rows_TQ / rows_TQ.sum(axis=1, keepdims=True)
    weights_TS = mean_TQ @ weights_QK @ columns_SK.T
    strongest_T = weights_TS.argmax(axis=1)
    return frozenset(
        Link(source=int(from_S[best]), target=int(word))
        for word, best, row_S in zip(to_T, strongest_T, weights_TS, strict=True)
        if row_S[best] > 0
    )


def _membership(words: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The words there are, and a matrix (word, token) with 1 where the token belongs to the word."""
    word_of_token = np.asarray(words, dtype=np.int64)
    if (word_of_token < NO_WORD).any():
        raise DataError(f"word indices count from 0, and {NO_WORD} means no word; given was {int(word_of_token.min())}")
    present = np.unique(word_of_token[word_of_token != NO_WORD])
    return present, (present[:, None] == word_of_token[None, :]).astype(np.float64)
