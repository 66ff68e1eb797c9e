"""Gated convolutions that read and write, with attention in every layer that writes (Gehring et al. 2017).

Embedded words start with standard deviation 0.1. Numbers so small leave a gate σ(g) near ½, which takes away three
quarters of the variance; weights before a gate therefore start with variance 4(1 − p)/n for n inputs and dropout p.
Sums are made as √½ · (a + b). So the variance stays what it is, however many layers there are. That is what stands here
for the paper's weight normalisation; nor is the encoder's gradient divided by the number of attentions.

Shapes: N rows, B sentences, S source words, T target words, P words of the past, E width.
"""

import math
from collections.abc import Sequence
from typing import cast

from torch import Tensor, nn
from torch.nn.functional import glu

from saccade.attention import KeysValues, Mask, ScoreName, SingleHead
from saccade.layers.convolution import Convolution, Convolved, Stacked, scaled_linear
from saccade.layers.dropout import Dropout
from saccade.layers.memory import Decoder, Encoded, Encoder, RowMemory, SourceMemory, StepState

EMBEDDED = 0.1  # of embedded words that come with unit variance


def halved(one: Tensor, other: Tensor) -> Tensor:
    """√½ · (one + other): the sum of two independent parts of equal variance, with the variance of one."""
    return (one + other) * math.sqrt(0.5)


class GatedBlock(nn.Module):
    """x'_t = √½ · (x_t + a_t ⊙ σ(g_t)) with [a; g] = conv(dropout(x)): the gate lets through what matters."""

    def __init__(self, *, dim: int, kernel: int, dropout: float) -> None:
        super().__init__()
        self.convolution = Convolution(input_dim=dim, output_dim=2 * dim, kernel=kernel, gain=4 * (1 - dropout))
        self.dropout = Dropout(dropout)

    def forward(self, x_BSE: Tensor, real_BS1: Tensor) -> Tensor:
        """Centred; what is not real is zero to the convolution, as if the sentence ended before it."""
        return halved(x_BSE, glu(self.convolution(self.dropout(x_BSE) * real_BS1)))

    def go_on(self, x_NTE: Tensor, past_NPE: Tensor) -> Convolved:
        """Causal."""
        convolved = self.convolution.go_on(self.dropout(x_NTE), past_NPE)
        return Convolved(halved(x_NTE, glu(convolved.states_NTY)), convolved.past_NPX)


class LookingBlock(nn.Module):
    """A gated block, then a look at the source with what it wrote and the word it stands on.

    h = gated(x)    d_t = √½ · (W h_t + b + g_t)    c_t = Σ_j softmax_j(score(d_t, z_j)) · v_j    x' = √½ · (h + c)

    g is the embedded target, z the encoder's states, v its values.
    """

    def __init__(self, *, dim: int, kernel: int, score: ScoreName, dropout: float) -> None:
        super().__init__()
        self.gated = GatedBlock(dim=dim, kernel=kernel, dropout=dropout)
        self.cross_attention = SingleHead(query_dim=dim, memory_dim=None, dim=dim, score=score)
        self.cross_attention.query = scaled_linear(dim, dim)

    def forward(
        self, x_NTE: Tensor, embedded_NTE: Tensor, source: KeysValues, mask: Mask, past_NPE: Tensor
    ) -> Convolved:
        gated = self.gated.go_on(x_NTE, past_NPE)
        query_NTE = halved(self.cross_attention.query(gated.states_NTY), embedded_NTE)
        context_NTE = self.cross_attention.look(query_NTE, source, mask=mask)
        return Convolved(halved(gated.states_NTY, context_NTE), gated.past_NPX)


class ConvSeq2SeqEncoder(Encoder):
    """L gated blocks of width k: each state sees (k−1)·L + 1 words.

    The keys are the states z, the values v_j = √m · √½ · (z_j + e_j): what a word means among its neighbours, and what
    it is by itself. A mean of m independent vectors has 1/m of their variance, which √m undoes, for m real words.
    """

    def __init__(self, *, dim: int, layers: int, kernel: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.begin = scaled_linear(dim, dim, gain=1 - dropout)
        self.layers = nn.ModuleList(GatedBlock(dim=dim, kernel=kernel, dropout=dropout) for _ in range(layers))
        self.end = scaled_linear(dim, dim)

    def forward(self, x_BSE: Tensor, real_BS: Tensor) -> Encoded:
        real_BS1 = real_BS[:, :, None].to(x_BSE.dtype)
        x_BSE = EMBEDDED * x_BSE
        states_BSE = self.begin(x_BSE)
        for block in self.layers:
            states_BSE = block(states_BSE, real_BS1)
        states_BSE = self.end(states_BSE)
        values_BSE = real_BS1.sum(dim=1, keepdim=True).sqrt() * halved(states_BSE, x_BSE)
        return Encoded(states_BSE, real_BS, values_BSE=values_BSE)


class ConvSeq2SeqDecoder(Decoder[StepState]):
    """L causal blocks of width k, each with its own attention; between steps each keeps its last k − 1 inputs."""

    def __init__(self, *, dim: int, layers: int, kernel: int, score: ScoreName, dropout: float = 0.0) -> None:
        super().__init__()
        self.begin = scaled_linear(dim, dim, gain=1 - dropout)
        self.layers = nn.ModuleList(
            LookingBlock(dim=dim, kernel=kernel, score=score, dropout=dropout) for _ in range(layers)
        )
        self.end = scaled_linear(dim, dim)
        self.dropout = Dropout(dropout)

    def forward(self, x_BTE: Tensor, source: Encoded) -> Tensor:
        return self._write(x_BTE, self._read(source), source.mask, self._nothing(x_BTE)).states_NTE

    def start(self, source: Encoded) -> StepState:
        return StepState(
            SourceMemory([self._read(source)], source.real_BS), RowMemory(self._nothing(source.states_BSE))
        )

    def step(self, x_N1E: Tensor, state: StepState) -> Tensor:
        state.rows.spread(len(x_N1E))
        written = self._write(x_N1E, state.source.layers[0], state.source.mask, state.rows.tensors)
        state.rows.grow(written.pasts)
        return written.states_NTE

    @property
    def _blocks(self) -> list[LookingBlock]:
        return [cast(LookingBlock, block) for block in self.layers]

    def _read(self, source: Encoded) -> KeysValues:
        """All layers look at the same keys and values: only their queries are their own."""
        return self._blocks[0].cross_attention.keys_values(source.states_BSE, source.values_BSE)

    def _nothing(self, x_NTE: Tensor) -> list[Tensor]:
        return [block.gated.convolution.nothing(x_NTE) for block in self._blocks]

    def _write(self, x_NTE: Tensor, source: KeysValues, mask: Mask, pasts: Sequence[Tensor]) -> Stacked:
        x_NTE = EMBEDDED * x_NTE
        states_NTE, ended = self.begin(x_NTE), []
        for block, past_NPE in zip(self.layers, pasts, strict=True):
            written = block(states_NTE, x_NTE, source, mask, past_NPE)
            states_NTE = written.states_NTY
            ended.append(written.past_NPX)
        return Stacked(self.dropout(self.end(states_NTE)), tuple(ended))
