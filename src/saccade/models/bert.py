"""BERT (Devlin et al. 2019): an encoder that reads both ways, and what is put on top of it.

All of them have the same body under the same names (``embedding``, ``encoder``), so that one is begun with another's
weights; the heads are what differs. Shapes: B texts, T tokens, N chosen tokens, E width, V vocabulary, L labels.
"""

from dataclasses import dataclass
from typing import ClassVar, Self

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu

from saccade.layers import BertEmbedding, Dropout, RecurrentEncoder, TransformerEncoder, vocabulary_loss
from saccade.layers.transformer import BlockShape
from saccade.models.bert_options import BertOptions
from saccade.models.layer_choice import LayerChoice
from saccade.models.registry import Vocabulary

INIT = 0.02  # the paper's standard deviation of fresh weights


@dataclass(frozen=True)
class Reading:
    """Padded tokens: [CLS] A [SEP] or [CLS] A [SEP] B [SEP], to which of the two each belongs, and which are real."""

    tokens_BT: Tensor
    segments_BT: Tensor
    real_BT: Tensor


class Bert(nn.Module):
    """The body: every token's state knows all tokens of its text."""

    HEADS: ClassVar[tuple[str, ...]] = ("pooler", "words", "next", "labels")
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
        embedded_BTE = self.embedding(reading.tokens_BT, reading.segments_BT)
        return [embedded_BTE, *self.encoder.states(embedded_BTE, reading.real_BT)]


class Pooler(nn.Module):
    """tanh(W · state of [CLS] + b): the text as one vector; (B, T, E) → (B, E)."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.dense = nn.Linear(dim, dim)

    def forward(self, states_BTE: Tensor) -> Tensor:
        return torch.tanh(self.dense(states_BTE[:, 0]))


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
        self.pooler = Pooler(options.dim)
        self.words = MaskedWords(self.embedding.tokens, eps=options.eps)
        self.next = nn.Linear(options.dim, 2)
        initialise(self)


class BertClassifier(Bert):
    """One answer for a text or a pair: scores of labels, or one number where there is one label only."""

    def __init__(self, options: BertOptions, vocabulary: Vocabulary) -> None:
        super().__init__(options, vocabulary)
        self.pooler = Pooler(options.dim) if options.pool == "first" else None
        self.dropout = Dropout(options.dropout)
        self.labels = nn.Linear(options.dim, vocabulary.labels)
        initialise(self)

    def scores(self, reading: Reading) -> Tensor:
        """(B, L)."""
        scores_BL: Tensor = self.labels(self.dropout(self._text(reading)))
        return scores_BL

    def _text(self, reading: Reading) -> Tensor:
        """One vector for each text, (B, E)."""
        states_BTE = self(reading)
        if self.pooler is not None:
            pooled_BE: Tensor = self.pooler(states_BTE)
            return pooled_BE
        real_BT1 = reading.real_BT[:, :, None]
        mean_BE: Tensor = (states_BTE * real_BT1).sum(dim=1) / real_BT1.sum(dim=1)
        return mean_BE


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

    HEADS = (*Bert.HEADS, "recurrent")

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


def initialise(model: Bert) -> None:
    """Fresh weights as in the paper: matrices N(0, 0.02²), biases 0; norms are 1 and 0 already."""
    for name, parameter in model.named_parameters():
        if parameter.ndim > 1:
            nn.init.normal_(parameter, std=INIT)
        elif name.endswith("bias"):
            nn.init.zeros_(parameter)
