"""The one step interface: what a search asks of any decoder, or of several at once.

Shapes: N rows (sentences × beams), V target vocabulary.
"""

import math
from collections.abc import Sequence
from typing import Any, Protocol, Self

import torch
from torch import Tensor

from saccade.errors import DecodingError


class Steps(Protocol):
    """One decoding under way: N rows of prefixes, each to be asked for its next token."""

    def log_probs(self, tokens_N: Tensor) -> Tensor:
        """log p(next token | source, prefix) after appending ``tokens_N`` to the prefixes, (N, V)."""

    def reorder(self, rows_N: Tensor) -> None:
        """Row n goes on from what row ``rows_N[n]`` of the same sentence has written."""

    def keep(self, sentences_B: Tensor, rows_N: Tensor) -> None:
        """Only these sentences go on, with these rows."""

    def join(self, new: Self) -> None:
        """Sentences that were only just begun go on beside these, as the last ones."""

    def replace(self, places_P: Tensor, new: Self) -> None:
        """Sentences that were only just begun take the places of others, with as many rows."""


class StepModel(Protocol):
    """What a model offers to be decoded."""

    def start(self, source_BS: Tensor) -> Any: ...

    def step(self, tokens_N: Tensor, state: Any) -> Tensor: ...


class ModelSteps:
    """The steps of one model that has read its source; tokens of ``never`` have no probability, whoever chooses."""

    def __init__(self, model: StepModel, source_BS: Tensor, *, never: Sequence[int] = ()) -> None:
        self._model = model
        self._state = model.start(source_BS)
        self._never = list(never)

    def log_probs(self, tokens_N: Tensor) -> Tensor:
        logits_NV = self._model.step(tokens_N, self._state).float()
        if self._never:
            never = torch.tensor(self._never, device=logits_NV.device)
            logits_NV = logits_NV.index_fill(1, never, -torch.inf)
        return torch.log_softmax(logits_NV, dim=-1)

    def reorder(self, rows_N: Tensor) -> None:
        self._state.reorder(rows_N)

    def keep(self, sentences_B: Tensor, rows_N: Tensor) -> None:
        self._state.keep(sentences_B, rows_N)

    def join(self, new: Self) -> None:
        self._state.join(new._state)

    def replace(self, places_P: Tensor, new: Self) -> None:
        self._state.replace(places_P, new._state)


class EnsembleSteps:
    """Several models that write one text together: p = mean of the models' p."""

    def __init__(self, members: Sequence[Steps]) -> None:
        if not members:
            raise DecodingError("an ensemble needs at least one model")
        self._members = list(members)

    def log_probs(self, tokens_N: Tensor) -> Tensor:
        each = [member.log_probs(tokens_N) for member in self._members]
        sizes = {one.shape[-1] for one in each}
        if len(sizes) > 1:
            raise DecodingError(f"models of an ensemble must share their target vocabulary, got sizes {sorted(sizes)}")
        return torch.logsumexp(torch.stack(each), dim=0) - math.log(len(each))

    def reorder(self, rows_N: Tensor) -> None:
        for member in self._members:
            member.reorder(rows_N)

    def keep(self, sentences_B: Tensor, rows_N: Tensor) -> None:
        for member in self._members:
            member.keep(sentences_B, rows_N)

    def join(self, new: Self) -> None:
        for member, other in zip(self._members, new._members, strict=True):
            member.join(other)

    def replace(self, places_P: Tensor, new: Self) -> None:
        for member, other in zip(self._members, new._members, strict=True):
            member.replace(places_P, other)
