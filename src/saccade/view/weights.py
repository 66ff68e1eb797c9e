"""What every picture needs of an `Attended`: checked weights, and layer, head and token in words for a reader.

Legend: H heads, Q queries, K keys.
"""

import re
import unicodedata
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.attention.seen import Attended
from saccade.errors import ModelError

_STRUCTURED_NAME = re.compile(r"(?P<part>[A-Za-z_]+)(?:\.(?P<number>\d+))?\.(?P<kind>self|cross)")
_VISIBLE_BLANKS = {"": "∅", " ": "␣", "\n": "⏎", "\t": "⇥"}


@dataclass(frozen=True)
class LayerWords:
    """A layer's name for readers: ``sentence`` in full, ``group`` what it belongs with, ``place`` within the group."""

    sentence: str
    group: str
    place: str


def layer_words(name: str) -> LayerWords:
    """``decoder.2.cross`` is decoder layer 2, cross-attention: pictures count from 0, as names and code do.

    A name of another form is shown as it is.
    """
    match = _STRUCTURED_NAME.fullmatch(name)
    if match is None:
        return LayerWords(sentence=name, group="Other layers", place=name)
    part, number, kind = match["part"].replace("_", " "), match["number"], match["kind"]
    layer = f"{part} layer {number}" if number else part
    group = "Cross-attention" if kind == "cross" else f"{part.capitalize()} self-attention"
    return LayerWords(sentence=f"{layer}, {kind}-attention", group=group, place=number or "0")


def head_words(head: int | None, heads: int) -> str:
    """One head is "head 2 of 4" (counted from 0), all of them (None) "mean of 4 heads"."""
    if heads == 1:
        return "one head"
    return f"mean of {heads} heads" if head is None else f"head {head} of {heads}"


def visible(token: str) -> str:
    """The token with blanks and control characters made visible, so that a picture shows every token."""
    if token in _VISIBLE_BLANKS:
        return _VISIBLE_BLANKS[token]
    return "".join(
        _VISIBLE_BLANKS.get(character, "\ufffd") if unicodedata.category(character) in ("Cc", "Cs") else character
        for character in token
    )


def checked_weights(attended: Attended) -> NDArray[np.float32]:
    """The weights (H, Q, K) as an array, once they fit the tokens and are numbers from 0 on."""
    weights_HQK: NDArray[np.float32] = attended.weights_HQK.detach().float().cpu().numpy()
    expected = (len(attended.queries), len(attended.keys))
    if weights_HQK.ndim != 3 or weights_HQK.shape[1:] != expected or 0 in weights_HQK.shape:
        raise ModelError(
            f"the weights of {attended.layer} have shape {weights_HQK.shape}, expected was (heads, queries, keys) with "
            f"{expected[0]} queries and {expected[1]} keys, at least one of each"
        )
    if not np.isfinite(weights_HQK).all() or (weights_HQK < 0).any():
        raise ModelError(
            f"the weights of {attended.layer} hold negative numbers, NaN or infinity: they cannot be drawn"
        )
    return weights_HQK


def head_matrix(attended: Attended, head: int | None) -> NDArray[np.float32]:
    """The weights (Q, K) of one head, counted from 0, or their mean over all heads (None)."""
    weights_HQK = checked_weights(attended)
    heads = len(weights_HQK)
    if head is None:
        mean_QK: NDArray[np.float32] = weights_HQK.mean(axis=0)
        return mean_QK
    if not 0 <= head < heads:
        raise ModelError(f"{attended.layer} has no head {head}: it has heads 0 to {heads - 1}, or None for their mean")
    one_QK: NDArray[np.float32] = weights_HQK[head]
    return one_QK
