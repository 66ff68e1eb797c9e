"""Recurrent layers over whole sequences, and the encoders made of them.

torch's own kernels run the recurrence, so there is no loop over words here. Padding follows the words: a layer that
reads forwards never sees it, and one that reads backwards gets each sentence turned round within its own length.

Shapes: B sentences, T words, X width of the input, E width of the states.
"""

from dataclasses import dataclass
from typing import Literal, cast

import torch
from torch import Tensor, nn

from saccade.layers.cells import CELLS, CellName, Memory
from saccade.layers.dropout import Dropout
from saccade.layers.memory import Encoded, Encoder
from saccade.layers.precision import all_bits

Directions = Literal["one", "both", "first", "alternating"]
Connection = Literal["plain", "residual", "fast-forward"]

_KERNELS: dict[CellName, type[nn.RNN | nn.GRU | nn.LSTM]] = {"simple": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}


@dataclass(frozen=True)
class Recurred:
    """The states after every word, and the memory after the last one, padding included."""

    states_BTE: Tensor
    memory: Memory


class Recurrent(nn.Module):
    """h_t = cell(x_t, h_{t−1}) for all t: (B, T, X) → (B, T, E)."""

    def __init__(self, *, input_dim: int, dim: int, cell: CellName) -> None:
        super().__init__()
        self.cell = CELLS[cell]
        self.kernel = _KERNELS[cell](input_dim, dim, batch_first=True)
        for name, parameter in self.kernel.named_parameters():
            if "weight_hh" in name:
                for part in parameter.chunk(self.cell.gates):
                    nn.init.orthogonal_(part)
            elif "weight_ih" in name:
                nn.init.xavier_uniform_(parameter)
            else:
                nn.init.zeros_(parameter)

    def forward(self, x_BTX: Tensor, memory: Memory) -> Recurred:
        """Goes on from ``memory``, one (B, E) for each tensor of the cell."""
        with all_bits(x_BTX, *(one[None] for one in memory)) as (x_BTX, *started):
            states_BTE, ended = self.kernel(x_BTX, tuple(started) if len(started) > 1 else started[0])
        return Recurred(states_BTE, tuple(one[0] for one in (ended if isinstance(ended, tuple) else (ended,))))

    def nothing(self, x_BTX: Tensor) -> Memory:
        """The memory before the first word."""
        return (x_BTX.new_zeros(len(x_BTX), self.kernel.hidden_size),) * self.cell.tensors


class Directed(nn.Module):
    """A recurrent layer that reads forwards, backwards, or with half of its width in each direction."""

    def __init__(self, *, input_dim: int, dim: int, cell: CellName, forwards: bool, backwards: bool) -> None:
        super().__init__()
        width = dim // (forwards + backwards)
        self.forwards = Recurrent(input_dim=input_dim, dim=width, cell=cell) if forwards else None
        self.backwards = Recurrent(input_dim=input_dim, dim=width, cell=cell) if backwards else None

    def forward(self, x_BTX: Tensor, lengths_B: Tensor) -> Tensor:
        states = []
        if self.forwards is not None:
            states.append(self.forwards(x_BTX, self.forwards.nothing(x_BTX)).states_BTE)
        if self.backwards is not None:
            turned_BTX = turn_round(x_BTX, lengths_B)
            read = self.backwards(turned_BTX, self.backwards.nothing(x_BTX))
            states.append(turn_round(read.states_BTE, lengths_B))
        return torch.cat(states, dim=-1) if len(states) > 1 else states[0]

    def final(self, states_BTE: Tensor, lengths_B: Tensor) -> Tensor:
        """What each direction remembers when it has read everything, (B, E)."""
        last_BE = states_BTE[torch.arange(len(lengths_B), device=lengths_B.device), lengths_B - 1]
        first_BE = states_BTE[:, 0]
        if self.backwards is None:
            return last_BE
        if self.forwards is None:
            return first_BE
        half = states_BTE.shape[-1] // 2
        return torch.cat((last_BE[:, :half], first_BE[:, half:]), dim=-1)


def turn_round(x_BTX: Tensor, lengths_B: Tensor) -> Tensor:
    """Each sentence from its last word to its first; padding stays where it is."""
    position_BT = torch.arange(x_BTX.shape[1], device=x_BTX.device).expand(len(x_BTX), -1)
    turned_BT = lengths_B[:, None] - 1 - position_BT
    index_BT = torch.where(turned_BT >= 0, turned_BT, position_BT)
    return x_BTX.gather(1, index_BT[:, :, None].expand_as(x_BTX))


class Connected(nn.Module):
    """How one layer of a stack follows another.

    plain: x' = h · residual: x' = x + h (He et al. 2016) · fast-forward: x' = W [x; h], a linear path past the
    recurrences (Zhou et al. 2016).
    """

    def __init__(self, connection: Connection, *, dim: int) -> None:
        super().__init__()
        self.connection: Connection = connection
        self.mix = nn.Linear(2 * dim, dim, bias=False) if connection == "fast-forward" else nn.Identity()

    def forward(self, x_BTE: Tensor, h_BTE: Tensor) -> Tensor:
        if self.connection == "plain":
            return h_BTE
        if self.connection == "residual":
            return x_BTE + h_BTE
        mixed: Tensor = self.mix(torch.cat((x_BTE, h_BTE), dim=-1))
        return mixed


class RecurrentEncoder(Encoder):
    """A stack of recurrent layers over the source.

    ``directions``: every layer reads forwards (one), both ways (both), only the first both ways (first, as in GNMT), or
    forwards and backwards in turn (alternating, as in Deep-Att).
    """

    def __init__(
        self,
        *,
        dim: int,
        layers: int,
        cell: CellName,
        directions: Directions,
        connection: Connection = "plain",
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            Directed(
                input_dim=dim,
                dim=dim,
                cell=cell,
                forwards=directions != "alternating" or number % 2 == 0,
                backwards=directions == "both"
                or (directions == "first" and number == 0)
                or (directions == "alternating" and number % 2 == 1),
            )
            for number in range(layers)
        )
        self.connections = nn.ModuleList(Connected(connection, dim=dim) for _ in range(layers - 1))
        self.dropout = Dropout(dropout)

    def forward(self, x_BSE: Tensor, real_BS: Tensor) -> Encoded:
        lengths_B = real_BS.sum(dim=1)
        states_BSE = self.layers[0](x_BSE, lengths_B)
        for layer, connection in zip(self.layers[1:], self.connections, strict=True):
            x_BSE = connection(x_BSE, states_BSE)
            states_BSE = layer(self.dropout(x_BSE), lengths_B)
        final_BE = cast(Directed, self.layers[-1]).final(states_BSE, lengths_B)
        return Encoded(self.dropout(states_BSE), real_BS, final_BE=final_BE)
