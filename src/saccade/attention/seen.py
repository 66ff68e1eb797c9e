"""What was seen of one attention layer in one sentence: plain data, made by the recorder, drawn by the view."""

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True)
class Attended:
    """The weights of one layer for one sentence, with the tokens that its rows and columns stand for.

    ``weights_HQK`` is float32 on the CPU: head H, query Q (``queries[q]`` is the word being written or read), key K
    (``keys[k]`` is the word looked at). Rows sum to one, or to zero where there was nothing to look at, as for the
    first word of a text that looks back. ``layer`` is a name such as ``decoder.2.cross``.
    """

    layer: str
    weights_HQK: Tensor
    queries: tuple[str, ...]
    keys: tuple[str, ...]
