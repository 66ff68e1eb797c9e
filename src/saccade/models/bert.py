"""BERT (Devlin et al. 2019): an encoder that reads both ways, and what is put on top of it.

All of them have the same body under the same names (``embedding``, ``encoder``), so that one is begun with another's
weights; the heads are what differs. Shapes: B texts, T tokens, N chosen tokens, E width, D width of what is read of
the layers, V vocabulary, L labels.
"""

from dataclasses import dataclass
from typing import ClassVar, Self

import torch
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity, gelu, normalize

from saccade.layers import BertEmbedding, Dropout, RecurrentEncoder, TransformerEncoder, vocabulary_loss
from saccade.layers.blocks import BlockShape
from saccade.models.bert_options import BertOptions
from saccade.models.layer_choice import LayerChoice
from saccade.models.registry import Vocabulary

INIT = 0.02  # the paper's standard deviation of fresh weights


@dataclass(frozen=True)
class Reading:
    """Padded tokens: [CLS] A [SEP] or [CLS] A [SEP] B [SEP], to which of the two each belongs, and which are real.

    ``positions_BT`` and ``pairs_BTT``, who may look at whom, are said where they are not as usual.
    """

    tokens_BT: Tensor
    segments_BT: Tensor
    real_BT: Tensor
    positions_BT: Tensor | None = None
    pairs_BTT: Tensor | None = None

    def of(self, segment: int) -> Tensor:
        """Which tokens are of the first text, or of the second, (B, T)."""
        return self.real_BT & (self.segments_BT == segment)

    def apart(self) -> "Reading":
        """The same texts, of which neither knows of the other: each as if it stood there alone.

        The second stands where the first stands, behind a [CLS] that it has not.
        """
        position_T = torch.arange(self.tokens_BT.shape[1], device=self.tokens_BT.device)
        before_B1 = self.of(0).sum(dim=1, keepdim=True) - 1
        return Reading(
            self.tokens_BT,
            torch.zeros_like(self.segments_BT),
            self.real_BT,
            position_T - self.segments_BT * before_B1,
            self.segments_BT[:, :, None] == self.segments_BT[:, None, :],
        )


class Bert(nn.Module):
    """The body: every token's state knows all tokens of its text."""

    HEADS: ClassVar[tuple[str, ...]] = ("pooler", "words", "next", "labels", "recurrent")
    """What may be new or left out when one is begun with another's weights."""

    def __init__(self, options: BertOptions, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.embedding = BertEmbedding(
            vocab_size=vocabulary.source,
            dim=options.dim,
            max_length=options.max_length,
            dropout=options.dropout,
            eps=options.eps,
        )
        shape = BlockShape(
            dim=options.dim,
            heads=options.heads,
            ff_dim=options.ff_dim,
            dropout=options.dropout,
            attention_dropout=options.attention_dropout,
            norm="post",
            activation="gelu",
            eps=options.eps,
        )
        self.encoder = TransformerEncoder(shape, layers=options.layers)
        self.dim = options.dim
        self.pad_id = vocabulary.pad_id

    @property
    def max_length(self) -> int:
        """How many tokens the positions allow, marks included."""
        return int(self.embedding.positions.max_length or 0)

    def forward(self, reading: Reading) -> Tensor:
        """The last states, (B, T, E)."""
        return self.states(reading)[-1]

    def states(self, reading: Reading) -> list[Tensor]:
        """What goes into the first layer and what comes out of each, (B, T, E)."""
        embedded_BTE = self.embedding(reading.tokens_BT, reading.segments_BT, reading.positions_BT)
        return [embedded_BTE, *self.encoder.states(embedded_BTE, reading.real_BT, reading.pairs_BTT)]


class Pooler(nn.Module):
    """tanh(W · state of [CLS] + b): the text as one vector; (B, T, D) → (B, E)."""

    def __init__(self, width: int, dim: int) -> None:
        super().__init__()
        self.dense = nn.Linear(width, dim)

    def forward(self, states_BTD: Tensor) -> Tensor:
        return torch.tanh(self.dense(states_BTD[:, 0]))


class MaskedWords(nn.Module):
    """logits = E · norm(gelu(W h + b)) + c, with the embedding matrix E of the body."""

    def __init__(self, tokens: nn.Embedding, *, eps: float) -> None:
        super().__init__()
        vocab_size, dim = tokens.weight.shape
        self.dense = nn.Linear(dim, dim)
        self.norm = nn.LayerNorm(dim, eps=eps)
        self.bias = nn.Parameter(torch.zeros(vocab_size))
        self.tokens = tokens

    def forward(self, states_NE: Tensor) -> Tensor:
        """(N, V)."""
        return self.changed(states_NE) @ self.tokens.weight.t() + self.bias

    def loss(self, states_NE: Tensor, tokens_N: Tensor) -> Tensor:
        """Σ −log p(token). The bias is one more column of the matrix, for a state that ends with 1."""
        states = torch.cat((self.changed(states_NE), states_NE.new_ones(len(states_NE), 1)), dim=1)
        weight = torch.cat((self.tokens.weight, self.bias[:, None]), dim=1)
        return vocabulary_loss(states, weight, tokens_N, label_smoothing=0.0)

    def changed(self, states_NE: Tensor) -> Tensor:
        changed: Tensor = self.norm(gelu(self.dense(states_NE)))
        return changed


class MaskedBert(Bert):
    """As it is pretrained: finds masked words, and says whether the second text follows the first."""

    def __init__(self, options: BertOptions, vocabulary: Vocabulary) -> None:
        super().__init__(options, vocabulary)
        self.pooler = Pooler(options.dim, options.dim)
        self.words = MaskedWords(self.embedding.tokens, eps=options.eps)
        self.next = nn.Linear(options.dim, 2)
        initialise(self)


class BertClassifier(Bert):
    """One answer for a text or a pair: scores of labels, or one number where there is one label only.

    It reads the states of any layers. ``compares``: the texts of a pair become a vector each, and these are compared:

        scores = W [u; v; |u − v|; u ⊙ v] + b        u, v = √D · the direction of the mean of each text's states

    so that D times their cosine is the sum of u ⊙ v. ``apart``: each text is read for itself (Reimers and Gurevych
    2019, "Sentence-BERT"), so that this cosine says much already, and the head can begin with a line through it.
    """

    def __init__(self, options: BertOptions, vocabulary: Vocabulary) -> None:
        super().__init__(options, vocabulary)
        self.read = LayerChoice.parse(options.read, options.combine)
        self.width = self.read.width(options.dim, options.layers + 1)
        self.pooler = Pooler(self.width, options.dim) if options.pool == "first" else None
        self.compares = options.pool in ("both", "apart")
        self.apart = options.pool == "apart"
        self.dropout = Dropout(options.dropout)
        pooled = {"first": options.dim, "mean": self.width}.get(options.pool, 4 * self.width)
        self.labels = nn.Linear(pooled, vocabulary.labels)
        initialise(self)

    def states(self, reading: Reading) -> list[Tensor]:
        return super().states(reading.apart() if self.apart else reading)

    def scores(self, reading: Reading) -> Tensor:
        """(B, L)."""
        scores_BL: Tensor = self.labels(self.dropout(self._text(reading)))
        return scores_BL

    def cosines(self, reading: Reading) -> Tensor:
        """(B,): of the two texts."""
        u_BD, v_BD = self._directions(reading)
        return cosine_similarity(u_BD, v_BD, dim=-1)

    @torch.no_grad()
    def say_line(self, *, slope: float, intercept: float) -> None:
        """The head says slope · cosine + intercept, and nothing else of the texts."""
        self.labels.weight.zero_()[:, -self.width :] = slope / self.width
        self.labels.bias.fill_(intercept)

    def _text(self, reading: Reading) -> Tensor:
        """One vector for each text or pair: (B, E) of the first token, (B, D) of the mean, (B, 4D) compared."""
        if self.compares:
            u_BD, v_BD = self._directions(reading)
            return torch.cat((u_BD, v_BD, (u_BD - v_BD).abs(), u_BD * v_BD), dim=-1)
        states_BTD = self.read.of(self.states(reading))
        if self.pooler is not None:
            pooled_BE: Tensor = self.pooler(states_BTD)
            return pooled_BE
        return mean_where(states_BTD, reading.real_BT)

    def _directions(self, reading: Reading) -> list[Tensor]:
        """u and v, (B, D) each."""
        states_BTD = self.read.of(self.states(reading))
        means = (mean_where(states_BTD, reading.of(text)) for text in (0, 1))
        return [self.width**0.5 * normalize(mean_BD, dim=-1) for mean_BD in means]


class RecurrentHead(nn.Module):
    """Two LSTM layers in both directions over features: (B, T, D) → (B, T, E)."""

    def __init__(self, width: int, *, dim: int, dropout: float) -> None:
        super().__init__()
        self.narrow = nn.Linear(width, dim)
        self.encoder = RecurrentEncoder(dim=dim, layers=2, cell="lstm", directions="both", dropout=dropout)

    def forward(self, x_BTD: Tensor, real_BT: Tensor) -> Tensor:
        states_BTE: Tensor = self.encoder(self.narrow(x_BTD), real_BT).states_BSE
        return states_BTE


class BertTagger(Bert):
    """One answer for every token, from the states of any layers; the body may stay as it is, as a maker of features."""

    def __init__(self, options: BertOptions, vocabulary: Vocabulary) -> None:
        super().__init__(options, vocabulary)
        self.read = LayerChoice.parse(options.read, options.combine)
        self.frozen = options.frozen
        self.dropout = Dropout(options.dropout)
        width = self.read.width(options.dim, options.layers + 1)
        self.labels = nn.Linear(options.dim if options.head == "lstm" else width, vocabulary.labels)
        initialise(self)
        self.recurrent = None
        if options.head == "lstm":
            self.recurrent = RecurrentHead(width, dim=options.dim, dropout=options.dropout)
        if self.frozen:
            for part in (self.embedding, self.encoder):
                part.requires_grad_(False)

    def train(self, mode: bool = True) -> Self:
        """A frozen body makes the same features always: it drops nothing."""
        super().train(mode)
        if self.frozen:
            self.embedding.eval()
            self.encoder.eval()
        return self

    def scores(self, reading: Reading) -> Tensor:
        """(B, T, L)."""
        x_BTD = self.dropout(self.read.of(self.states(reading)))
        if self.recurrent is not None:
            x_BTD = self.recurrent(x_BTD, reading.real_BT)
        scores_BTL: Tensor = self.labels(x_BTD)
        return scores_BTL


def mean_where(states_BTE: Tensor, chosen_BT: Tensor) -> Tensor:
    """The mean of the chosen tokens' states, (B, E); 0 where none is chosen."""
    chosen_BT1 = chosen_BT[:, :, None]
    mean_BE: Tensor = (states_BTE * chosen_BT1).sum(dim=1) / chosen_BT1.sum(dim=1).clamp_min(1)
    return mean_BE


def initialise(model: Bert) -> None:
    """Fresh weights as in the paper: matrices N(0, 0.02²), biases 0; norms are 1 and 0 already."""
    for name, parameter in model.named_parameters():
        if parameter.ndim > 1:
            nn.init.normal_(parameter, std=INIT)
        elif name.endswith("bias"):
            nn.init.zeros_(parameter)
