"""Several processes compute what one would."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from command import SCENES, SMALL
from saccade.errors import RunError
from saccade.models import catalogue
from saccade.recipe import Recipe, load
from saccade.tasks.corpus import open_corpus, prepare
from saccade.training.crew import Crew, crew
from saccade.training.kinds import KINDS, corpus_settings
from saccade.training.setup import make_model

ROWS = np.arange(40)


@pytest.fixture(scope="module")
def recipe() -> Recipe:
    small = [o.replace("size=3000", "size=300") for o in SCENES]
    return load("transformer-tiny", [*small, *SMALL, "train.batch_tokens=1024"], models=catalogue())


@pytest.fixture(scope="module")
def corpus(recipe: Recipe, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    prepare(folder / "data", folder, corpus_settings(recipe), say=lambda text: None)
    return folder


@contextmanager
def crew_of(workers: int, recipe: Recipe, corpus: Path, *, told: Recipe | None = None) -> Iterator[Crew]:
    opened = open_corpus(corpus / "data", corpus)
    model = make_model(recipe, opened.tokenizers).train()
    task = KINDS[recipe.task].make(recipe, opened)
    with crew(task, model, told or recipe, workers=workers, data=corpus / "data", tokenizers=corpus) as everyone:
        yield everyone


def gradient(everyone: Crew, rows: np.ndarray, *, step: int = 1) -> dict[str, Tensor]:
    everyone.model.zero_grad(set_to_none=True)
    loss = everyone.add_gradient(rows, divisor=100, seed=(1, step))
    found = {name: parameter.grad for name, parameter in everyone.model.named_parameters()}
    return {"loss": torch.tensor(loss), **{name: grad.clone() for name, grad in found.items() if grad is not None}}


@pytest.mark.exactness
def test_three_processes_find_the_gradient_of_one(recipe: Recipe, corpus: Path) -> None:
    with crew_of(1, recipe, corpus) as alone, crew_of(3, recipe, corpus) as three:
        for rows in (ROWS, ROWS[5:25], ROWS[:2], ROWS[:1]):  # the last ones leave somebody without work
            expected, found = gradient(alone, rows), gradient(three, rows)
            assert expected.keys() == found.keys()
            for name, tensor in expected.items():
                torch.testing.assert_close(found[name], tensor, rtol=1e-5, atol=1e-6, msg=name)


@pytest.mark.exactness
def test_helpers_see_new_weights(recipe: Recipe, corpus: Path) -> None:
    with crew_of(1, recipe, corpus) as alone, crew_of(2, recipe, corpus) as two:
        for everyone in (alone, two):
            gradient(everyone, ROWS)
            torch.optim.SGD(everyone.model.parameters(), lr=0.5).step()
        expected, found = gradient(alone, ROWS), gradient(two, ROWS)
        for name, tensor in expected.items():
            torch.testing.assert_close(found[name], tensor, rtol=1e-4, atol=1e-5, msg=name)


@pytest.mark.exactness
@pytest.mark.parametrize(
    ("section", "changes"),
    [("model", {"dropout": 0.3}), ("model", {"experts": 3}), ("train", {"reward": "bleu", "reward_samples": 2})],
    ids=["dropout", "experts", "reward"],
)
def test_what_is_random_depends_on_seed_and_step_alone(
    recipe: Recipe, corpus: Path, section: str, changes: dict[str, Any]
) -> None:
    random = recipe.model_copy(update={section: getattr(recipe, section).model_copy(update=changes)})
    with crew_of(2, random, corpus) as one:
        first, again, other = gradient(one, ROWS), gradient(one, ROWS), gradient(one, ROWS, step=2)
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert first["loss"] != other["loss"]


def test_threads_are_given_back(recipe: Recipe, corpus: Path) -> None:
    torch.set_num_threads(2)
    with crew_of(2, recipe, corpus) as two:
        gradient(two, ROWS)
        assert (two.threads, torch.get_num_threads()) == (1, 2)


def test_a_helper_that_cannot_begin_says_why(recipe: Recipe, corpus: Path) -> None:
    unknown = recipe.model_copy(update={"model": recipe.model.model_copy(update={"preset": "my-own"})})
    with crew_of(2, recipe, corpus, told=unknown) as two, pytest.raises(RunError) as caught:
        gradient(two, ROWS)
    assert 'unknown preset "my-own"' in str(caught.value)
    assert str(caught.value).endswith("The last checkpoint is whole; train.workers=1 trains in one process")


def test_a_helper_that_is_killed_ends_the_training_with_a_word(recipe: Recipe, corpus: Path) -> None:
    with crew_of(2, recipe, corpus) as two:
        gradient(two, ROWS)
        os.kill(two.helpers[0].pid, signal.SIGKILL)
        time.sleep(0.1)
        with pytest.raises(RunError, match="a helper process of the training failed: it ended with -9"):
            gradient(two, ROWS)


def test_helpers_end_with_the_crew_and_not_with_a_signal(recipe: Recipe, corpus: Path) -> None:
    with crew_of(2, recipe, corpus) as two:
        gradient(two, ROWS)
        pid = two.helpers[0].pid
        os.kill(pid, signal.SIGINT)
        os.kill(pid, signal.SIGTERM)
        gradient(two, ROWS)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_the_memory_is_that_of_all_processes(recipe: Recipe, corpus: Path) -> None:
    with crew_of(1, recipe, corpus) as alone:
        own = alone.memory()
    with crew_of(3, recipe, corpus) as everyone:
        gradient(everyone, np.arange(8))
        assert everyone.memory() > own + 2 * 50 * 2**20  # torch alone is larger than that
