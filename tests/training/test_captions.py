"""The promises of training, held to captioners: fallen they go on to the same bits, and several processes are one."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from saccade.errors import RecipeError
from saccade.models import GridShape, PixelShape, catalogue
from saccade.recipe import Recipe, load, to_yaml
from saccade.tasks.caption_corpus import open_caption_corpus, prepare_captions
from saccade.training.crew import Crew, crew
from saccade.training.folder import RunFolder
from saccade.training.kinds import KINDS, caption_settings, vision_of
from saccade.training.progress import Progress
from saccade.training.setup import cost_of, fit, make_model
from training.trainings import Told, outcome

SCENES = (
    "data.train=scenes:people?size=40",
    "data.valid=scenes:people?size=6",
    "data.pixels=16",
    "model.dim=16",
    "model.cnn_width=8",
    "train.threads=1",
)
STEPS = 24
TRAINING = (
    *SCENES,
    "model.dropout=0.1",
    f"train.budget={STEPS} steps",
    "train.batch_tokens=100",
    "train.workers=1",
    "train.warmup=5",
    "train.log_every=4",
    "train.validate_every=12 steps",
    "train.save_every=5 steps",
    "decode.max_length=8",
)
ROWS = np.arange(24)


class FallError(Exception):
    """What nobody foresaw."""


class Falling(Told):
    """Lets a training fall at a step whose checkpoint was never written."""

    def __init__(self, step: int | None) -> None:
        super().__init__()
        self.step = step

    def stepped(self, progress: Progress, loss: float) -> None:
        super().stepped(progress, loss)
        if progress.step == self.step:
            raise FallError


def trained(run: Path, recipe: Recipe, *, falls_at: int | None = None) -> Falling:
    folder = RunFolder.open(run) if run.exists() else RunFolder.create(run, to_yaml(recipe))
    watch = Falling(falls_at)
    with pytest.raises(FallError) if falls_at else nullcontext():
        fit(recipe, folder, watch=lambda task, model: watch, say=lambda text: None)
    return watch


@pytest.mark.exactness
@pytest.mark.parametrize(
    ("preset", "more"),
    [
        ("caption-soft", ("train.augment=light",)),
        ("caption-soft", ("train.guide=0.5",)),
        ("caption-hard", ("train.equalize=gendered",)),
    ],
    ids=["soft and varied", "soft and guided", "hard and equalized"],
)
def test_it_goes_on_as_if_nothing_had_happened(tmp_path: Path, preset: str, more: tuple[str, ...]) -> None:
    """Hard attention draws places, and pictures are varied: those draws, too, are taken again as they were."""
    recipe = load(preset, [*TRAINING, *more], models=catalogue())
    trained(tmp_path / "fell", recipe, falls_at=12)
    assert trained(tmp_path / "fell", recipe).steps[0] == 11, "the checkpoint of step 10 is the last"
    trained(tmp_path / "never", recipe)
    assert outcome(tmp_path / "fell") == outcome(tmp_path / "never")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    prepare_captions(folder / "data", folder, caption_settings(recipe_of("caption-soft")), lambda text: None)
    return folder


def recipe_of(preset: str, *, equalize: str = "gendered") -> Recipe:
    return load(preset, [*SCENES, "model.dropout=0", f"train.equalize={equalize}"], models=catalogue())


@contextmanager
def crew_of(workers: int, recipe: Recipe, corpus: Path) -> Iterator[Crew]:
    opened = open_caption_corpus(corpus / "data", corpus)
    model = make_model(recipe, opened.tokenizers).train()
    task = KINDS[recipe.task].make(recipe, opened)
    with crew(task, model, recipe, workers=workers, data=corpus / "data", tokenizers=corpus) as everyone:
        yield everyone


def gradient(everyone: Crew, *, step: int = 1) -> dict[str, Tensor]:
    everyone.model.zero_grad(set_to_none=True)
    loss = everyone.add_gradient(ROWS, divisor=100, seed=(1, step))
    found = {name: parameter.grad for name, parameter in everyone.model.named_parameters()}
    return {"loss": torch.tensor(loss), **{name: grad.clone() for name, grad in found.items() if grad is not None}}


@pytest.mark.exactness
def test_two_processes_find_the_gradient_of_one(corpus: Path) -> None:
    recipe = recipe_of("caption-soft")
    with crew_of(1, recipe, corpus) as alone, crew_of(2, recipe, corpus) as two:
        expected, found = gradient(alone), gradient(two)
    assert expected.keys() == found.keys()
    for name, tensor in expected.items():
        torch.testing.assert_close(found[name], tensor, rtol=1e-4, atol=1e-5, msg=name)


@pytest.mark.exactness
def test_drawn_places_depend_on_seed_and_step_alone(corpus: Path) -> None:
    with crew_of(2, recipe_of("caption-hard"), corpus) as two:
        first, again, other = gradient(two), gradient(two), gradient(two, step=2)
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert first["loss"] != other["loss"]
    assert first["baseline_weight"] != 0


def test_equalizing_does_not_disturb_the_count_of_operations(corpus: Path) -> None:
    """Captions that say no word of a group are read once: the cost would depend on which ones are probed."""
    opened = open_caption_corpus(corpus / "data", corpus)
    equal, plain = recipe_of("caption-soft"), recipe_of("caption-soft", equalize="null")
    model = make_model(equal, opened.tokenizers)
    assert cost_of(equal, opened, model) == cost_of(plain, opened, model)


def test_the_recipe_says_what_its_pictures_are() -> None:
    assert vision_of(recipe_of("caption-soft")).shape == PixelShape(16)
    grid = load("caption-soft", ["data.train=x.csv", "data.backbone=vgg16"], models=catalogue())
    assert vision_of(grid).shape == GridShape(14, 512)
    finer = load("caption-soft", ["data.train=x.csv", "data.backbone=vgg16", "data.pixels=320"], models=catalogue())
    assert vision_of(finer).shape == GridShape(20, 512)
    usual = load("caption-vit", ["data.train=x.csv"], models=catalogue())
    assert vision_of(usual).shape == PixelShape(64)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            ("data.weights=x.pth",),
            "data.weights: means nothing without data.backbone: name the CNN whose weights these are",
        ),
        (
            ("data.regions=boxes.jsonl",),
            "data.regions: its boxes are of whole pictures, of which data.fit crop cuts the borders off: give "
            "data.fit=squash",
        ),
        (
            ("train.guide=0.5", "train.augment=light"),
            "train.guide: its boxes are of pictures as they are, but train.augment moves pixels at random: give "
            "train.augment=none, or a data.backbone, whose views are known",
        ),
    ],
)
def test_keys_that_would_do_nothing_or_harm_are_refused(given: tuple[str, ...], message: str) -> None:
    recipe = load("caption-soft", ["data.train=x.csv", *given], models=catalogue())
    with pytest.raises(RecipeError) as told:
        vision_of(recipe)
    assert str(told.value) == message
