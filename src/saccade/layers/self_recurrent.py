"""Recurrent layers that look back at their own past states: self-attention inside an RNN.

A recurrent layer carries all it has read in its last memory. Here every word looks at the memories of all words before
it, and their weighted sum takes the place of the last one:

    m̃_t = Σ_{i<t} softmax_i(score(q_t, W_K h_i)) · m_i        m_t = cell(x_t, m̃_t)

- **simple** cell, the query is made of the last state, q_t = W_Q h_{t−1}: the RNN with self-attention,
  h_t = tanh(A·[x_t; c_{t−1}] + b);
- **lstm** cell, the query is made of the word and of what the last word saw, q_t = W_x x_t + W_h̃ h̃_{t−1}: the LSTMN
  (Cheng et al. 2016), which sums up the cells c_i with the same weights as the states h_i.

The first word has nothing to look at: no keys, and a summary of zeros. Padding follows the words and nobody looks
ahead, so that no real word ever sees it.

Shapes: N rows, T words, K earlier words, X width of the input, E of the states, V = E times the tensors of the memory,
D width of the attention, G = gates · E.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, cast

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from saccade.attention import EVERYWHERE, KeysValues, Mask, ScoreName, SingleHead
from saccade.layers.cells import CELLS, CellName
from saccade.layers.dropout import Dropout
from saccade.layers.growing import Growing
from saccade.layers.late import LateLinear
from saccade.layers.memory import Encoded, Encoder, RowMemory, Stack
from saccade.layers.precision import all_bits

QuerySource = Literal["state", "word"]


@dataclass(frozen=True)
class Past:
    """What a layer keeps of earlier words: the key and the memory of each, and what the next query takes from the last.

    ``keys_NKD`` are W_K h_i and ``values_NKV`` m_i; ``asked_ND`` is W_Q h_{t−1}, or W_h̃ h̃_{t−1}. ``real_NK`` says which
    words a row has really read, where rows of different age stand side by side; None: all.
    """

    keys_NKD: Tensor
    values_NKV: Tensor
    asked_ND: Tensor
    real_NK: Tensor | None = None


@dataclass(frozen=True)
class LookedBack:
    """The states after every word, and what is kept of these words, as in ``Past``."""

    states_NTE: Tensor
    keys_NTD: Tensor
    values_NTV: Tensor
    asked_ND: Tensor


class SelfRecurrent(nn.Module):
    """One layer: ``query`` says what the query is made of, the last ``state`` or the ``word`` that is read.

    The words go one after another. What needs no state is done for all words at once; W_K is applied once to each
    state; and what the loop multiplies one vector with is one matrix, whose gradient comes once, after the loop.
    """

    def __init__(self, *, input_dim: int, dim: int, cell: CellName, query: QuerySource, score: ScoreName) -> None:
        super().__init__()
        self.cell = CELLS[cell]
        self.dim = dim
        self.query: QuerySource = query
        self.input = nn.Linear(input_dim, self.cell.gates * dim)
        self.summary = nn.Linear(dim, self.cell.gates * dim, bias=False)
        query_dim = dim if query == "state" else input_dim + dim
        self.self_attention = SingleHead(query_dim=query_dim, memory_dim=dim, dim=dim, score=score)
        for layer in (self.input, self.self_attention.query):
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)
        for part in self.summary.weight.chunk(self.cell.gates):
            nn.init.orthogonal_(part)

    def nothing(self, rows: int) -> Past:
        """The past before the first word."""
        like, values = self.input.weight, self.dim * self.cell.tensors
        return Past(like.new_zeros(rows, 0, self.dim), like.new_zeros(rows, 0, values), like.new_zeros(rows, self.dim))

    def forward(self, x_NTX: Tensor, past: Past) -> LookedBack:
        with all_bits(x_NTX) as (x_NTX,):
            return self._forward(x_NTX, past)

    def _forward(self, x_NTX: Tensor, past: Past) -> LookedBack:
        asking, gates = self.self_attention.query, self.summary.out_features
        key = cast(nn.Linear, self.self_attention.key)
        if self.query == "word":
            from_word, from_last = asking.weight[:, : -self.dim], asking.weight[:, -self.dim :]
            words_NTG = nn.functional.linear(
                x_NTX, torch.cat((self.input.weight, from_word)), torch.cat((self.input.bias, asking.bias))
            )
            from_summary = LateLinear(torch.cat((self.summary.weight, from_last)))
            from_state = LateLinear(key.weight)
        else:
            words_NTG = self.input(x_NTX)
            from_summary = LateLinear(self.summary.weight)
            from_state = LateLinear(torch.cat((key.weight, asking.weight)))

        keys, values = (Growing(one, steps=x_NTX.shape[1]) for one in (past.keys_NKD, past.values_NKV))
        asked_ND, states = past.asked_ND, []
        for t, word_NG in enumerate(words_NTG.unbind(dim=1)):
            query_ND = asked_ND + (word_NG[:, gates:] if self.query == "word" else asking.bias)
            seen = KeysValues(keys.seen()[:, None], values.seen()[:, None])
            mask = EVERYWHERE if past.real_NK is None else Mask(keys_BK=pad(past.real_NK, (0, t), value=True))
            summary_NV = self.self_attention.look(query_ND[:, None], seen, mask=mask)[:, 0]
            summary = summary_NV.chunk(self.cell.tensors, dim=-1)
            summed_NG = from_summary(summary[0])
            memory = self.cell.go_on(word_NG[:, :gates], summed_NG[:, :gates], summary)
            key_ND = from_state(memory[0])
            asked_ND = summed_NG[:, gates:] if self.query == "word" else key_ND[:, self.dim :]
            keys.add(key_ND[:, : self.dim])
            values.add(torch.cat(memory, dim=-1))
            states.append(memory[0])
        earlier = past.keys_NKD.shape[1]
        return LookedBack(torch.stack(states, dim=1), keys.seen()[:, earlier:], values.seen()[:, earlier:], asked_ND)


def _layers(*, dim: int, layers: int, cell: CellName, query: QuerySource, score: ScoreName) -> nn.ModuleList:
    return nn.ModuleList(
        SelfRecurrent(input_dim=dim, dim=dim, cell=cell, query=query, score=score) for _ in range(layers)
    )


def _read(layers: Iterable[nn.Module], x_BTE: Tensor, dropout: Dropout) -> Tensor:
    """Whole texts through all layers, with dropout between them."""
    for number, module in enumerate(layers):
        layer = cast(SelfRecurrent, module)
        x_BTE = layer(dropout(x_BTE) if number else x_BTE, layer.nothing(len(x_BTE))).states_NTE
    return x_BTE


class SelfRecurrentEncoder(Encoder):
    """A stack of such layers over the source; all of them read forwards."""

    def __init__(
        self, *, dim: int, layers: int, cell: CellName, query: QuerySource, score: ScoreName, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.layers = _layers(dim=dim, layers=layers, cell=cell, query=query, score=score)
        self.dropout = Dropout(dropout)

    def forward(self, x_BSE: Tensor, real_BS: Tensor) -> Encoded:
        states_BSE = _read(self.layers, x_BSE, self.dropout)
        sentence_B = torch.arange(len(x_BSE), device=x_BSE.device)
        return Encoded(self.dropout(states_BSE), real_BS, final_BE=states_BSE[sentence_B, real_BS.sum(dim=1) - 1])


class SelfRecurrentStack(Stack[RowMemory]):
    """A stack of such layers that writes: each word is chosen from a state that looked back at all words before it."""

    def __init__(
        self, *, dim: int, layers: int, cell: CellName, query: QuerySource, score: ScoreName, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.layers = _layers(dim=dim, layers=layers, cell=cell, query=query, score=score)
        self.dropout = Dropout(dropout)

    def forward(self, x_BTE: Tensor) -> Tensor:
        states_BTE: Tensor = self.dropout(_read(self.layers, x_BTE, self.dropout))
        return states_BTE

    def start(self, sentences: int) -> RowMemory:
        pasts = [cast(SelfRecurrent, layer).nothing(sentences) for layer in self.layers]
        return RowMemory([tensor for past in pasts for tensor in (past.keys_NKD, past.values_NKV, past.asked_ND)])

    def step(self, x_NTE: Tensor, state: RowMemory) -> Tensor:
        state.spread(len(x_NTE))
        ages_N = state.positions(len(x_NTE))
        oldest = int(ages_N.max())
        position_K = torch.arange(oldest, device=ages_N.device)
        real_NK = None if bool((ages_N == oldest).all()) else position_K < ages_N[:, None]
        kept = []
        for number, layer in enumerate(self.layers):
            keys_NKD, values_NKV, asked_ND = state.tensors[3 * number : 3 * number + 3]
            # Where older texts have left, what they read is padding that nobody needs.
            past = Past(keys_NKD[:, :oldest], values_NKV[:, :oldest], asked_ND, real_NK)
            looked = layer(self.dropout(x_NTE) if number else x_NTE, past)
            kept += [
                _placed(past.keys_NKD, looked.keys_NTD, ages_N),
                _placed(past.values_NKV, looked.values_NTV, ages_N),
                looked.asked_ND,
            ]
            x_NTE = looked.states_NTE
        state.grow(kept, tokens=x_NTE.shape[1])
        states_NTE: Tensor = self.dropout(x_NTE)
        return states_NTE


def _placed(earlier_NKX: Tensor, newest_NTX: Tensor, ages_N: Tensor) -> Tensor:
    """Each row's newest vectors behind those that the row itself has read, (N, K + T, X)."""
    tokens = newest_NTX.shape[1]
    place_NT = ages_N[:, None] + torch.arange(tokens, device=ages_N.device)
    return pad(earlier_NKX, (0, 0, 0, tokens)).scatter(1, place_NT[..., None].expand_as(newest_NTX), newest_NTX)
