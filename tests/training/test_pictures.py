"""Pictures in the training: how large they are made, who looks at them, and what that costs."""

import re
from pathlib import Path

import numpy as np
import pytest
import torch

from saccade.errors import RecipeError
from saccade.models import Vocabulary, build_model, catalogue
from saccade.recipe import Recipe, load
from saccade.training.crew import crew
from saccade.training.flops import Counter
from saccade.training.kinds import KINDS, picture_settings, pixels_of
from saccade.training.setup import cost_of, make_model, vocabulary_of, workers_here
from tasks.pictures import draw_folder, model_for, prepared, task_for

GUIDE = Path(__file__).parents[2] / "docs" / "pictures.md"
TOLD = re.findall(
    r"^\| `(cifar10-\S+)` \|.*\| ([\d,]+) \| ([\d.]+) \|$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE
)
VIT = ("model.size=8", "model.dim=16", "model.heads=2", "model.layers=1", "model.dropout=0")


def recipe_of(preset: str, *overrides: str) -> Recipe:
    return load(preset, ["data.train=pets", *overrides], models=catalogue())


@pytest.mark.parametrize(
    ("preset", "overrides", "pixels"),
    [
        ("vit-mini", (), 32),
        ("vit-base", (), 224),
        ("hybrid-mini", ("model.size=64",), 64),
        ("resnet-mini", (), 32),
        ("resnet18", (), 224),
        ("resnet18", ("model.stem=small",), 32),
        ("vgg16", (), 224),
        ("vit-mini", ("data.pixels=48",), 48),
    ],
)
def test_the_size_is_the_models_own_or_what_is_customary(preset: str, overrides: tuple[str, ...], pixels: int) -> None:
    assert pixels_of(recipe_of(preset, *overrides)) == pixels


def test_the_recipe_is_taken_apart() -> None:
    keys = ("data.picture=photo", "data.label=kind", "data.fit=squash", "data.valid=other", "data.holdout=0.1")
    found = picture_settings(recipe_of("vit-mini", *keys))
    assert (found.train, found.valid, found.fit, found.holdout) == (("pets",), ("other",), "squash", 0.1)
    assert (found.columns.picture, found.columns.said) == ("photo", "kind")


def test_transformers_share_a_batch_and_batch_norms_do_not(tmp_path: Path) -> None:
    corpus, _ = prepared(tmp_path / "run", train=(draw_folder(tmp_path / "pets", 30),))
    train = recipe_of("vit-mini").train
    torch.set_num_threads(4)
    vit, resnet = model_for(corpus), model_for(corpus, "resnet-mini")
    assert workers_here(train, task_for(corpus, batch_pictures=64), vit) == 4
    assert workers_here(train, task_for(corpus, batch_pictures=40), vit) == 2
    assert workers_here(train, task_for(corpus, batch_pictures=8), vit) == 1
    assert workers_here(train, task_for(corpus, batch_pictures=64), resnet) == 1
    two = train.model_copy(update={"workers": 2})
    assert workers_here(two, task_for(corpus), vit) == 2
    with pytest.raises(RecipeError, match=r"train.workers is 2, but the model has batch norms"):
        workers_here(two, task_for(corpus), resnet)


@pytest.mark.exactness
def test_two_processes_find_the_gradient_of_one(tmp_path: Path) -> None:
    spec = draw_folder(tmp_path / "pets", 12)
    keys = (f"data.train={spec}", "data.holdout=0.2", "train.augment=none", *VIT)
    recipe = load("vit-mini", keys, models=catalogue())
    kind, data = KINDS[recipe.task], tmp_path / "data"
    kind.prepare(recipe, data, tmp_path, lambda text: None)
    corpus = kind.open(data, tmp_path)
    found = []
    for workers in (1, 2):
        model, task = make_model(recipe, kind.load(tmp_path)).train(), kind.make(recipe, corpus)
        with crew(task, model, recipe, workers=workers, data=data, tokenizers=tmp_path) as everyone:
            loss = everyone.add_gradient(np.arange(11), divisor=11, seed=(1,))
            found.append([torch.tensor(loss), *(parameter.grad for parameter in model.parameters())])
    for alone, together in zip(*found, strict=True):
        torch.testing.assert_close(alone, together, rtol=1e-5, atol=1e-6)


def test_variation_costs_nothing_in_the_count(tmp_path: Path) -> None:
    corpus, _ = prepared(tmp_path / "run", train=(draw_folder(tmp_path / "pets", 12),))
    plain, varied = (
        recipe_of("vit-mini", *VIT, f"train.augment={name}", "train.mix=1.0") for name in ("none", "strong")
    )
    model = model_for(corpus)
    assert cost_of(plain, corpus, model) == cost_of(varied, corpus, model)
    assert vocabulary_of(corpus.sight).labels == 3


@pytest.mark.parametrize(("name", "parameters", "operations"), TOLD)
def test_the_guide_says_how_large_the_recipes_are(name: str, parameters: str, operations: str) -> None:
    recipe = load(name, models=catalogue())
    ten = Vocabulary(source=0, target=0, shared=True, labels=10)
    model = build_model(recipe.model.preset, recipe.model.options, ten).train()
    assert f"{sum(one.numel() for one in model.parameters()):,}" == parameters
    side = pixels_of(recipe)
    with Counter() as counter:
        model(torch.randn(2, 3, side, side)).sum().backward()
    assert f"{counter.flops / 2 / 1e9:.3f}" == operations


def test_the_guide_tells_of_three_kinds_in_three_sizes() -> None:
    """Within a kind width doubles from size to size: the largest costs 13 to 16 times what the smallest does."""
    assert len(TOLD) == 9
    for kind in ("vit", "resnet", "hybrid"):
        costs = [float(operations) for name, _, operations in TOLD if kind in name]
        assert len(costs) == 3
        assert 13 < max(costs) / min(costs) < 17
