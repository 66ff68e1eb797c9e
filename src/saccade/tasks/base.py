"""What the training loop asks of a task. The loop knows no model family; a task knows one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import torch
from torch import Tensor, nn

from saccade.data.batches import Batches, Placed, Position, Rows

BATCH_TOKENS = 4096  # where the recipe does not say
LEAST_BATCHES = 20  # an epoch of small data has at least so many, or it would teach in too few steps


@dataclass(frozen=True)
class Loss:
    """The summed loss of a batch, with gradient, and the number of tokens it is the sum over."""

    total: Tensor
    tokens: int


@dataclass(frozen=True)
class Sample:
    """One validation example as a reader sees it."""

    source: str
    reference: str
    hypothesis: str


@dataclass(frozen=True)
class Validation:
    """``loss`` without label smoothing, in nats a token or the mean of all answers; ``scores`` by name.

    Of the scores that ``train.metric`` can name (``bleu``, ``chrf``) higher is better.
    """

    loss: float
    scores: dict[str, float]
    samples: tuple[Sample, ...]
    per: Literal["token", "answer"] = "token"


@dataclass(frozen=True)
class Facts:
    """The data of a task as a reader sees it: how much there is, in which unit, and some of it as the model reads it.

    ``shown`` are examples, each with the pieces of its texts by name; ``counted`` is what the loop calls tokens.
    """

    examples: int
    valid: int
    unit: str
    vocabulary: tuple[int, ...]
    shown: tuple[dict[str, list[str]], ...]
    counted: str = "tokens"


class Task(Protocol):
    """Batches in a resumable order, their loss, and the score of a model on held-out examples."""

    device: torch.device
    epoch_tokens: int

    @property
    def batches(self) -> Batches:
        """All batches of all epochs."""

    def stream(self, start: Position) -> Iterator[Placed]:
        """Endless batches of row numbers, from ``start`` on."""

    def loss(self, model: nn.Module, rows: Rows) -> Loss:
        """The training loss of these rows."""

    def tokens(self, rows: Rows) -> int:
        """Over how many tokens the loss of these rows is summed."""

    def lengths(self, rows: Rows) -> Rows:
        """How much there is to read in each of these rows, in tokens."""

    def work(self, rows: Rows) -> Sequence[int]:
        """Numbers of which the operations of a step on these rows, padded together, are a weighted sum.

        What the weights are depends on the model: ``training.flops`` finds them out on the probes.
        """

    def probes(self) -> Sequence[Rows]:
        """Some very small batches that differ in their work."""

    def describe(self, rows: Rows) -> Sequence[str]:
        """The examples, readable, for messages."""

    def validate(self, model: nn.Module) -> Validation:
        """Scores the model as it is; draws no random number."""

    def check_fits(self, model: nn.Module) -> None:
        """Refuses data that is longer than the model's positions allow."""

    def facts(self) -> Facts:
        """What there is to learn from."""
