"""A Transformer and a CNN learn the colours of squares through the command line; then every verb is asked of them."""

import json
from pathlib import Path

import pytest
from PIL import Image

from command import command, refused
from saccade.evaluation.results import read_results
from saccade.runs import PictureRun, load
from saccade.training.weights import weights_of
from tasks.pictures import draw_folder
from training.trainings import outcome
from view.pages import parse

pytestmark = pytest.mark.learning

VIT = ("vit-mini", "model.size=16", "model.dim=24", "model.layers=2", "model.dropout=0")
RESNET = ("resnet-mini", "model.width=4", "data.pixels=16")
TRAIN = ("data.holdout=0.15", "train.threads=1", "train.batch_pictures=16", "train.lr=3e-3")


def trained(run: Path, *arguments: str) -> Path:
    done = command("train", *arguments, *TRAIN, "--run", str(run))
    assert done.exit_code == 0, done.stderr
    return run


@pytest.fixture(scope="module")
def colours(place: Path) -> Path:
    draw_folder(place / "colours" / "train", 60)
    draw_folder(place / "colours" / "test", 20, seed=2)
    return place / "colours"


@pytest.fixture(scope="module")
def data(colours: Path) -> tuple[str, str]:
    return f"data.train={colours}", f"data.test={colours}"


@pytest.fixture(scope="module")
def vit(place: Path, data: tuple[str, str]) -> Path:
    return trained(place / "vit", *VIT, *data, "train.budget=8 epochs")


@pytest.fixture(scope="module")
def resnet(place: Path, data: tuple[str, str]) -> Path:
    return trained(place / "resnet", *RESNET, *data, "train.budget=4 epochs", "train.average=2")


@pytest.mark.parametrize("model", ["vit", "resnet"])
def test_colours_are_told_apart(model: str, request: pytest.FixtureRequest, colours: Path, tmp_path: Path) -> None:
    run: Path = request.getfixturevalue(model)
    said = tmp_path / "said.txt"
    done = command("evaluate", str(run), "--output", str(said))
    assert done.exit_code == 0, done.stderr
    result = read_results(run)[-1]
    assert {score["name"]: score["value"] for score in result["scores"]}["accuracy"] > 90
    assert (result["sentences"], result["unit"], result["data"]) == (60, "pictures", str(colours))
    assert len(said.read_text().splitlines()) == 60
    lines = done.stdout.splitlines()
    assert lines[0].startswith(f"{colours}: 60 pictures, ")
    assert [line.split()[:2] for line in lines[-3:]] == [["blue", "20"], ["green", "20"], ["red", "20"]]
    both = [str(colours / "test" / "red" / "1.png"), str(colours / "test" / "blue" / "2.png")]
    found = [line.split()[:2] for line in command("classify", str(run), *both).stdout.splitlines()]
    assert found == [[both[0], "red"], [both[1], "blue"]]
    listed = command("classify", str(run), "--json", stdin="\n".join(both)).stdout.splitlines()
    assert [json.loads(line)["label"] for line in listed] == ["red", "blue"]
    assert sum(json.loads(listed[0])["probabilities"].values()) == pytest.approx(1)
    samples = json.loads(max((run / "samples").iterdir()).read_text())["samples"]
    assert samples[0]["source"].endswith(".png")


def test_two_runs_are_compared_picture_by_picture(vit: Path, resnet: Path) -> None:
    said = json.loads(command("evaluate", str(vit), "--against", str(resnet), "--json").stdout)
    values = [read_results(run)[-1]["scores"][0]["value"] for run in (vit, resnet)]
    assert said["comparison"]["difference"] == pytest.approx(values[0] - values[1])
    assert [one["pictures"] for one in said["classes"]] == [20, 20, 20]


def test_progress_is_told_in_pictures(place: Path, data: tuple[str, str]) -> None:
    done = command(
        "train", *VIT, *data, *TRAIN, "train.budget=1 steps", "train.log_every=1", "--run", str(place / "short")
    )
    assert "batches: " in done.stderr
    assert "an epoch of at most 16 pictures\n" in done.stderr
    assert "next: saccade classify" in done.stderr
    page = (place / "short" / "report.html").read_text()
    assert "pictures a second" in page
    assert "tokens a second" not in page


@pytest.mark.parametrize("more", [[], ["--layer", "all"], ["--layer", "encoder.1.self"], ["--head", "2"]])
def test_where_it_looks(vit: Path, colours: Path, tmp_path: Path, more: list[str]) -> None:
    picture, output = str(colours / "test" / "red" / "1.png"), tmp_path / "look.png"
    layer = ["--layer", "encoder.0.self"] if "--head" in more else []
    done = command("view", str(vit), picture, "--output", str(output), *layer, *more)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("red ")
    with Image.open(output) as drawn:
        assert drawn.width > 300


def test_where_it_looks_as_a_page_and_in_the_report(vit: Path, resnet: Path, colours: Path, tmp_path: Path) -> None:
    picture, output = str(colours / "test" / "red" / "1.png"), tmp_path / "look.html"
    assert command("classify", str(vit), picture, "--view", str(output)).exit_code == 0
    words = parse(output.read_text()).texts
    assert {"rollout", "encoder.0.self", "encoder.1.self", "head 2"} <= set(words)
    assert "rollout" in parse((vit / "report.html").read_text()).texts
    assert "No attention was recorded." in parse((resnet / "report.html").read_text()).texts


def test_the_square_is_what_the_transformer_looks_at(vit: Path, colours: Path) -> None:
    """More than its share of the picture, through all layers."""
    run = load(vit)
    assert isinstance(run, PictureRun)
    look = run.look(colours / "test" / "red" / "1.png")
    assert (look.rows, look.columns) == (4, 4)
    assert look.rollout().sum() == pytest.approx(1)
    assert look["encoder.0.self"].queries[:3] == ("class", "0,0", "0,1")
    bright = look.pixels_YX3[..., 0].reshape(4, 64, 4, 64).mean(axis=(1, 3))
    square = bright > 120
    assert look.rollout()[square].mean() > look.rollout()[~square].mean()


def test_what_cannot_be_looked_at(vit: Path, resnet: Path, colours: Path, tmp_path: Path) -> None:
    picture = str(colours / "test" / "red" / "1.png")
    assert "resnet-mini is a CNN: it has no attention to look at" in refused("view", str(resnet), picture)
    assert "--to is for models of texts" in refused("view", str(vit), picture, "--to", "fr")
    assert "no attention layer 'encoder.7.self'" in refused(
        "view", str(vit), picture, "--layer", "encoder.7.self", "--output", str(tmp_path / "a.png")
    )
    assert "--head is of one layer" in refused("view", str(vit), picture, "--head", "1")
    assert "has heads 0 to 2, not 3" in refused(
        *("view", str(vit), picture, "--layer", "encoder.1.self", "--head", "3", "--output", str(tmp_path / "a.png"))
    )
    assert "the picture cannot be read: No such file" in refused("classify", str(vit), "gone.png")
    assert "--view draws one picture: 2 are given" in refused("classify", str(vit), picture, picture, "--view", "a.png")
    assert "is for translators" in refused("evaluate", str(vit), "--beam", "2")
    unlabelled = tmp_path / "plain"
    unlabelled.mkdir()
    Image.new("RGB", (9, 9)).save(unlabelled / "a.png")
    assert "has no label: expected one of blue, green, red" in refused("evaluate", str(vit), "--data", str(unlabelled))


def test_new_labels_on_a_trained_body(vit: Path, resnet: Path, place: Path, tmp_path: Path) -> None:
    """The head is new, the rest and the scale of the colours are the old ones."""
    shades = draw_folder(tmp_path / "shades", 30, colours={"dark": (60, 60, 60), "light": (220, 220, 220)})
    for name, old in (("vit", vit), ("resnet", resnet)):
        preset = f"{name}-mini"
        pixels = ("data.pixels=16",) if name == "resnet" else ()
        done = command(
            *("train", preset, f"data.train={shades}", *pixels, *TRAIN[:-1], "train.budget=1 steps", "train.lr=1e-9"),
            *("--run", str(place / f"shades-{name}"), "--init-from", str(old)),
        )
        assert done.exit_code == 0, done.stderr
        assert "begun with other weights, but new:" in done.stderr
        before, after = load(old), load(place / f"shades-{name}")
        assert isinstance(before, PictureRun)
        assert isinstance(after, PictureRun)
        assert after.sight.channels == before.sight.channels
        assert after.labels.names == ("dark", "light")
        own = weights_of(after.model)
        head = after.model.HEADS[0]
        for key, tensor in weights_of(before.model).items():
            if not key.startswith(head) and "running" not in key:
                assert (own[key] - tensor).abs().max() < 1e-6


@pytest.mark.exactness
def test_stopped_and_resumed_it_ends_the_same(place: Path, data: tuple[str, str], tmp_path: Path) -> None:
    """Statistics of batch norms, varied and mixed pictures and averaged weights included."""
    how = (
        *("train.schedule=constant", "train.warmup=2", "train.validate_every=4 steps", "train.average=2"),
        *("train.augment=strong", "train.mix=0.5"),
    )
    whole = trained(tmp_path / "whole", *RESNET, *data, *how, "train.budget=8 steps")
    parted = trained(tmp_path / "parted", *RESNET, *data, *how, "train.budget=4 steps")
    done = command("resume", str(parted), "train.budget=8 steps")
    assert done.exit_code == 0, done.stderr
    assert outcome(whole) == outcome(parted)


def test_check_shows_what_a_training_would_take(data: tuple[str, str]) -> None:
    done = command("check", *VIT, *data, *TRAIN)
    assert done.exit_code == 0, done.stderr
    assert "pictures/s" in done.stdout
    assert "and one of 16 pictures ran" in done.stdout or "and one of 15 pictures ran" in done.stdout


def test_batch_norms_see_the_whole_batch(data: tuple[str, str]) -> None:
    message = refused("train", *RESNET, *data, "train.workers=2")
    assert "train.workers is 2, but the model has batch norms, which look at a whole batch at once" in message


def test_several_systems_side_by_side(data: tuple[str, str], tmp_path: Path) -> None:
    """Each in a process of its own, on pictures that are decoded once."""
    for name, model in (
        ("small-vit", "vit-mini, size: 16, dim: 12, layers: 1"),
        ("small-resnet", "resnet-mini, width: 4"),
    ):
        text = f"task: picture-classification\nmodel: {{preset: {model}}}\ntrain: {{threads: 1, batch_pictures: 32}}\n"
        (tmp_path / f"{name}.yaml").write_text(text)
    systems = [str(tmp_path / f"{name}.yaml") for name in ("small-vit", "small-resnet")]
    size = ("data.pixels=16", "data.holdout=0.15")
    done = command(
        *("compare", *systems, *data, *size, "--budget", "1 epochs", "--folder", str(tmp_path / "both"), "--json")
    )
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    assert {one["name"] for one in found["systems"]} == {"small-vit", "small-resnet"}
    for one in found["systems"]:
        assert one["tokens"] == found["systems"][0]["tokens"] > 100
        assert one["flops"] > 0
        assert read_results(Path(one["run"]))[-1]["scores"][0]["value"] == one["accuracy"]["value"]
    assert done.stderr.count("labels: blue, green, red") == 1
    for name in ("compare.png", "compare.svg", "report.html"):
        assert (tmp_path / "both" / name).stat().st_size > 10_000
