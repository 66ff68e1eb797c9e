"""What a decoder remembers, so that a step costs one token and not the whole prefix.

The W rows (beams) of a sentence share one memory. Every token that a row reads gets a slot in it and stays there. When
a row goes on from another one, only the ``Ancestry`` changes: the table of the slots that make up each row's prefix.
Slots that nobody descends from are given up when sentences leave, and new sentences may join those under way.

Keys lie in memory as (D, K), one column a key, which is how many small products of few queries read them fastest.
Shapes: B sentences, N = B·W rows, H heads, X slots, K keys, D width of a head.
"""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import pad

from saccade.attention.attend import Listener
from saccade.attention.masks import Mask
from saccade.errors import ModelError

SPARE = 8  # steps for which buffers have room when they are made


@dataclass(frozen=True)
class KeysValues:
    """Projected keys and values, (B, H, K, D) each; those of the source are computed once for a sentence."""

    keys: Tensor
    values: Tensor

    def for_steps(self) -> "KeysValues":
        """The same, laid out for the few queries of every step to come."""
        return KeysValues(self.keys.mT.contiguous().mT, self.values.contiguous())

    def keep(self, sentences_B: Tensor) -> "KeysValues":
        return KeysValues(self.keys.mT.index_select(0, sentences_B).mT, self.values.index_select(0, sentences_B))

    def first(self, keys: int) -> "KeysValues":
        """Only the first so many keys; with more than there are, padding follows them."""
        more = keys - self.keys.shape[2]
        if not more:
            return self
        return KeysValues(pad(self.keys.mT, (0, more)).mT, pad(self.values, (0, 0, 0, more)))

    def join(self, others: "KeysValues") -> "KeysValues":
        """Both, one below the other; the shorter one is padded."""
        longest = max(self.keys.shape[2], others.keys.shape[2])
        one, other = self.first(longest), others.first(longest)
        return KeysValues(torch.cat((one.keys.mT, other.keys.mT)).mT, torch.cat((one.values, other.values)))


class Ancestry:
    """Which slots make up the prefix of each row, and which position each slot has; one for all layers of a decoder."""

    def __init__(self, sentences: int, device: torch.device) -> None:
        self.beams = 1
        self.ages_B = torch.zeros(sentences, dtype=torch.long, device=device)
        self.slots_BW: Tensor | None = None
        """Where the newest tokens lie."""
        self._used_B = self.ages_B
        self._own_BWX = torch.zeros(sentences, 1, 0, dtype=torch.bool, device=device)
        self._position_BX = torch.zeros(sentences, 0, dtype=torch.long, device=device)

    @property
    def sentences(self) -> int:
        return len(self.ages_B)

    @property
    def slots(self) -> int:
        return self._position_BX.shape[1]

    def positions(self, rows: int) -> Tensor:
        """Where the next token of each row will stand, (N,)."""
        return self.ages_B.repeat_interleave(rows // self.sentences)

    def grow(self, rows: int) -> None:
        """Every row reads one more token, which gets a slot of its own."""
        beams, rest = divmod(rows, self.sentences)
        if rest or (beams != self.beams and self.slots):
            raise ModelError(f"{rows} rows do not divide among {self.sentences} sentences of {self.beams} rows each")
        if not self.slots:
            self.beams = beams
            self._own_BWX = self._own_BWX.expand(-1, beams, -1)
        self.slots_BW = self._used_B[:, None] + torch.arange(beams, device=self.ages_B.device)
        self._used_B = self._used_B + beams
        more = int(self._used_B.max()) - self.slots
        self._own_BWX = pad(self._own_BWX, (0, more)).scatter_(2, self.slots_BW[:, :, None], True)
        position_BW = self.ages_B[:, None].expand(-1, beams)
        self._position_BX = pad(self._position_BX, (0, more)).scatter_(1, self.slots_BW, position_BW)
        self.ages_B = self.ages_B + 1

    def reorder(self, rows_N: Tensor) -> None:
        """Row n goes on from row ``rows_N[n]`` of the same sentence."""
        own_NX = self._own_BWX.flatten(0, 1).index_select(0, rows_N)
        self._own_BWX = own_NX.view(-1, self.beams, self.slots)

    def keep(self, sentences_B: Tensor, rows_N: Tensor) -> Tensor | None:
        """Only these sentences go on, with these rows.

        Where that saves half of the slots or more, those that nobody descends from are given up; returned are then the
        slots that stay, (B, X), and some to spare.
        """
        self.reorder(rows_N)
        self.ages_B, self._used_B, self._position_BX = (
            each.index_select(0, sentences_B) for each in (self.ages_B, self._used_B, self._position_BX)
        )
        needed_BX = self._own_BWX.any(dim=1)
        needed_B = needed_BX.sum(dim=1)
        slots = int(needed_B.max()) if len(needed_B) else 0
        if 2 * slots > self.slots:
            return None
        self._used_B = needed_B
        slot_BX = needed_BX.to(torch.uint8).argsort(dim=1, descending=True, stable=True)[:, :slots]
        self._own_BWX = self._own_BWX.gather(2, slot_BX[:, None].expand(-1, self.beams, -1))
        self._position_BX = self._position_BX.gather(1, slot_BX)
        return pad(slot_BX, (0, SPARE * self.beams))

    def join(self, sentences: int) -> None:
        """So many new sentences, which have read nothing yet."""
        self._own_BWX = pad(self._own_BWX, (0, 0, 0, 0, 0, sentences))
        self._position_BX = pad(self._position_BX, (0, 0, 0, sentences))
        self._used_B, self.ages_B = pad(self._used_B, (0, sentences)), pad(self.ages_B, (0, sentences))

    def mask(self, window: int | None) -> Mask:
        """What the newest token of each row may look at: its own prefix, or the end of it within the window."""
        if window is None:
            return Mask(pairs_BQK=self._own_BWX)
        near_BX = self._position_BX >= self.ages_B[:, None] - 1 - window
        return Mask(pairs_BQK=self._own_BWX & near_BX[:, None])

    def listener(self, inner: Listener) -> Listener:
        """Somebody who thinks in positions of the prefix, listening to weights over slots."""
        position_NX = self._position_BX.repeat_interleave(self.beams, dim=0)
        return _ByPosition(inner, self._own_BWX.flatten(0, 1), position_NX, int(self.ages_B.max()))


class _ByPosition:
    def __init__(self, inner: Listener, own_NX: Tensor, position_NX: Tensor, positions: int) -> None:
        self._inner = inner
        self._own_N11X = own_NX[:, None, None]
        self._position_N11X = position_NX[:, None, None]
        self._positions = positions

    def see(self, weights_NHQX: Tensor) -> Tensor | None:
        """At each position one slot is the row's own; the others have no weight, so their sum is its weight."""
        position_NHQX = self._position_N11X.expand_as(weights_NHQX)
        by_position = weights_NHQX.new_zeros(*weights_NHQX.shape[:3], self._positions)
        changed = self._inner.see(by_position.scatter_add_(3, position_NHQX, weights_NHQX))
        return None if changed is None else changed.gather(3, position_NHQX) * self._own_N11X


class GrowingCache:
    """One layer's keys and values of all slots, in buffers that double when they are full.

    Sentences that leave and join are only noted; the next step moves those that stay, once.
    """

    def __init__(self, ancestry: Ancestry) -> None:
        self.ancestry = ancestry
        self._keys_BHDX: Tensor | None = None
        self._values_BHXD: Tensor | None = None
        self._moved_B: Tensor | None = None

    def append(self, keys_NH1D: Tensor, values_NH1D: Tensor) -> KeysValues:
        """Puts what each row reads now into its slot and returns all slots, (B, H, X, D)."""
        slots_BW = self.ancestry.slots_BW
        if slots_BW is None:
            raise ModelError("a cache grows with its ancestry: call grow() before each step")
        sentence_B1 = torch.arange(len(slots_BW), device=slots_BW.device)[:, None]
        _, heads, _, dim = keys_NH1D.shape
        keys_BHDX, values_BHXD = self._buffers(keys_NH1D)
        with torch.no_grad():
            keys_BHDX.permute(0, 3, 1, 2)[sentence_B1, slots_BW] = keys_NH1D.view(*slots_BW.shape, heads, dim)
            values_BHXD.transpose(1, 2)[sentence_B1, slots_BW] = values_NH1D.view(*slots_BW.shape, heads, dim)
        slots = self.ancestry.slots
        return KeysValues(keys_BHDX[..., :slots].mT, values_BHXD[:, :, :slots])

    def keep(self, sentences_B: Tensor, slots_BX: Tensor | None) -> None:
        """Only these sentences go on; with ``slots_BX``, only these slots of each."""
        self._moved_B = sentences_B if self._moved_B is None else self._moved_B.index_select(0, sentences_B)
        if slots_BX is None or self._keys_BHDX is None:
            return
        keys, values = self._buffers(self._keys_BHDX)
        index_B11X = slots_BX[:, None, None, :]
        self._keys_BHDX = keys.gather(3, index_B11X.expand(*keys.shape[:3], -1))
        self._values_BHXD = values.gather(2, index_B11X.mT.expand(-1, keys.shape[1], -1, keys.shape[2]))

    def join(self, sentences: int) -> None:
        """So many new sentences, which have read nothing yet."""
        if self._keys_BHDX is None:
            return
        if self._moved_B is None:
            self._moved_B = torch.arange(len(self._keys_BHDX), device=self._keys_BHDX.device)
        # What they find in their slots is another sentence's, but none of it is their own.
        self._moved_B = pad(self._moved_B, (0, sentences))

    def _buffers(self, like_NH1D: Tensor) -> tuple[Tensor, Tensor]:
        keys, values = self._keys_BHDX, self._values_BHXD
        if keys is None or values is None:
            _, heads, _, dim = like_NH1D.shape
            keys = like_NH1D.new_zeros(self.ancestry.sentences, heads, dim, 0)
            values = like_NH1D.new_zeros(self.ancestry.sentences, heads, 0, dim)
        elif self._moved_B is not None:
            keys, values = keys.index_select(0, self._moved_B), values.index_select(0, self._moved_B)
        self._moved_B = None
        more = self.ancestry.slots - keys.shape[3]
        if more > 0:
            # Zeros: slots without weight are still multiplied by it, and what memory held before may not be a number.
            more = max(more, keys.shape[3], SPARE * self.ancestry.beams)
            keys, values = pad(keys, (0, more)), pad(values, (0, 0, 0, more))
        self._keys_BHDX, self._values_BHXD = keys, values
        return keys, values
