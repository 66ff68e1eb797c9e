"""Classifiers of pictures side by side: made-up ones, and one with random weights that is measured."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from saccade.compare.classes import ClassMeasured, measure_classes
from saccade.compare.comparison import Comparison, examples_of, side_by_side
from saccade.compare.page import page
from saccade.compare.picture import draw, save
from saccade.compare.plan import make_plan
from saccade.compare.result import as_json
from saccade.compare.table import caption, headings, table
from saccade.data.examples import Pictured, PictureRef
from saccade.errors import DataError, RecipeError, RunError
from saccade.evaluation.classification import accuracy
from saccade.evaluation.measured import compared, scored
from saccade.evaluation.results import read_results
from saccade.models import catalogue
from saccade.recipe import load, to_yaml
from saccade.training.checkpoint import Checkpoint
from saccade.training.folder import RunFolder
from saccade.training.kinds import KINDS
from saccade.training.optimizers import make_optimizer
from saccade.training.progress import Progress
from saccade.training.setup import make_model
from saccade.training.storage import save_tensors
from saccade.training.weights import weights_of
from tasks.pictures import draw_folder
from view.pages import parse

NAMES = ("cat", "dog")
GOLD = [NAMES[n % 2] for n in range(40)]
EXAMPLES = [Pictured(PictureRef(Path(f"{n}.png"), f"{n}.png"), label, f"{n}.png") for n, label in enumerate(GOLD)]
SYSTEMS = ("cifar10-vit-tiny", "cifar10-vit", "cifar10-resnet-tiny", "cifar10-resnet")


def measured(name: str, *, wrong: int, **changes: Any) -> ClassMeasured:
    """A system that gets the first ``wrong`` pictures wrong."""
    said = [NAMES[1 - NAMES.index(label)] if n < wrong else label for n, label in enumerate(GOLD)]
    facts: dict[str, Any] = {
        "name": name,
        "preset": "vit-mini" if "vit" in name else "resnet-mini",
        "run": f"runs/{name}",
        "parameters": 2_000,
        "steps": 10,
        "epochs": 1.0,
        "tokens": 50_000,
        "flops": 3 * 10**12,
        "seconds": 60.0,
        "memory": 2**30,
        "decode": {"pixels": 32, "fit": "crop"},
        "decoding_seconds": 0.5,
        "machine": {"cpu": "A", "cores": 2, "gpu": None, "torch": "2", "threads": 2},
        "date": "2026-01-01T00:00:00+00:00",
        "accuracy": scored((accuracy(GOLD, said),), resamples=100).scores[0],
        "found": {"cat": 90.0, "dog": 80.0},
        "said": tuple(said),
    }
    return ClassMeasured(**{**facts, **changes})


def four(budget: str = "2 epochs") -> Comparison:
    systems = [measured(name, wrong=12 - 3 * place, flops=10 ** (10 + place % 2)) for place, name in enumerate(SYSTEMS)]
    return side_by_side(make_plan(list(SYSTEMS), budget), systems, EXAMPLES, command="saccade compare …")


def test_the_best_comes_first_and_the_others_are_tested_picture_by_picture() -> None:
    found = four()
    assert [row.system.name for row in found.rows] == list(reversed(SYSTEMS))
    best, second = found.rows[0].system, found.rows[1].system
    assert found.rows[0].against_best is None
    assert found.rows[1].against_best == compared(accuracy(GOLD, best.answers), accuracy(GOLD, second.answers))
    assert found.rows[1].against_best.difference == pytest.approx(-7.5)


def test_the_table_counts_pictures() -> None:
    found = four()
    first = dict(zip(headings(found), table(found)[0], strict=True))
    assert first["accuracy (95 %)"].startswith("92.5 (")
    assert first["pictures"] == "50,000"
    assert first["pictures/s"] == "80.0"
    assert not {"chrF", "alignment error", "tokens", "sentences/s"} & first.keys()
    assert caption(found) == "40 pictures of cifar10/test.parquet, 2 epochs for each system"


def test_the_result_speaks_of_pictures() -> None:
    said = json.loads(json.dumps(as_json(four())))
    assert (said["task"], said["pictures"]) == ("picture-classification", 40)
    assert "tokenizer" not in said
    best = said["systems"][0]
    assert best["accuracy"]["value"] == 92.5
    assert best["found"] == {"cat": 90.0, "dog": 80.0}
    assert best["pictures_per_second"] == 80.0
    assert not {"said", "bleu_by_length", "translations"} & best.keys()


def test_systems_of_one_kind_are_joined_and_drawn_by_their_operations() -> None:
    figure = draw(four())
    [axes] = figure.axes
    assert axes.get_xlabel() == "FLOPs of training"
    assert axes.get_title(loc="left") == "Accuracy against cost, 2 epochs for each system"
    joined = [line for line in axes.get_lines() if len(set(line.get_xdata())) == 2]
    assert len(joined) == 2
    assert len({line.get_color() for line in joined}) == 2
    assert {text.get_text() for text in axes.texts} == set(SYSTEMS)
    assert draw(four("1e12 flops")).axes[0].get_xlabel() == "training time, minutes"
    assert draw(four("2 minutes")).axes[0].get_xlabel() == "FLOPs of training"


def test_the_page_shows_every_class(tmp_path: Path) -> None:
    found = four()
    save(found, tmp_path / "a.svg", tmp_path / "a.png")
    texts = parse(page(found, tmp_path / "a.svg")).texts
    assert {"cat", "dog", "90.0", "80.0", *SYSTEMS} <= set(texts)
    assert not any("tokenizer" in text or "beam" in text for text in texts)


def test_what_was_measured_is_kept_whole(tmp_path: Path) -> None:
    one = measured("cifar10-vit", wrong=3)
    one.save(tmp_path / "one.json")
    assert ClassMeasured.read(tmp_path / "one.json") == one
    (tmp_path / "one.json").write_text(json.dumps(asdict(one) | {"accuracy": 3}))
    with pytest.raises(RunError, match=r"one.json is damaged"):
        ClassMeasured.read(tmp_path / "one.json")


def test_all_systems_look_at_the_same_pictures(tmp_path: Path) -> None:
    keys = ["data.train=pets", "data.test=pets"]
    with pytest.raises(RecipeError, match=r"vit-mini looks at pictures of 32 pixels, resnet18 at pictures of 224: all"):
        make_plan(["vit-mini", "resnet18", *keys], "1 hour")
    plan = make_plan(["vit-mini", "resnet18", *keys, "data.pixels=64"], "1 hour")
    assert [recipe.data.pixels for recipe in plan.recipes] == [64, 64]
    (tmp_path / "list.csv").write_text("image,label\na.png,\n")
    (tmp_path / "a.png").write_bytes(b"")
    plan = make_plan(["vit-mini", "data.train=pets", f"data.test={tmp_path / 'list.csv'}"], "1 hour")
    with pytest.raises(DataError, match=r"list.csv:2: has no label: systems are compared by the labels they say"):
        examples_of(plan)


def test_score_cost_and_speed_of_a_run(tmp_path: Path) -> None:
    data = draw_folder(tmp_path / "pets", 6)
    keys = (f"data.train={data}", f"data.test={data}", "data.holdout=0.3", "data.pixels=8", "model.width=4")
    recipe = load("resnet-mini", [*keys, "train.threads=1"], models=catalogue())
    folder = RunFolder.create(tmp_path / "run", to_yaml(recipe))
    kind = KINDS[recipe.task]
    kind.prepare(recipe, folder.data, folder.path, lambda text: None)
    model = make_model(recipe, kind.load(folder.path))
    save_tensors(folder.model, weights_of(model))
    done = Progress(step=7, epochs=0.5, tokens=99, flops=10**9, seconds=2.5, memory=3 * 2**20)
    Checkpoint(folder.last).save(model, make_optimizer(model, recipe.train), done, ())
    told: list[int] = []

    @contextmanager
    def telling(pictures: int) -> Iterator[Callable[[int], None]]:
        assert pictures == 18
        yield told.append

    examples = examples_of(make_plan(["resnet-mini", *keys], "1 hour"))
    found = measure_classes(folder, examples, name="mine", data=data, command="compare", telling=telling)
    assert (found.name, found.preset, found.tokens, found.flops, found.memory) == (
        *("mine", "resnet-mini", 99, 10**9, 3 * 2**20),
    )
    assert told[-1] == 18
    gold = [str(one.label) for one in examples]
    assert found.accuracy == scored((accuracy(gold, found.said),)).scores[0]
    assert found.per_second == 18 / found.decoding_seconds
    assert len(read_results(folder.path)) == 1
    assert found.decode == {"pixels": 8, "fit": "crop"}
