"""The decoder made of recurrent layers, with or without attention.

Shapes: N rows, B sentences, T words, E width.
"""

from typing import cast

import torch
from torch import Tensor, nn

from saccade.attention import Choose, Keep, KeysValues, Mask, ScoreName
from saccade.layers.attentive import AttentiveRecurrent, FixedRecurrent
from saccade.layers.cells import CELLS, CellName, Memory
from saccade.layers.dropout import Dropout
from saccade.layers.memory import Decoder, Encoded, RowMemory, StepState
from saccade.layers.recurrent import Connected, Connection, Recurrent


class RecurrentDecoder(Decoder[StepState]):
    """The first layer looks at the source; the layers above it get its state and its context (Wu et al. 2016).

    s_0 = tanh(W · what the encoder remembers in the end), for each layer; a word is chosen from
    tanh(W [s_t; c_t; x_t]). Without ``attention`` the context is the encoder's final state, always. Queries and
    keys meet in ``attention_dim`` numbers, or in as many as the states have.
    """

    def __init__(
        self,
        *,
        dim: int,
        layers: int,
        cell: CellName,
        attention: ScoreName | None,
        connection: Connection = "plain",
        dropout: float = 0.0,
        gate: bool = False,
        within: Keep | Choose | None = None,
        attention_dim: int | None = None,
    ) -> None:
        super().__init__()
        self.tensors = CELLS[cell].tensors
        first: AttentiveRecurrent | FixedRecurrent
        if attention is None:
            first = FixedRecurrent(input_dim=dim, source_dim=dim, dim=dim, cell=cell)
        else:
            first = AttentiveRecurrent(
                input_dim=dim,
                source_dim=dim,
                dim=dim,
                attention_dim=attention_dim or dim,
                cell=cell,
                score=attention,
                gate=gate,
                within=within,
            )
        upper = [Recurrent(input_dim=2 * dim, dim=dim, cell=cell) for _ in range(layers - 1)]
        self.layers = nn.ModuleList([first, *upper])
        self.connections = nn.ModuleList(Connected(connection, dim=dim) for _ in upper)
        self.begin = nn.Linear(dim, layers * self.tensors * dim)
        self.end = nn.Linear(3 * dim, dim)
        self.dropout = Dropout(dropout)

    @property
    def first(self) -> AttentiveRecurrent | FixedRecurrent:
        return cast(AttentiveRecurrent | FixedRecurrent, self.layers[0])

    def forward(self, x_BTE: Tensor, source: Encoded) -> Tensor:
        memory = self.first.read(source)
        states_BTE, _ = self._write(x_BTE, memory.layers[0], memory.mask, self._begin(source))
        return states_BTE

    def start(self, source: Encoded) -> StepState:
        return StepState(self.first.read(source), RowMemory(self._begin(source)))

    def step(self, x_N1E: Tensor, state: StepState) -> Tensor:
        state.rows.spread(len(x_N1E))
        states_N1E, memory = self._write(x_N1E, state.source.layers[0], state.source.mask, tuple(state.rows.tensors))
        state.rows.grow(memory)
        return states_N1E

    def _begin(self, source: Encoded) -> Memory:
        return torch.tanh(self.begin(source.final())).chunk(len(self.layers) * self.tensors, dim=-1)

    def _write(self, x_NTE: Tensor, source: KeysValues, mask: Mask, memory: Memory) -> tuple[Tensor, Memory]:
        """The states to choose words from, and what all layers remember after the last of them."""
        own = [memory[i : i + self.tensors] for i in range(0, len(memory), self.tensors)]
        looked = self.first(x_NTE, source, mask, own[0])
        states_NTE, ended = looked.states_NTE, [looked.memory]
        path_NTE = x_NTE
        for layer, connection, started in zip(self.layers[1:], self.connections, own[1:], strict=True):
            path_NTE = connection(path_NTE, states_NTE)
            read = layer(torch.cat((self.dropout(path_NTE), looked.contexts_NTV), dim=-1), started)
            states_NTE = read.states_BTE
            ended.append(read.memory)
        mixed_NTE = self.end(torch.cat((states_NTE, looked.contexts_NTV, x_NTE), dim=-1))
        return self.dropout(torch.tanh(mixed_NTE)), tuple(tensor for one in ended for tensor in one)
