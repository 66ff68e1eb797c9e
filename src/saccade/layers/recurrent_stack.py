"""Recurrent layers that write a text without looking at anything: all they know of it is in their last memory.

Shapes: B texts, N rows, T words, E width.
"""

from typing import cast

from torch import Tensor, nn

from saccade.layers.cells import CellName
from saccade.layers.dropout import Dropout
from saccade.layers.memory import RowMemory, Stack
from saccade.layers.recurrent import Recurrent


class RecurrentStack(Stack[RowMemory]):
    """h_t = cell(x_t, h_{t−1}) in every layer, with dropout between them."""

    def __init__(self, *, dim: int, layers: int, cell: CellName, dropout: float = 0.0) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Recurrent(input_dim=dim, dim=dim, cell=cell) for _ in range(layers))
        self.dropout = Dropout(dropout)

    def forward(self, x_BTE: Tensor) -> Tensor:
        return self.step(x_BTE, self.start(len(x_BTE)))

    def start(self, sentences: int) -> RowMemory:
        like = next(self.parameters()).new_zeros(sentences, 1)
        return RowMemory([one for layer in self.layers for one in cast(Recurrent, layer).nothing(like)])

    def step(self, x_NTE: Tensor, state: RowMemory) -> Tensor:
        state.spread(len(x_NTE))
        ended: list[Tensor] = []
        for number, layer in enumerate(self.layers):
            width = cast(Recurrent, layer).cell.tensors
            begun = tuple(state.tensors[number * width : (number + 1) * width])
            read = layer(self.dropout(x_NTE) if number else x_NTE, begun)
            x_NTE = read.states_BTE
            ended += read.memory
        state.grow(ended, tokens=x_NTE.shape[1])
        states_NTE: Tensor = self.dropout(x_NTE)
        return states_NTE
