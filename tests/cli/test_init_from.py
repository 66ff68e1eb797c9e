"""``saccade train`` and ``check --init-from``: whose model it is, and what the recipe still decides."""

from pathlib import Path

import pytest
import torch

from command import command, refused
from saccade.recipe import load as load_recipe
from saccade.runs import load

TINY = ("model.dim=16", "model.heads=2", "model.layers=1", "model.ff_dim=16", "train.threads=1")
STORIES = "\n\n".join("the dog was red .\nit lived in Rome .\nnobody saw it ." for _ in range(20))
NAMES = "Anna B-PER\nsleeps O\n\nRome B-LOC\nsleeps O\n\n" * 8
TAGGER = """
task: tagging
data: {train: names.txt, valid: names.txt}
model: {preset: minilm, frozen: true, head: lstm, dim: 32}
train: {budget: 2 steps, lr: 0.1, threads: 1}
"""


@pytest.fixture
def bert(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("stories.txt").write_text(STORIES)
    Path("names.txt").write_text(NAMES)
    Path("tagger.yaml").write_text(TAGGER)
    keys = ("data.train=stories.txt", "data.valid=stories.txt", "data.context=24", *TINY, "train.budget=1 steps")
    done = command("train", "bert-mini", *keys, "--run", "bert")
    assert done.exit_code == 0, done.stderr
    return "bert"


def test_the_body_is_the_runs_and_the_head_the_recipes(bert: str) -> None:
    done = command("train", "tagger.yaml", "--run", "tagger", "--init-from", bert)
    assert done.exit_code == 0, done.stderr
    made = load_recipe("tagger/recipe.yaml").model
    assert (made.preset, made.options["dim"]) == ("bert-mini", 16)
    assert (made.options["frozen"], made.options["head"]) == (True, "lstm")
    before, after = (dict(load(run).model.named_parameters()) for run in (bert, "tagger"))
    body = [name for name in before if name.startswith(("embedding.", "encoder."))]
    assert body
    assert all(torch.equal(before[name], after[name]) for name in body)


def test_what_the_command_line_says_counts_most(bert: str) -> None:
    done = command("train", "tagger.yaml", "model.frozen=false", "model.read=0", "--run", "tagger", "--init-from", bert)
    assert done.exit_code == 0, done.stderr
    made = load_recipe("tagger/recipe.yaml").model.options
    assert (made["frozen"], made["read"]) == (False, "0")


def test_a_frozen_body_without_trained_weights_is_refused(bert: str) -> None:
    told = refused("train", "tagger.yaml", "model.dim=384", "--run", "tagger")
    assert "model.frozen: nothing is learned below the head" in told
    assert not Path("tagger").exists()


def test_it_can_be_checked_before(bert: str) -> None:
    before = sorted(Path().rglob("*"))
    done = command("check", "tagger.yaml", "--init-from", bert)
    assert done.exit_code == 0, done.stderr
    assert "begun with other weights, but new: labels, recurrent" in done.stderr
    assert "model:    bert-mini" in done.stdout
    assert sorted(Path().rglob("*")) == before
    assert "model.frozen: nothing is learned below the head" in refused("check", "tagger.yaml", "model.dim=384")
