"""Pictures as a task: the loss by hand, the same variation for the same seed, exact operations, honest scores."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from saccade.data.images.tensors import to_tensor
from saccade.errors import DataError, ModelError
from saccade.tasks.picture_classes import PictureTask
from saccade.tasks.picture_corpus import PictureCorpus
from saccade.training.flops import counted_flops, measured_cost
from saccade.training.weights import weights_of
from tasks.pictures import draw_folder, model_for, prepared, task_for

ROWS = np.array([5, 0, 3, 11])


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> PictureCorpus:
    place = tmp_path_factory.mktemp("pictures")
    return prepared(place / "run", train=(draw_folder(place / "pets", 20),))[0]


def loss_at(task: PictureTask, model: nn.Module, seed: int) -> float:
    torch.manual_seed(seed)
    return task.loss(model, ROWS).total.item()


def test_the_loss_is_the_mean_surprise_times_the_pictures(corpus: PictureCorpus) -> None:
    model = model_for(corpus)
    found = task_for(corpus).loss(model, ROWS)
    assert found.tokens == 4
    pictures = corpus.sight.channels.normalise(to_tensor(corpus.train.pictures.batch(ROWS)))
    shares_BL = model(pictures).softmax(dim=1)
    each = [-shares_BL[place, corpus.train.labels_N[row]].log() for place, row in enumerate(ROWS)]
    torch.testing.assert_close(found.total, torch.stack(each).sum())
    smoothed = task_for(corpus, label_smoothing=0.1).loss(model, ROWS).total
    everything = -shares_BL.log().mean(dim=1).sum()
    torch.testing.assert_close(smoothed, 0.9 * found.total + 0.1 * everything)


@pytest.mark.exactness
@pytest.mark.parametrize("changes", [{"augment": "light"}, {"augment": "strong"}, {"mix": 1.0}])
def test_variation_depends_on_the_steps_seed_alone(corpus: PictureCorpus, changes: dict[str, Any]) -> None:
    model, plain, varied = model_for(corpus).eval(), task_for(corpus), task_for(corpus, **changes)
    losses = [loss_at(varied, model, seed) for seed in range(6)]
    assert losses == [loss_at(varied, model, seed) for seed in range(6)]
    assert len(set(losses)) == 6
    assert loss_at(plain, model, 0) == loss_at(plain, model, 1)


def test_pictures_are_mixed_as_often_as_was_said(corpus: PictureCorpus) -> None:
    model, plain = model_for(corpus).eval(), loss_at(task_for(corpus), model_for(corpus).eval(), 0)
    half = task_for(corpus, mix=0.5)
    untouched = sum(loss_at(half, model, seed) == plain for seed in range(60))
    assert 20 <= untouched <= 40


def test_the_operations_of_a_large_batch_follow_from_a_small_one(corpus: PictureCorpus) -> None:
    for preset in ("vit-mini", "resnet-mini"):
        task, model = task_for(corpus), model_for(corpus, preset)
        before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
        cost = measured_cost(task, model)
        assert cost.flops(task.work(ROWS)) == counted_flops(task, model, ROWS) > 0
        for name, tensor in model.state_dict().items():  # the statistics of batch norms too
            assert torch.equal(tensor, before[name]), name


def test_validation_changes_nothing_and_knows_the_truth(corpus: PictureCorpus) -> None:
    task, model = task_for(corpus, augment="strong", mix=1.0), model_for(corpus, "resnet-mini").eval()
    before = {name: tensor.clone() for name, tensor in weights_of(model).items()}
    state = torch.get_rng_state()
    found = task.validate(model)
    assert torch.equal(state, torch.get_rng_state())
    assert all(torch.equal(tensor, before[name]) for name, tensor in weights_of(model).items())
    valid, names = corpus.valid, corpus.sight.labels
    pixels = corpus.sight.tensor(valid.pictures.batch(np.arange(len(valid))), torch.device("cpu"))
    with torch.no_grad():
        said = model(pixels).argmax(dim=1).numpy()
    assert found.scores["accuracy"] == pytest.approx(100 * (said == valid.labels_N).mean())
    assert [(one.source, one.reference, one.hypothesis) for one in found.samples] == [
        (valid.names[n], names[valid.labels_N[n]], names[said[n]]) for n in range(5)
    ]


def test_an_epoch_and_the_words_about_it(corpus: PictureCorpus) -> None:
    task = task_for(corpus)
    batches = task.batches.epoch(0)
    assert sorted(np.concatenate(batches).tolist()) == list(range(len(corpus.train)))
    assert task.epoch_tokens == sum(task.tokens(rows) for rows in batches) == len(corpus.train)
    assert task_for(corpus, batch_pictures=None).batches.batch_tokens == 8
    facts = task.facts()
    assert (facts.unit, facts.counted, facts.valid) == ("pictures", "pictures", len(corpus.valid))
    assert task.describe(ROWS)[1] == f"{corpus.train.names[0]} (blue)"


@pytest.mark.parametrize(("pictures", "expected"), [(10, 8), (400, 20), (100_000, 128)])
def test_much_data_gets_large_batches(corpus: PictureCorpus, pictures: int, expected: int) -> None:
    """An epoch has twenty batches where that leaves eight pictures to each."""
    labels_N, names = np.zeros(pictures, np.int64), ("a",) * pictures
    many = replace(corpus, train=replace(corpus.train, labels_N=labels_N, names=names))
    assert task_for(many, batch_pictures=None).batches.batch_tokens == expected


def test_pictures_that_cannot_be_cut_into_patches(tmp_path: Path) -> None:
    odd, _ = prepared(tmp_path / "run", train=(draw_folder(tmp_path / "pets", 10),), pixels=10)
    with pytest.raises(DataError, match=r"data.pixels is 10, which does not fit the model: 10×10 pixels cannot be cut"):
        task_for(odd).check_fits(model_for(odd))
    task_for(odd).check_fits(model_for(odd, "resnet-mini"))
    with pytest.raises(ModelError, match="pictures need a model that looks at pictures, got Linear"):
        task_for(odd).loss(nn.Linear(2, 2), ROWS)
