"""Recurrent layers that write with the source in view: all of it at every word, or one vector that stands for it.

Shapes: N rows, B sentences, T words, X width of the input, E of the states, V of the context, G = gates · E.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from saccade.attention import Choose, Keep, KeysValues, Mask, ScoreName, SingleHead
from saccade.layers.cells import CELLS, CellName, Memory
from saccade.layers.late import LateLinear
from saccade.layers.memory import Encoded, SourceMemory
from saccade.layers.precision import all_bits
from saccade.layers.recurrent import Recurrent


@dataclass(frozen=True)
class Looked:
    """After every word: the states (N, T, E), the contexts they were made with (N, T, V), and the last memory."""

    states_NTE: Tensor
    contexts_NTV: Tensor
    memory: Memory


class AttentiveRecurrent(nn.Module):
    """A new context before every word (Bahdanau et al. 2015).

        c_t = Σ_k softmax_k(score(W_Q s_{t−1}, W_K h_k)) · h_k        s_t = cell([x_t; c_t], s_{t−1})

    The context depends on the state and the state on the context, so the words go one after another. What depends on
    neither is done for all words at once: W x of the inputs and W_K h of the keys. What the loop multiplies the state
    with, the cell's U and the query's W_Q, is one matrix, and weights get their gradients once, after the loop.

    With a ``gate`` the context counts more or less, as the state says: c_t ← σ(w · s_{t−1} + b) · c_t (Xu et al. 2015).
    ``within`` listens to the attention as a part of the model.
    """

    def __init__(
        self,
        *,
        input_dim: int,
        source_dim: int,
        dim: int,
        attention_dim: int,
        cell: CellName,
        score: ScoreName,
        gate: bool = False,
        within: Keep | Choose | None = None,
    ) -> None:
        super().__init__()
        self.within = within
        self.cell = CELLS[cell]
        gates = self.cell.gates * dim
        self.input = nn.Linear(input_dim, gates)
        self.context = nn.Linear(source_dim, gates, bias=False)
        self.state = nn.Linear(dim, gates)
        self.cross_attention = SingleHead(query_dim=dim, memory_dim=source_dim, dim=attention_dim, score=score)
        self.gate = nn.Linear(dim, 1) if gate else None
        for layer in (self.input, self.context, self.cross_attention.query):
            nn.init.xavier_uniform_(layer.weight)
        for part in self.state.weight.chunk(self.cell.gates):
            nn.init.orthogonal_(part)
        for layer in (self.input, self.state, self.cross_attention.query):
            nn.init.zeros_(layer.bias)

    def read(self, source: Encoded) -> SourceMemory:
        return SourceMemory([self.cross_attention.keys_values(source.states_BSE)], source.real_BS)

    def forward(self, x_NTX: Tensor, source: KeysValues, mask: Mask, memory: Memory) -> Looked:
        with all_bits(x_NTX, source.keys, source.values, *memory) as (x_NTX, keys, values, *started):
            return self._forward(x_NTX, KeysValues(keys, values), mask, tuple(started))

    def _forward(self, x_NTX: Tensor, source: KeysValues, mask: Mask, memory: Memory) -> Looked:
        attention, gates = self.cross_attention, self.state.out_features
        self._listen()
        query = slice(gates, gates + attention.query.out_features)
        of_state = [self.state, attention.query, *(() if self.gate is None else (self.gate,))]
        from_state = LateLinear(
            torch.cat([layer.weight for layer in of_state]), torch.cat([layer.bias for layer in of_state])
        )
        from_context = LateLinear(self.context.weight)
        states, contexts = [], []
        for input_NG in self.input(x_NTX).unbind(dim=1):
            projected_NX = from_state(memory[0])
            context_NV = attention.look(projected_NX[:, None, query], source, mask=mask)[:, 0]
            if self.gate is not None:
                context_NV = context_NV * torch.sigmoid(projected_NX[:, query.stop :])
            memory = self.cell.go_on(input_NG + from_context(context_NV), projected_NX[:, :gates], memory)
            states.append(memory[0])
            contexts.append(context_NV)
        return Looked(torch.stack(states, dim=1), torch.stack(contexts, dim=1), memory)

    def _listen(self) -> None:
        """Weights are kept in training alone; places are chosen always, but drawn in training alone.

        What nobody has taken since the last time belongs to other words.
        """
        if self.within is not None:
            self.within.clear()
        if isinstance(self.within, Choose):
            self.within.training = self.training
        self.cross_attention.within = self.within if self.training or isinstance(self.within, Choose) else None


class FixedRecurrent(nn.Module):
    """The same context at every word: what is known of the source must pass through one vector, the bottleneck."""

    def __init__(self, *, input_dim: int, source_dim: int, dim: int, cell: CellName) -> None:
        super().__init__()
        self.recurrent = Recurrent(input_dim=input_dim + source_dim, dim=dim, cell=cell)

    def read(self, source: Encoded) -> SourceMemory:
        """The one vector, as a memory of a single key."""
        final_B11E = source.final()[:, None, None]
        return SourceMemory([KeysValues(final_B11E, final_B11E)], source.real_BS[:, :1])

    def forward(self, x_NTX: Tensor, source: KeysValues, _: Mask, memory: Memory) -> Looked:
        context_NE = source.values[:, 0, 0].repeat_interleave(len(x_NTX) // len(source.values), dim=0)
        contexts_NTE = context_NE[:, None].expand(-1, x_NTX.shape[1], -1)
        read = self.recurrent(torch.cat((x_NTX, contexts_NTE), dim=-1), memory)
        return Looked(read.states_BTE, contexts_NTE, read.memory)
