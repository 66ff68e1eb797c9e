"""What the training loop asks of a task. The loop knows no model family; a task knows one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from torch import Tensor, nn

from saccade.data.batches import Placed, Position


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
    """``loss`` in nats a token without label smoothing; ``scores`` by name, higher is better (``bleu``, ``chrf``)."""

    loss: float
    scores: dict[str, float]
    samples: tuple[Sample, ...]


class Task(Protocol):
    """Batches in a resumable order, their loss, and the score of a model on held-out examples."""

    def stream(self, start: Position) -> Iterator[Placed]:
        """Endless batches of row numbers, from ``start`` on."""

    def loss(self, model: nn.Module, rows: np.ndarray) -> Loss:
        """The training loss of these rows."""

    def tokens(self, rows: np.ndarray) -> int:
        """Over how many tokens the loss of these rows is summed."""

    def work(self, rows: np.ndarray) -> Sequence[int]:
        """Numbers of which the operations of a step on these rows, padded together, are a weighted sum.

        What the weights are depends on the model: ``training.flops`` finds them out on the probes.
        """

    def probes(self) -> Sequence[np.ndarray]:
        """Some very small batches that differ in their work."""

    def describe(self, rows: np.ndarray) -> Sequence[str]:
        """The examples, readable, for messages."""

    def validate(self, model: nn.Module) -> Validation:
        """Scores the model as it is; draws no random number."""
