"""Imported models through the command line: they were never trained here, and have no data of their own."""

from pathlib import Path

import pytest

from command import command, refused
from interop.test_huggingface import saved, saved_gpt, their_bert, their_gpt
from saccade.recipe import load as load_recipe

pytestmark = pytest.mark.parity

STORIES = "\n\n".join(f"the small dog barked .\nit was {word} .\nthe cat was tired ." for word in ("tired", "small"))


def imported(folder: Path, place: Path) -> str:
    done = command("import", "huggingface", str(folder), "--run", str(place))
    assert done.exit_code == 0, done.stderr
    return str(place)


def scores(run: str, data: Path) -> str:
    done = command("evaluate", run, "--data", str(data))
    assert done.exit_code == 0, (done.stderr, done.exception)
    return done.stdout


def test_a_language_model_is_evaluated_with_all_its_context(tmp_path: Path) -> None:
    run = imported(saved_gpt(their_gpt(), tmp_path / "theirs"), tmp_path / "run")
    (tmp_path / "a.txt").write_text(STORIES)
    assert "bits per byte" in scores(run, tmp_path / "a.txt")
    recipe = load_recipe(tmp_path / "run" / "recipe.yaml")
    assert recipe.data.context == recipe.model.options["max_length"]


def test_a_classifier_is_evaluated_and_reads_all_it_can(tmp_path: Path) -> None:
    labels = {0: "bad", 1: "good", 2: "fair"}
    peer = their_bert("BertForSequenceClassification", id2label=labels, num_labels=3)
    run = imported(saved(peer, tmp_path / "theirs"), tmp_path / "run")
    (tmp_path / "a.tsv").write_text("text\tlabel\nthe small dog\tgood\nthe cat was tired\tbad\n")
    assert "accuracy" in scores(run, tmp_path / "a.tsv")
    assert load_recipe(tmp_path / "run" / "recipe.yaml").data.max_length == 40


def test_only_heads_that_came_with_it_are_scored(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(STORIES)
    whole = imported(saved(their_bert(), tmp_path / "whole"), tmp_path / "run-whole")
    assert "pairs told" in scores(whole, tmp_path / "a.txt")
    words = imported(saved(their_bert("BertForMaskedLM"), tmp_path / "words"), tmp_path / "run-words")
    told = scores(words, tmp_path / "a.txt")
    assert "hidden words" in told
    assert "pairs told" not in told
    body = imported(saved(their_bert("BertModel"), tmp_path / "body"), tmp_path / "run-body")
    assert "no weights for finding hidden words" in refused("evaluate", body, "--data", str(tmp_path / "a.txt"))
