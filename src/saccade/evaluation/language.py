"""Perplexity and bits per byte of a language model, with an interval from resampled documents.

    perplexity = exp(nats / tokens)        bits per byte = nats / (ln 2 · bytes)

Perplexity depends on how text is cut into tokens; bits per byte (UTF-8) and per character do not, so that only they
compare models with different tokenizers. The cost of the end mark of each document is counted in all three.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.errors import DataError
from saccade.evaluation.resampling import paired_p_value, percentile_interval, resampled_scores
from saccade.evaluation.translation import PairedTest, Score
from saccade.version import __version__

RESAMPLES = 1000
NATS, TOKENS, BYTES, CHARACTERS = range(4)  # the columns of what is counted for each document


@dataclass(frozen=True)
class Read:
    """What one document cost: −log p of its tokens, end mark included, in nats; how many there are; how long it is.

    ``unknown`` counts the tokens that stand for a word which the vocabulary has not.
    """

    nats: float
    tokens: int
    bytes: int
    characters: int
    unknown: int = 0


@dataclass(frozen=True)
class LanguageScores:
    """``loss`` in nats a token. Without the text of every word there are no bits per byte and per character."""

    loss: float
    perplexity: Score
    bits_per_byte: Score | None
    bits_per_character: Score | None
    documents: int

    @property
    def scores(self) -> tuple[Score, ...]:
        """All that there are, in the order in which they are shown."""
        found = (self.perplexity, self.bits_per_byte, self.bits_per_character)
        return tuple(score for score in found if score is not None)


def score_language(read: Sequence[Read], *, settings: str = "", resamples: int = RESAMPLES) -> LanguageScores:
    """The scores of documents that were read; ``settings`` says how, for the signature. 0 resamples: no interval."""
    if not read:
        raise DataError("there is no document to score: the text is empty")
    counts_NS = _counts(read)
    unknown = sum(one.unknown for one in read)
    signature = "|".join(
        part for part in (f"documents:{len(read)}", settings, f"unknown:{unknown}", f"version:{__version__}") if part
    )

    def scored(name: str, score: Callable[[NDArray[np.float64]], float]) -> Score:
        interval = None
        if resamples:
            interval = percentile_interval(resampled_scores(counts_NS, score, resamples=resamples, seed=1))
        return Score(name, score(counts_NS.sum(axis=0)), signature, interval)

    def bits(name: str, column: int) -> Score | None:
        # An unknown word costs no more than its mark, whatever it is: such bits would be of another, shorter text.
        return None if unknown else scored(name, lambda sums: _bits(sums, column))

    return LanguageScores(
        loss=float(counts_NS[:, NATS].sum() / counts_NS[:, TOKENS].sum()),
        perplexity=scored("perplexity", lambda sums: math.exp(min(sums[NATS] / sums[TOKENS], 50.0))),
        bits_per_byte=bits("bits per byte", BYTES),
        bits_per_character=bits("bits per character", CHARACTERS),
        documents=len(read),
    )


def compare_language(a: Sequence[Read], b: Sequence[Read], *, resamples: int = RESAMPLES) -> PairedTest:
    """Two models by bits per byte on the same documents; below zero, b is better."""
    one, other = (score_language(read, resamples=resamples).bits_per_byte for read in (a, b))
    if one is None or other is None:
        raise DataError(
            "models that do not know every word of the text have no bits per byte to compare: train them with a "
            "tokenizer of kind bpe or characters"
        )
    drawn_a, drawn_b = (
        resampled_scores(_counts(read), lambda sums: _bits(sums, BYTES), resamples=resamples, seed=1) for read in (a, b)
    )
    differences, observed = drawn_b - drawn_a, other.value - one.value
    return PairedTest(
        metric=one.name,
        a=one,
        b=other,
        difference=observed,
        interval=percentile_interval(differences),
        p_value=paired_p_value(differences, observed),
    )


def _counts(read: Sequence[Read]) -> NDArray[np.float64]:
    return np.array([(one.nats, one.tokens, one.bytes, one.characters) for one in read], dtype=np.float64)


def _bits(sums_S: NDArray[np.float64], column: int) -> float:
    return float(sums_S[NATS] / (math.log(2) * sums_S[column]))
