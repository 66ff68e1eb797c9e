"""What a decoder remembers, so that a step costs one token and not the whole prefix.

The W rows (beams) of a sentence share one memory. Every token that a row reads gets a slot in it and stays there. When
a row goes on from another one, only the ``Ancestry`` changes: the table of the slots that make up each row's prefix.
Slots that nobody descends from are given up when sentences leave, and new sentences may take their places or join those
under way.

Keys of the source lie in memory as (D, K), one column a key, which is how many small products of few queries read them
fastest. Those of a growing cache lie one after another: what a column saves in reading it costs in writing.
Shapes: B sentences, N = B·W rows, H heads, X slots, K keys, T newest tokens of a row, D width of a head.
"""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import pad

from saccade.attention.attend import CloseListener, Listener
from saccade.attention.masks import Mask
from saccade.attention.operands import Operands
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
        """Only the first so many keys, where they lie; with more than there are, padding follows them."""
        more = keys - self.keys.shape[2]
        if more <= 0:
            return KeysValues(self.keys[:, :, :keys], self.values[:, :, :keys])
        return KeysValues(pad(self.keys.mT, (0, more)).mT, pad(self.values, (0, 0, 0, more)))

    def join(self, others: "KeysValues") -> "KeysValues":
        """Both, one below the other; the shorter one is padded."""
        longest = max(self.keys.shape[2], others.keys.shape[2])
        one, other = self.first(longest), others.first(longest)
        return KeysValues(torch.cat((one.keys.mT, other.keys.mT)).mT, torch.cat((one.values, other.values)))

    def replace(self, places_P: Tensor, others: "KeysValues") -> "KeysValues":
        """``others`` take these places, in the same memory where it is long enough; the shorter one is padded."""
        longest = max(self.keys.shape[2], others.keys.shape[2])
        one, other = self.first(longest), others.first(longest)
        one.keys.mT.index_copy_(0, places_P, other.keys.mT)
        one.values.index_copy_(0, places_P, other.values)
        return one


@dataclass(frozen=True)
class Newest:
    """The tokens that every row reads now, and where they lie: from slot ``start`` on, or in ``slots_BX``.

    ``before_B`` is how much each sentence had read before them; ``first`` says that it was nothing, and that each has
    one row: then what they may look at are these tokens themselves.
    """

    tokens: int
    before_B: Tensor
    start: int = 0
    slots_BX: Tensor | None = None
    first: bool = False


class Ancestry:
    """Which slots make up the prefix of each row, and which position each slot has; one for all layers of a decoder.

    As long as every sentence has one row and all have read equally much, slots are positions and every row owns all of
    them (``even``): then only their number is kept, and no mask is needed.
    """

    def __init__(self, sentences: int, device: torch.device) -> None:
        self.beams = 1
        self.ages_B = torch.zeros(sentences, dtype=torch.long, device=device)
        self.newest: Newest | None = None
        self._even: int | None = 0
        """The slots of every row, where that is all there is to know."""
        self._used_B = self.ages_B
        self._own_BWX = torch.zeros(sentences, 1, 0, dtype=torch.bool, device=device)
        self._position_BX = torch.zeros(sentences, 0, dtype=torch.long, device=device)

    @property
    def sentences(self) -> int:
        return len(self.ages_B)

    @property
    def slots(self) -> int:
        return self._position_BX.shape[1] if self._even is None else self._even

    def positions(self, rows: int) -> Tensor:
        """Where the next token of each row will stand, (N,)."""
        return self.ages_B.repeat_interleave(rows // self.sentences)

    def grow(self, rows: int, *, tokens: int = 1, lengths_B: Tensor | None = None) -> None:
        """Every row reads so many more tokens, each of which gets a slot of its own.

        With ``lengths_B`` only the first so many tokens of a row are real, and the rest is padding: its slots belong
        to nobody, and what is read next takes them. Where the rows of a sentence are several, they read one token.
        """
        beams, rest = divmod(rows, self.sentences)
        if rest or (beams != self.beams and self.slots and self.beams > 1):
            raise ModelError(f"{rows} rows do not divide among {self.sentences} sentences of {self.beams} rows each")
        if tokens > 1 and beams > 1:
            raise ModelError(f"the {beams} rows of a sentence read one token at a time, not {tokens}")
        first, before_B = not self.slots, self.ages_B
        self.ages_B = self.ages_B + (tokens if lengths_B is None else lengths_B)
        if self._even is not None and beams == 1 and lengths_B is None:
            self.newest = Newest(tokens, before_B, start=self._even, first=first)
            self._even += tokens
            return
        self._write_out()
        if beams != self.beams:  # the rows of a sentence go on from one that read for all of them
            self.beams, self._own_BWX = beams, self._own_BWX.expand(-1, beams, -1)
        token_T = torch.arange(tokens, device=self.ages_B.device)
        real_BT = (token_T < (tokens if lengths_B is None else lengths_B[:, None])).expand(self.sentences, -1)
        slots_BX = self._used_B[:, None] + torch.arange(beams * tokens, device=self.ages_B.device)
        more = max(0, int(slots_BX.max()) + 1 - self.slots)
        self._used_B = self._used_B + (beams * tokens if lengths_B is None else lengths_B)
        slots_BWT, real_BWT = slots_BX.view(-1, beams, tokens), real_BT[:, None].expand(-1, beams, -1)
        self._own_BWX = pad(self._own_BWX, (0, more)).scatter_(2, slots_BWT, real_BWT)
        position_BT = torch.where(real_BT, before_B[:, None] + token_T, 0)
        position_BX = position_BT.repeat(1, beams)
        self._position_BX = pad(self._position_BX, (0, more)).scatter_(1, slots_BX, position_BX)
        self.newest = Newest(tokens, before_B, slots_BX=slots_BX, first=first and beams == 1)

    def reorder(self, rows_N: Tensor) -> None:
        """Row n goes on from row ``rows_N[n]`` of the same sentence."""
        if self._even is not None:
            return
        own_NX = self._own_BWX.flatten(0, 1).index_select(0, rows_N)
        self._own_BWX = own_NX.view(-1, self.beams, self.slots)

    def keep(self, sentences_B: Tensor, rows_N: Tensor) -> Tensor | None:
        """Only these sentences go on, with these rows; a sentence that is named several times goes on as several.

        Where that saves half of the slots or more, those that nobody descends from are given up; returned are then the
        slots that stay, (B, X), and some to spare.
        """
        self.ages_B = self.ages_B.index_select(0, sentences_B)
        if self._even is not None:
            return None
        self.reorder(rows_N)
        self._used_B, self._position_BX = (
            each.index_select(0, sentences_B) for each in (self._used_B, self._position_BX)
        )
        if self.beams == 1 and len(sentences_B) and bool((self._used_B == self._used_B[0]).all()):
            self._even = int(self._used_B[0])
            return None
        return self._give_up()

    def join(self, sentences: int) -> None:
        """So many new sentences, which have read nothing yet."""
        if self._even != 0:
            self._write_out()
            self._own_BWX = pad(self._own_BWX, (0, 0, 0, 0, 0, sentences))
            self._position_BX = pad(self._position_BX, (0, 0, 0, sentences))
            self._used_B = pad(self._used_B, (0, sentences))
        self.ages_B = pad(self.ages_B, (0, sentences))

    def replace(self, places_P: Tensor) -> Tensor | None:
        """In these places are new sentences now, which have read nothing yet. Returns what ``keep`` does."""
        if self._even == 0:
            return None
        self._write_out()
        self.ages_B, self._used_B = (each.index_fill(0, places_P, 0) for each in (self.ages_B, self._used_B))
        self._own_BWX = self._own_BWX.index_fill(0, places_P, value=False)
        return self._give_up()

    def _give_up(self) -> Tensor | None:
        """Gives up the slots that nobody descends from, where that saves half of all or more."""
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

    def mask(self, window: int | None) -> Mask:
        """What the newest tokens of each row may look at: their own prefix, or the end of it within the window."""
        newest = self._newest()
        if self._even is not None or newest.first:
            return Mask(causal=True, window=window)  # the slots are the positions, and the newest tokens the last ones
        pairs_BQX = self._own_BWX
        position_BQ1 = (newest.before_B[:, None] + torch.arange(newest.tokens, device=self.ages_B.device))[..., None]
        if newest.tokens > 1:
            pairs_BQX = pairs_BQX & (self._position_BX[:, None] <= position_BQ1)
        if window is not None:
            pairs_BQX = pairs_BQX & (self._position_BX[:, None] >= position_BQ1 - window)
        return Mask(pairs_BQK=pairs_BQX)

    def listener(self, inner: Listener) -> Listener:
        """Somebody who thinks in positions of the prefix, listening to weights over slots."""
        if self._even is not None or self._newest().first:
            return inner
        position_NX = self._position_BX.repeat_interleave(self.beams, dim=0)
        return _ByPosition(inner, self._own_BWX.flatten(0, 1), position_NX, int(self.ages_B.max()))

    def _newest(self) -> "Newest":
        if self.newest is None:
            raise ModelError("a cache grows with its ancestry: call grow() before each step")
        return self.newest

    def _write_out(self) -> None:
        """Notes slot by slot what was even until now."""
        if self._even is None:
            return
        sentences, device = self.sentences, self.ages_B.device
        self._own_BWX = torch.ones(sentences, 1, self._even, dtype=torch.bool, device=device)
        self._position_BX = torch.arange(self._even, device=device).expand(sentences, -1)
        self._used_B = torch.full((sentences,), self._even, device=device)
        self._even = None


class _ByPosition(CloseListener):
    def __init__(self, inner: Listener, own_NX: Tensor, position_NX: Tensor, positions: int) -> None:
        self._inner = inner
        self._own_N11X = own_NX[:, None, None]
        self._position_N11X = position_NX[:, None, None]
        self._positions = positions

    @property
    def close(self) -> bool:
        return isinstance(self._inner, CloseListener) and self._inner.close

    def take(self, operands: Operands) -> None:
        """Each row's own keys and values, P of them, in the order of their positions."""
        if not isinstance(self._inner, CloseListener):
            return
        own_NX, position_NX = self._own_N11X[:, 0, 0], self._position_N11X[:, 0, 0]
        rows, slots = own_NX.shape
        aimed_NX = torch.where(own_NX, position_NX, self._positions)  # what is not the row's own goes where none reads
        slot_NX = torch.arange(slots, device=own_NX.device).expand(rows, -1)
        slot_NP = slot_NX.new_full((rows, self._positions + 1), -1).scatter_(1, aimed_NX, slot_NX)[:, :-1]
        real_N11P = (slot_NP >= 0)[:, None, None]
        row_N1 = (torch.arange(rows, device=own_NX.device) // (rows // len(operands.key_BHKD)))[:, None]
        key_NHPD, value_NHPV = (
            one.transpose(1, 2)[row_N1, slot_NP.clamp(min=0)].transpose(1, 2)
            for one in (operands.key_BHKD, operands.value_BHKV)
        )
        allowed_N1QP = real_N11P.expand(-1, 1, operands.queries, -1)
        if operands.allowed_N1QK is not None:
            slot_N1QP = slot_NP.clamp(min=0)[:, None, None].expand_as(allowed_N1QP)
            allowed_N1QP = allowed_N1QP & operands.allowed_N1QK.gather(3, slot_N1QP)
        self._inner.take(Operands(operands.query_NHQD, key_NHPD, value_NHPV, allowed_N1QP, operands.score))

    def see(self, weights_NHQX: Tensor) -> Tensor | None:
        """At each position one slot is the row's own; the others have no weight, so their sum is its weight."""
        position_NHQX = self._position_N11X.expand_as(weights_NHQX)
        by_position = weights_NHQX.new_zeros(*weights_NHQX.shape[:3], self._positions)
        changed = self._inner.see(by_position.scatter_add_(3, position_NHQX, weights_NHQX))
        return None if changed is None else changed.gather(3, position_NHQX) * self._own_N11X


class GrowingCache:
    """One layer's keys and values of all slots, in a buffer that doubles when it is full.

    Sentences that leave and join are only noted; the next step moves those that stay, once.
    """

    def __init__(self, ancestry: Ancestry) -> None:
        self.ancestry = ancestry
        self._both_2BHXD: Tensor | None = None
        self._moved_B: Tensor | None = None

    def append(self, keys_NHTD: Tensor, values_NHTD: Tensor) -> KeysValues:
        """Puts what each row reads now into its slots and returns all that it may look at, (B, H, X, D)."""
        newest = self.ancestry.newest
        if newest is None:
            raise ModelError("a cache grows with its ancestry: call grow() before each step")
        both = self._buffer(keys_NHTD).unbind()
        for each_BHXD, new_NHTD in zip(both, (keys_NHTD.detach(), values_NHTD.detach()), strict=True):
            if newest.slots_BX is None:
                each_BHXD.narrow(2, newest.start, newest.tokens).copy_(new_NHTD)
            else:
                sentence_B1 = torch.arange(len(newest.slots_BX), device=newest.slots_BX.device)[:, None]
                each_BHXD.transpose(1, 2)[sentence_B1, newest.slots_BX] = _by_slot(new_NHTD, newest.slots_BX)
        if newest.first:
            return KeysValues(keys_NHTD, values_NHTD)
        return KeysValues(*(each_BHXD.narrow(2, 0, self.ancestry.slots) for each_BHXD in both))

    def keep(self, sentences_B: Tensor) -> None:
        """Only these sentences go on."""
        self._moved_B = sentences_B if self._moved_B is None else self._moved_B.index_select(0, sentences_B)

    def give_up(self, slots_BX: Tensor | None) -> None:
        """Only these slots of each sentence go on; None: all."""
        if slots_BX is None or self._both_2BHXD is None:
            return
        both = self._buffer(self._both_2BHXD[0])
        _, _, heads, _, dim = both.shape
        self._both_2BHXD = both.gather(3, slots_BX[None, :, None, :, None].expand(2, -1, heads, -1, dim))

    def join(self, sentences: int) -> None:
        """So many new sentences, which have read nothing yet."""
        if self._both_2BHXD is None:
            return
        if self._moved_B is None:
            self._moved_B = torch.arange(self._both_2BHXD.shape[1], device=self._both_2BHXD.device)
        # What they find in their slots is another sentence's, but none of it is their own.
        self._moved_B = pad(self._moved_B, (0, sentences))

    def _buffer(self, like_NHTD: Tensor) -> Tensor:
        both = self._both_2BHXD
        if both is None:
            _, heads, _, dim = like_NHTD.shape
            both = like_NHTD.new_zeros(2, self.ancestry.sentences, heads, 0, dim)
        elif self._moved_B is not None:
            both = both.index_select(1, self._moved_B)
        self._moved_B = None
        more = self.ancestry.slots - both.shape[3]
        if more > 0:
            # Zeros: slots without weight are still multiplied by it, and what memory held before may not be a number.
            both = pad(both, (0, 0, 0, max(more, both.shape[3], SPARE * self.ancestry.beams)))
        self._both_2BHXD = both
        return both


def _by_slot(each_NHTD: Tensor, slots_BX: Tensor) -> Tensor:
    """(B·W, H, T, D), of which W or T is 1 → (B, X, H, D)."""
    _, heads, _, dim = each_NHTD.shape
    return each_NHTD.transpose(1, 2).reshape(*slots_BX.shape, heads, dim)
