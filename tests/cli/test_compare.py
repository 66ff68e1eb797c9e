"""`saccade compare` as a user meets it: two very small systems on scenes, killed and gone on with, refused."""

import json
import shutil
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from command import command, process, refused
from saccade.compare.folder import CompareFolder
from saccade.compare.plan import make_plan
from saccade.evaluation.results import read_results
from training.trainings import Process, outcome

BUDGET = "2e9 flops"
RECIPES = {
    "small-transformer": "{preset: transformer-tiny, dim: 32, heads: 2, encoder_layers: 1, decoder_layers: 1}",
    "small-rnn": "{preset: rnn-additive, dim: 32}",
}
TRAIN = (
    "{threads: 1, workers: 1, batch_tokens: 512, lr: 6e-3, warmup: 5, save_every: 2 steps, log_every: 5, "
    "valid_sentences: 10}"
)
DATA = (
    "data.train=scenes:en-fr?size=600",
    "data.valid=scenes:en-fr?size=20",
    "data.test=scenes:en-fr?size=30",
    "tokenizer.kind=words",
)
CLOCK = ("seconds", "decoding_seconds", "sentences_per_second", "memory", "date", "run", "machine")


@dataclass(frozen=True)
class Done:
    folder: Path
    said: str
    table: str

    @property
    def result(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / "compare.json").read_text())
        return found


def recipes_in(place: Path) -> list[str]:
    for name, model in RECIPES.items():
        text = f"task: translation\nmodel: {model}\ntrain: {TRAIN}\ndecode: {{beam: 2, max_length: 20}}\n"
        (place / f"{name}.yaml").write_text(text)
    return [f"{name}.yaml" for name in RECIPES]


def arguments(place: Path) -> list[str]:
    return [*recipes_in(place), *DATA, "--budget", BUDGET, "--folder", "both"]


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Done:
    place = tmp_path_factory.mktemp("compared")
    finished = process("compare", *arguments(place), cwd=place, timeout=400)
    assert finished.returncode == 0, finished.stderr.decode()
    return Done(place / "both", finished.stderr.decode(), finished.stdout.decode())


def timeless(result: dict[str, Any]) -> list[dict[str, Any]]:
    """The systems without what tells of the clock and of the machine."""
    return [{key: value for key, value in one.items() if key not in CLOCK} for one in result["systems"]]


@pytest.mark.exactness
def test_two_systems_side_by_side(done: Done) -> None:
    assert "system 1 of 2: small-transformer (0:00 spent)" in done.said
    assert "system 2 of 2: small-rnn (0:" in done.said
    assert done.said.count("tokenizer: words") == 1  # data and tokenizer are made once
    assert done.said.count(f"done ({BUDGET})") == 2
    lines = done.table.splitlines()
    assert lines[0].startswith(f"30 sentences of scenes:en-fr?size=30, {BUDGET} for each system")
    assert {line.split()[0] for line in lines[2:]} == set(RECIPES)
    result = done.result
    assert result["budget"] == BUDGET
    assert result["command"].startswith("saccade compare small-transformer.yaml small-rnn.yaml")
    assert [one["bleu"]["value"] for one in result["systems"]] == sorted(
        (one["bleu"]["value"] for one in result["systems"]), reverse=True
    )
    for one in result["systems"]:
        assert one["memory"] > 50 * 2**20
        assert one["sentences_per_second"] > 0
        assert 0 < one["alignment_error"] <= 1
        assert one["decode"]["beam"] == 2
        run = done.folder / "systems" / one["name"]
        assert read_results(run)[-1]["scores"][0]["value"] == one["bleu"]["value"]
    tokenizers = {(done.folder / "systems" / name / "tokenizer.json").read_bytes() for name in RECIPES}
    assert tokenizers == {(done.folder / "tokenizer.json").read_bytes()}
    for name in ("compare.png", "compare.svg", "report.html"):
        assert (done.folder / name).stat().st_size > 10_000


@pytest.mark.exactness
def test_the_budget_makes_them_equal(done: Done) -> None:
    """Each ends with the first step that reaches the budget."""
    for one in done.result["systems"]:
        assert 2e9 <= one["flops"] < 2e9 + 1.5 * one["flops"] / one["steps"]
        rows = map(json.loads, (done.folder / "systems" / one["name"] / "metrics.jsonl").read_text().splitlines())
        assert all(row["flops"] < 2e9 for row in rows if row["kind"] == "train" and row["step"] < one["steps"])


@pytest.mark.exactness
def test_again_it_trains_nothing_and_says_the_same(done: Done) -> None:
    state = done.folder / "systems" / "small-rnn" / "last" / "state.json"
    before = state.stat().st_mtime_ns
    result = done.result
    again = process("compare", *arguments(done.folder.parent), "--json", cwd=done.folder.parent, timeout=400)
    assert again.returncode == 0, again.stderr.decode()
    assert "system 1" not in again.stderr.decode()
    said = json.loads(again.stdout)
    assert said["systems"] == result["systems"]
    assert state.stat().st_mtime_ns == before


@pytest.mark.exactness
def test_stopped_and_killed_it_goes_on_to_the_same_table(done: Done, tmp_path: Path) -> None:
    def state(name: str) -> Path:
        return tmp_path / "both" / "systems" / name / "last" / "state.json"

    ends = ((signal.SIGTERM, 128 + signal.SIGTERM), (signal.SIGKILL, -signal.SIGKILL))
    for name, (number, code) in zip(RECIPES, ends, strict=True):
        with Process("compare", *arguments(tmp_path), cwd=tmp_path) as comparing:
            comparing.wait_until(state(name).exists)
            comparing.popen.send_signal(number)
            assert comparing.wait() == code, comparing.said()
        assert not (tmp_path / "both" / "measured" / f"{name}.json").exists()
    first = state("small-transformer").stat().st_mtime_ns
    with Process("compare", *arguments(tmp_path), cwd=tmp_path) as last:
        assert last.wait() == 0, last.said()
        assert "system 1 of 2" not in last.said()
        assert "system 2 of 2: small-rnn (0:" in last.said()
    assert state("small-transformer").stat().st_mtime_ns == first  # finished before: not trained again
    result = json.loads((tmp_path / "both" / "compare.json").read_text())
    assert timeless(result) == timeless(done.result)
    for name in RECIPES:
        assert outcome(tmp_path / "both" / "systems" / name) == outcome(done.folder / "systems" / name)


@pytest.mark.exactness
def test_a_training_that_fails_is_told(done: Done, tmp_path: Path) -> None:
    """A checkpoint that was spoilt: the training says why, and the comparison which one it was."""
    shutil.copytree(done.folder, tmp_path / "both")
    (tmp_path / "both" / "measured" / "small-rnn.json").unlink()
    (tmp_path / "both" / "systems" / "small-rnn" / "last" / "state.json").write_text("{")
    finished = process("compare", *arguments(tmp_path), cwd=tmp_path, timeout=400)
    assert finished.returncode == 2
    said = finished.stderr.decode()
    assert "state.json is damaged" in said
    assert "both/systems/small-rnn could not be trained, for the reason above" in said


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_cannot_be_compared(here: Path) -> None:
    names = recipes_in(here)
    hour = ("--budget", "1 hour")
    assert "no recipe is named" in refused("compare", *DATA, *hour)
    assert 'no recipe "rnn-aditive"' in refused("compare", "rnn-aditive", *DATA, *hour)
    assert "data.train: missing" in refused("compare", *names, *hour)
    assert "steps are not comparable" in refused("compare", *names, *DATA, "--budget", "9 steps")
    assert "no test set is named" in refused("compare", *names, DATA[0], *hour)
    assert not (here / "runs").exists() or not list((here / "runs").iterdir())


def test_data_that_is_not_there_is_told_before_anything_is_trained(here: Path) -> None:
    message = refused("compare", *recipes_in(here), *DATA[:2], "data.test=gone.tsv", "--budget", "1 hour")
    assert "gone.tsv: no such file" in message
    message = refused("compare", *recipes_in(here), "data.train=gone.tsv", *DATA[1:], "--budget", "1 hour")
    assert "gone.tsv: no such file" in message
    assert not list((here / "runs").iterdir())  # nothing is left in the way of the mended command


def test_a_folder_with_another_comparison(here: Path) -> None:
    names = recipes_in(here)
    CompareFolder.make(here / "c", make_plan([*names, *DATA], "1 hour"))
    message = refused("compare", *names, *DATA, "--budget", "2 hours", "--folder", "c")
    assert "c holds another comparison: its budget is 60 minutes, not 120 minutes" in message


def test_help_teaches(here: Path) -> None:
    shown = command("compare", "--help").stdout
    assert "--budget" in shown
    assert "saccade compare rnn-seq2seq rnn-additive transformer-tiny" in shown
    assert command("compare", "rnn-dot").exit_code == 2  # without a budget
