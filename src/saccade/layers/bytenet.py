"""Two stacks of dilated convolutions, the one that writes upon the one that reads (Kalchbrenner et al. 2016).

There is no attention: position t of the target stands on column t of the source, and how far a layer sees doubles from
one block to the next. The time to read and to write is linear in the length.

Shapes: N rows, B sentences, S source words, C columns, T target words, P words of the past, E width.
"""

from collections.abc import Sequence
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from saccade.attention import KeysValues
from saccade.layers.convolution import Convolution, Convolved, Stacked, scaled_linear
from saccade.layers.dropout import Dropout
from saccade.layers.memory import Decoder, Encoded, Encoder, RowMemory, SourceMemory, StepState


class DilatedBlock(nn.Module):
    """x' = x + dropout(W₂ f(conv(f(W₁ f(x))))) with f = relu ∘ norm; inside it is half as wide."""

    def __init__(self, *, dim: int, kernel: int, dilation: int, dropout: float) -> None:
        super().__init__()
        inner = dim // 2
        # After a relu half of the variance is left: a gain of 2 brings it back (He et al. 2015).
        self.narrow = nn.Sequential(
            nn.LayerNorm(dim), nn.ReLU(), scaled_linear(dim, inner, gain=2), nn.LayerNorm(inner), nn.ReLU()
        )
        self.convolution = Convolution(input_dim=inner, output_dim=inner, kernel=kernel, dilation=dilation, gain=2)
        self.widen = nn.Sequential(nn.LayerNorm(inner), nn.ReLU(), scaled_linear(inner, dim, gain=2), Dropout(dropout))

    def forward(self, x_BCE: Tensor, inside_BC1: Tensor) -> Tensor:
        """Centred; what is not inside is zero to the convolution."""
        output: Tensor = x_BCE + self.widen(self.convolution(self.narrow(x_BCE) * inside_BC1))
        return output

    def go_on(self, x_NTE: Tensor, past_NPE: Tensor) -> Convolved:
        """Causal."""
        convolved = self.convolution.go_on(self.narrow(x_NTE), past_NPE)
        return Convolved(x_NTE + self.widen(convolved.states_NTY), convolved.past_NPX)


def dilated_blocks(*, dim: int, sets: int, dilations: int, kernel: int, dropout: float) -> nn.ModuleList:
    """``sets`` times blocks of dilation 1, 2, 4, …, ``dilations`` of them."""
    return nn.ModuleList(
        DilatedBlock(dim=dim, kernel=kernel, dilation=2**power, dropout=dropout)
        for _ in range(sets)
        for power in range(dilations)
    )


class ByteNetEncoder(Encoder):
    """A source of s words becomes ⌈a·s⌉ columns, so that a target that is longer still stands on something.

    Where words end the columns begin with zeros; they learn of the words from their neighbours. Outside of its columns
    a sentence is zero.
    """

    def __init__(
        self, *, dim: int, sets: int, dilations: int, kernel: int, unfold: float, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.unfold = unfold
        self.layers = dilated_blocks(dim=dim, sets=sets, dilations=dilations, kernel=kernel, dropout=dropout)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x_BSE: Tensor, real_BS: Tensor) -> Encoded:
        columns_B = (real_BS.sum(dim=1).double() * self.unfold).ceil()
        columns = int(columns_B.max())
        inside_BC = torch.arange(columns, device=real_BS.device) < columns_B[:, None]
        inside_BC1 = inside_BC[:, :, None].to(x_BSE.dtype)
        states_BCE = pad(x_BSE * real_BS[:, :, None], (0, 0, 0, columns - x_BSE.shape[1]))
        for block in self.layers:
            states_BCE = block(states_BCE, inside_BC1)
        return Encoded(self.norm(states_BCE) * inside_BC1, inside_BC)


class ByteNetDecoder(Decoder[StepState]):
    """Causal blocks upon W [x_t; column_t] + b, where a column beyond the last one is zero.

    A word is chosen from W relu(norm(h_t)) + b, for the last block's h. Between steps each block keeps its last (k−1)·d
    inputs. The columns are kept once for a sentence.
    """

    def __init__(self, *, dim: int, sets: int, dilations: int, kernel: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.begin = scaled_linear(2 * dim, dim)
        self.layers = dilated_blocks(dim=dim, sets=sets, dilations=dilations, kernel=kernel, dropout=dropout)
        self.end = nn.Sequential(nn.LayerNorm(dim), nn.ReLU(), scaled_linear(dim, dim, gain=2), Dropout(dropout))

    def forward(self, x_BTE: Tensor, source: Encoded) -> Tensor:
        missing = x_BTE.shape[1] - source.states_BSE.shape[1]
        columns_BTE = pad(source.states_BSE, (0, 0, 0, missing))  # a negative number cuts off
        return self._write(x_BTE, columns_BTE, self._nothing(x_BTE)).states_NTE

    def start(self, source: Encoded) -> StepState:
        columns_B1CE = source.states_BSE[:, None]
        # Keys of no width: columns are found by their place and not by a likeness.
        columns = KeysValues(columns_B1CE[..., :0], columns_B1CE)
        return StepState(SourceMemory([columns], source.real_BS), RowMemory(self._nothing(source.states_BSE)))

    def step(self, x_N1E: Tensor, state: StepState) -> Tensor:
        state.rows.spread(len(x_N1E))
        written = self._write(x_N1E, _column(state, len(x_N1E)), state.rows.tensors)
        state.rows.grow(written.pasts)
        return written.states_NTE

    def _nothing(self, x_NTE: Tensor) -> list[Tensor]:
        return [cast(DilatedBlock, block).convolution.nothing(x_NTE) for block in self.layers]

    def _write(self, x_NTE: Tensor, columns_NTE: Tensor, pasts: Sequence[Tensor]) -> Stacked:
        states_NTE, ended = self.begin(torch.cat((x_NTE, columns_NTE), dim=-1)), []
        for block, past_NPE in zip(self.layers, pasts, strict=True):
            written = cast(DilatedBlock, block).go_on(states_NTE, past_NPE)
            states_NTE = written.states_NTY
            ended.append(written.past_NPX)
        return Stacked(self.end(states_NTE), tuple(ended))


def _column(state: StepState, rows: int) -> Tensor:
    """Of each row the column on which its next word stands, (N, 1, E). All rows of a sentence are equally long."""
    columns_BCE = state.source.layers[0].values[:, 0]
    sentences, columns, _ = columns_BCE.shape
    place_B = state.positions(sentences)
    sentence_B = torch.arange(sentences, device=place_B.device)
    column_BE = columns_BCE[sentence_B, place_B.clamp(max=columns - 1)] * (place_B < columns)[:, None]
    return column_BE.repeat_interleave(rows // sentences, dim=0)[:, None]
