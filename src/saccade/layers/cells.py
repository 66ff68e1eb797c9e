"""Recurrent cells: how a state goes on from what it reads.

Every cell adds what comes from its input, i = W x + b, to what comes from its state, s = U h + b:

- **simple** (Elman 1990): h' = tanh(i + s), which is tanh(A·[x; h] + b) of the lectures;
- **gru** (Cho et al. 2014): r, z = σ(i + s), n = tanh(i + r ⊙ s), h' = (1 − z) ⊙ n + z ⊙ h;
- **lstm** (Hochreiter & Schmidhuber 1997): i, f, o = σ(i + s), g = tanh(i + s), c' = f ⊙ c + i ⊙ g, h' = o ⊙ tanh(c').

Shapes: N rows, E width of the state, G = gates · E.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

CellName = Literal["simple", "gru", "lstm"]
Memory = tuple[Tensor, ...]
"""The state h (N, E), and of an LSTM the cell c (N, E) as well."""


@dataclass(frozen=True)
class Cell:
    """``gates`` times the width are computed from input and state; ``tensors`` make up its memory."""

    gates: int
    tensors: int
    go_on: Callable[[Tensor, Tensor, Memory], Memory]


def _simple(input_NG: Tensor, state_NG: Tensor, _: Memory) -> Memory:
    return (torch.tanh(input_NG + state_NG),)


def _gru(input_NG: Tensor, state_NG: Tensor, memory: Memory) -> Memory:
    (h_NE,) = memory
    width = h_NE.shape[1]
    r_NE, z_NE = torch.sigmoid(input_NG[:, : 2 * width] + state_NG[:, : 2 * width]).chunk(2, dim=1)
    n_NE = torch.tanh(torch.addcmul(input_NG[:, 2 * width :], r_NE, state_NG[:, 2 * width :]))
    return (torch.lerp(n_NE, h_NE, z_NE),)


def _lstm(input_NG: Tensor, state_NG: Tensor, memory: Memory) -> Memory:
    """The three gates lie beside each other, so that one call of the sigmoid makes them all."""
    _, c_NE = memory
    gates_NG = input_NG + state_NG
    width = c_NE.shape[1]
    i_NE, f_NE, o_NE = torch.sigmoid(gates_NG[:, : 3 * width]).chunk(3, dim=1)
    c_NE = torch.addcmul(f_NE * c_NE, i_NE, torch.tanh(gates_NG[:, 3 * width :]))
    return o_NE * torch.tanh(c_NE), c_NE


CELLS: dict[CellName, Cell] = {"simple": Cell(1, 1, _simple), "gru": Cell(3, 1, _gru), "lstm": Cell(4, 2, _lstm)}
