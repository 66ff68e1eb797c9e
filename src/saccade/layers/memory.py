"""What a decoder remembers between two steps, whatever it is made of: the source, and something for each row.

Sentences come and go while others are being written (``keep``, ``join``, ``replace``); the W rows (beams) of a sentence
share its source. Shapes: B sentences, S source tokens, N = B·W rows, E width of the encoder's states.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Generic, Protocol, Self, TypeVar

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from saccade.attention import Ancestry, GrowingCache, KeysValues, Mask
from saccade.errors import ModelError


def padding_mask(real_BS: Tensor, *, window: int | None = None) -> Mask:
    """Only real tokens are seen. Where there is no padding the mask is left out: attention is faster without one."""
    return Mask(keys_BK=None if bool(real_BS.all()) else real_BS, window=window)


@dataclass(frozen=True)
class Encoded:
    """What an encoder makes of a source: its states, where they are real and not padding, and the last of them.

    ``values_BSE`` is what attention sums up where that is not the states; ``final_BE`` is what a recurrent encoder
    remembers in the end.
    """

    states_BSE: Tensor
    real_BS: Tensor
    values_BSE: Tensor | None = None
    final_BE: Tensor | None = None

    @property
    def mask(self) -> Mask:
        return padding_mask(self.real_BS)

    def select(self, rows_B: Tensor) -> "Encoded":
        """Row b is row ``rows_B[b]`` of this: texts that speak of one source share it."""
        return Encoded(
            self.states_BSE.index_select(0, rows_B),
            self.real_BS.index_select(0, rows_B),
            None if self.values_BSE is None else self.values_BSE.index_select(0, rows_B),
            None if self.final_BE is None else self.final_BE.index_select(0, rows_B),
        )

    def final(self) -> Tensor:
        """(B, E)."""
        if self.final_BE is None:
            raise ModelError("this encoder has no final state for a recurrent decoder to start from")
        return self.final_BE


class State(Protocol):
    """What stays between two steps of a decoder."""

    def positions(self, rows: int) -> Tensor:
        """Where the next token of each row stands, (N,)."""

    def reorder(self, rows_N: Tensor) -> None:
        """Row n goes on from row ``rows_N[n]`` of the same sentence."""

    def keep(self, sentences_B: Tensor, rows_N: Tensor) -> None:
        """Only these sentences, with these rows, go on."""

    def join(self, new: Self) -> None:
        """Sentences of which nothing is written yet go on beside the others, as the last ones."""

    def replace(self, places_P: Tensor, new: Self) -> None:
        """Sentences of which nothing is written yet take the places of others, which nobody has to move for."""


class SourceMemory:
    """The keys and values of the source, for each layer that looks at it, and which of them are real."""

    def __init__(self, layers: Sequence[KeysValues], real_BS: Tensor) -> None:
        self.layers = [layer.for_steps() for layer in layers]
        self._see(real_BS)

    def keep(self, sentences_B: Tensor) -> None:
        real_BS = self._real_BS.index_select(0, sentences_B)
        longest = int(real_BS.sum(dim=1).max()) if len(sentences_B) else 0
        self.layers = [layer.first(longest).keep(sentences_B) for layer in self.layers]
        self._see(real_BS[:, :longest])

    def join(self, new: "SourceMemory") -> None:
        self.layers = [layer.join(other) for layer, other in zip(self.layers, new.layers, strict=True)]
        self._see(torch.cat(_equally_long(self._real_BS, new._real_BS)))

    def replace(self, places_P: Tensor, new: "SourceMemory") -> None:
        real_BS, others_PS = _equally_long(self._real_BS, new._real_BS)
        real_BS = real_BS.index_copy(0, places_P, others_PS)
        longest = int(real_BS.sum(dim=1).max())
        pairs = zip(self.layers, new.layers, strict=True)
        self.layers = [layer.replace(places_P, other).first(longest) for layer, other in pairs]
        self._see(real_BS[:, :longest])

    def _see(self, real_BS: Tensor) -> None:
        self._real_BS = real_BS
        self.mask = padding_mask(real_BS)


class RowMemory:
    """Some tensors, each with one entry for every row. Until the first step there is one row for each sentence.

    Tensors that grow with what is written have it as their second axis, and are padded with zeros where rows of
    different age come together.
    """

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        self.tensors = list(tensors)
        self.sentences = len(self.tensors[0])
        self._ages_B = torch.zeros(self.sentences, dtype=torch.long, device=self.tensors[0].device)

    @property
    def rows(self) -> int:
        return len(self.tensors[0])

    def positions(self, rows: int) -> Tensor:
        return self._ages_B.repeat_interleave(rows // self.sentences)

    def spread(self, rows: int) -> None:
        """From one row for each sentence to ``rows`` in all."""
        if self.rows != rows:
            self.tensors = [one.repeat_interleave(rows // self.rows, dim=0) for one in self.tensors]

    def grow(self, tensors: Sequence[Tensor], *, tokens: int = 1) -> None:
        """Every row has read so many more tokens; these are the tensors now."""
        self.tensors = list(tensors)
        self._ages_B = self._ages_B + tokens

    def reorder(self, rows_N: Tensor) -> None:
        self.tensors = [one.index_select(0, rows_N) for one in self.tensors]

    def keep(self, sentences_B: Tensor, rows_N: Tensor) -> None:
        self.reorder(rows_N)
        self._ages_B = self._ages_B.index_select(0, sentences_B)
        self.sentences = len(sentences_B)

    def join(self, new: "RowMemory") -> None:
        new.spread(new.rows * (self.rows // self.sentences))
        self.tensors = [torch.cat(pair) for pair in self._paired(new)]
        self._ages_B = torch.cat((self._ages_B, new._ages_B))
        self.sentences += new.sentences

    def replace(self, places_P: Tensor, new: "RowMemory") -> None:
        beams = self.rows // self.sentences
        new.spread(new.rows * beams)
        rows_R = (places_P[:, None] * beams + torch.arange(beams, device=places_P.device)).flatten()
        self.tensors = [one.index_copy(0, rows_R, other) for one, other in self._paired(new)]
        self._ages_B = self._ages_B.index_copy(0, places_P, new._ages_B)

    def _paired(self, new: "RowMemory") -> Iterator[tuple[Tensor, Tensor]]:
        for one, other in zip(self.tensors, new.tensors, strict=True):
            yield (one, other) if one.ndim == 2 else _equally_long(one, other)


def _equally_long(one: Tensor, other: Tensor) -> tuple[Tensor, Tensor]:
    """Both; the shorter one is padded along its second axis."""
    longest = max(one.shape[1], other.shape[1])
    first, second = (
        pad(each, (*(0, 0) * (each.ndim - 2), 0, longest - each.shape[1])) if each.shape[1] < longest else each
        for each in (one, other)
    )
    return first, second


class PrefixMemory:
    """The keys and values of what each row has read itself, for each of so many self-attention layers."""

    def __init__(self, sentences: int, *, layers: int, device: torch.device) -> None:
        self.ancestry = Ancestry(sentences, device)
        self.caches = [GrowingCache(self.ancestry) for _ in range(layers)]

    def positions(self, rows: int) -> Tensor:
        return self.ancestry.positions(rows)

    def reorder(self, rows_N: Tensor) -> None:
        self.ancestry.reorder(rows_N)

    def keep(self, sentences_B: Tensor, rows_N: Tensor) -> None:
        slots_BX = self.ancestry.keep(sentences_B, rows_N)
        for cache in self.caches:
            cache.keep(sentences_B)
            cache.give_up(slots_BX)

    def join(self, new: "PrefixMemory") -> None:
        self.ancestry.join(_nothing_read(new))
        for cache in self.caches:
            cache.join(new.ancestry.sentences)

    def replace(self, places_P: Tensor, new: "PrefixMemory") -> None:
        _nothing_read(new)
        slots_BX = self.ancestry.replace(places_P)
        for cache in self.caches:
            cache.give_up(slots_BX)


def _nothing_read(new: PrefixMemory) -> int:
    """The number of its texts."""
    if new.ancestry.slots:
        raise ModelError("only texts of which nothing is read yet can join others: read their prompts together")
    return new.ancestry.sentences


class StepState:
    """The state of a decoder that remembers its source and a few tensors for each row."""

    def __init__(self, source: SourceMemory, rows: RowMemory) -> None:
        self.source = source
        self.rows = rows

    def positions(self, rows: int) -> Tensor:
        return self.rows.positions(rows)

    def reorder(self, rows_N: Tensor) -> None:
        self.rows.reorder(rows_N)

    def keep(self, sentences_B: Tensor, rows_N: Tensor) -> None:
        self.source.keep(sentences_B)
        self.rows.keep(sentences_B, rows_N)

    def join(self, new: "StepState") -> None:
        self.source.join(new.source)
        self.rows.join(new.rows)

    def replace(self, places_P: Tensor, new: "StepState") -> None:
        self.source.replace(places_P, new.source)
        self.rows.replace(places_P, new.rows)


class Encoder(nn.Module, ABC):
    """Reads a source."""

    @abstractmethod
    def forward(self, x_BSE: Tensor, real_BS: Tensor) -> Encoded:
        """From the embedded source (B, S, E)."""


Kept = TypeVar("Kept", bound=State)


class Decoder(nn.Module, ABC, Generic[Kept]):
    """Writes a target: whole ones at once in training, one token at a time in decoding."""

    @abstractmethod
    def forward(self, x_BTE: Tensor, source: Encoded) -> Tensor:
        """Embedded target (B, T, E) → states (B, T, E), each of which knows its own and earlier tokens only."""

    @abstractmethod
    def start(self, source: Encoded) -> Kept:
        """What is computed once for a source."""

    @abstractmethod
    def step(self, x_N1E: Tensor, state: Kept) -> Tensor:
        """The states of the newest token, (N, 1, E); ``state`` moves one position on."""


class Stack(nn.Module, ABC, Generic[Kept]):
    """Writes a text that has no source: whole ones at once in training, one token at a time in decoding."""

    @abstractmethod
    def forward(self, x_BTE: Tensor) -> Tensor:
        """Embedded text (B, T, E) → states (B, T, E), each of which knows its own and earlier tokens only."""

    @abstractmethod
    def start(self, sentences: int) -> Kept:
        """The state of so many texts of which nothing is written yet."""

    @abstractmethod
    def step(self, x_NTE: Tensor, state: Kept) -> Tensor:
        """The states of the newest tokens, (N, T, E), mostly one of each row; ``state`` moves T positions on."""

    def read(self, x_BSE: Tensor, lengths_B: Tensor) -> Kept:
        """The state after whole prompts, of which only the first ``lengths_B`` tokens are real.

        The longest are read first; the others join when as much is left of these as they have, so that all come to
        their end together.
        """
        order_B = lengths_B.argsort(descending=True, stable=True)
        left_B = lengths_B[order_B]
        stops = sorted({*left_B.tolist(), 0}, reverse=True)
        begun = int((left_B == stops[0]).sum())
        state = self.start(begun)
        for left, following in pairwise(stops):
            token_T = torch.arange(left - following, device=x_BSE.device)
            place_NT = left_B[:begun, None] - left + token_T
            self.step(x_BSE[order_B[:begun, None], place_NT], state)
            if joining := int((left_B == following).sum()):
                state.join(self.start(joining))
                begun += joining
        place_B = torch.argsort(order_B)
        state.keep(place_B, place_B)
        return state
