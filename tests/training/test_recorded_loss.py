"""Speed never changes results: the losses of a short training are on record, with and without each optimisation.

Renew the record with ``pytest tests/training/test_recorded_loss.py --update-golden``, and say why in the commit.
"""

import json
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from attention.naive import Echo
from command import SCENES, SMALL
from saccade.attention import attention_layers
from saccade.data.batches import Position
from saccade.models import Seq2Seq, catalogue
from saccade.recipe import load
from saccade.tasks.corpus import open_corpus, prepare
from saccade.training.crew import Crew, crew
from saccade.training.kinds import KINDS, corpus_settings
from saccade.training.optimizers import make_optimizer
from saccade.training.setup import make_model

RECORD = Path(__file__).parents[1] / "golden" / "losses.json"
STEPS = 40


def plain_loss(self: Seq2Seq, states_NE: Tensor, tokens_N: Tensor, *, label_smoothing: float = 0.0) -> Tensor:
    """All logits at once, and torch's own cross-entropy."""
    logits = self.logits(states_NE)
    return torch.nn.functional.cross_entropy(logits, tokens_N, label_smoothing=label_smoothing, reduction="sum")


def without_chunks(everyone: Crew, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Seq2Seq, "loss", plain_loss)


def without_fused_attention(everyone: Crew, patch: pytest.MonkeyPatch) -> None:
    for layer in attention_layers(everyone.model).values():
        layer.listener = Echo()


def nothing(everyone: Crew, patch: pytest.MonkeyPatch) -> None:
    pass


def losses(place: Path, *, workers: int, change: Callable[[Crew, pytest.MonkeyPatch], None]) -> list[float]:
    data = [o.replace("size=3000", "size=400") for o in SCENES]
    overrides = [*data, *SMALL, "train.batch_tokens=512", "train.lr=1e-2"]
    recipe = load("transformer-tiny", overrides, models=catalogue())
    prepare(place / "data", place, corpus_settings(recipe), say=lambda text: None)
    corpus = open_corpus(place / "data", place)
    model, task = make_model(recipe, corpus.tokenizers).train(), KINDS[recipe.task].make(recipe, corpus)
    optimizer = make_optimizer(model, recipe.train)
    found = []
    everyone: Any
    with (
        pytest.MonkeyPatch.context() as patch,
        crew(task, model, recipe, workers=workers, data=place / "data", tokenizers=place) as everyone,
    ):
        change(everyone, patch)
        for step, placed in enumerate(islice(task.stream(Position()), STEPS)):
            tokens = task.tokens(placed.rows)
            found.append(everyone.add_gradient(placed.rows, divisor=tokens, seed=(1, step)) / tokens)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
    return found


@pytest.mark.exactness
@pytest.mark.parametrize(
    ("workers", "change"),
    [(1, nothing), (2, nothing), (1, without_chunks), (1, without_fused_attention)],
    ids=["as it is", "two processes", "all logits at once", "attention written out"],
)
def test_losses_are_those_on_record(
    tmp_path: Path, request: pytest.FixtureRequest, workers: int, change: Callable[[Crew, pytest.MonkeyPatch], None]
) -> None:
    found = losses(tmp_path, workers=workers, change=change)
    if request.config.getoption("--update-golden") and (workers, change) == (1, without_chunks):
        RECORD.write_text(json.dumps([round(loss, 6) for loss in found]) + "\n")
    recorded = json.loads(RECORD.read_text())
    assert len(recorded) == STEPS
    assert recorded[-1] < 0.6 * recorded[0]
    # Kernels round differently on different processors, and every step hands its difference on to the next.
    np.testing.assert_allclose(found, recorded, rtol=2e-3)
    np.testing.assert_allclose(found[:3], recorded[:3], rtol=1e-5)
