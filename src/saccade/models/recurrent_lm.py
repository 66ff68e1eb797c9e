"""Recurrent language models: without attention, and with attention over their own past."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field
from torch import nn

from saccade.attention import Positions, ScoreName
from saccade.layers import CellName, QuerySource, RecurrentStack, SelfRecurrentStack, Stack, TokenEmbedding
from saccade.layers.memory import RowMemory
from saccade.models.language_model import LanguageModel
from saccade.models.registry import Vocabulary, preset
from saccade.models.self_rnn import QUERY


class RecurrentLmOptions(BaseModel):
    """Everything about a recurrent language model that a recipe can set under ``model``."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    dim: int = Field(256, gt=0, description="width of embeddings and states")
    cell: CellName = Field("lstm", description="simple: tanh(A·[x; h] + b); gru and lstm have gates")
    layers: int = Field(1, gt=0, description="layers on top of each other")
    dropout: float = Field(0.2, ge=0, lt=1, description="dropout of embeddings and between layers")
    embeddings: Literal["tied", "separate"] = Field(
        "tied", description="tied: one matrix for reading and writing; separate: two"
    )


class SelfRecurrentLmOptions(RecurrentLmOptions):
    """The same, for those that look back at their own states."""

    query: QuerySource = Field("word", description=QUERY)
    score: ScoreName = Field("additive", description="how a word is compared with each state before it")


def recurrent_lm(options: RecurrentLmOptions, vocabulary: Vocabulary) -> LanguageModel:
    """Puts a language model together from its options."""
    stack = RecurrentStack(dim=options.dim, layers=options.layers, cell=options.cell, dropout=options.dropout)
    return _with_vocabulary(stack, options, vocabulary)


def self_recurrent_lm(options: SelfRecurrentLmOptions, vocabulary: Vocabulary) -> LanguageModel:
    stack = SelfRecurrentStack(
        dim=options.dim,
        layers=options.layers,
        cell=options.cell,
        query=options.query,
        score=options.score,
        dropout=options.dropout,
    )
    return _with_vocabulary(stack, options, vocabulary)


def _with_vocabulary(stack: Stack[RowMemory], options: RecurrentLmOptions, vocabulary: Vocabulary) -> LanguageModel:
    embedding = TokenEmbedding(
        vocab_size=vocabulary.target,
        dim=options.dim,
        positions=Positions(dim=options.dim, kind="none"),
        dropout=options.dropout,
    )
    output = nn.Linear(options.dim, vocabulary.target, bias=False)
    nn.init.normal_(output.weight, std=options.dim**-0.5)
    if options.embeddings == "tied":
        output.weight = embedding.tokens.weight
    return LanguageModel(embedding=embedding, decoder=stack, output=output)


@preset("rnn-lm", task="language-model", build=recurrent_lm)
def rnn_lm() -> RecurrentLmOptions:
    """The plain LSTM language model (Mikolov et al. 2010; Zaremba et al. 2014): all it knows is in its last memory.

    2,574,336 parameters with a vocabulary of 8,000.
    """
    return RecurrentLmOptions()


@preset("rnn-self-lm", task="language-model", build=self_recurrent_lm)
def rnn_self_lm() -> SelfRecurrentLmOptions:
    """The simple RNN with attention over its own past states: h_t = tanh(A·[x_t; c_{t−1}] + b).

    2,310,912 parameters with a vocabulary of 8,000.
    """
    return SelfRecurrentLmOptions(cell="simple", query="state")


@preset("lstmn-lm", task="language-model", build=self_recurrent_lm)
def lstmn_lm() -> SelfRecurrentLmOptions:
    """The long short-term memory-network (Cheng et al. 2016): every word looks at the memories of all words before it.

    2,770,432 parameters with a vocabulary of 8,000.
    """
    return SelfRecurrentLmOptions()
