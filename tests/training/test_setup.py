import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch

from command import TRANSLATOR, command, refused
from saccade.models import catalogue
from saccade.recipe import load
from saccade.runs import load as load_run
from saccade.tasks.corpus import CorpusSettings
from saccade.tasks.reward import RewardSettings
from saccade.training.flops import measured_cost
from saccade.training.folder import RunFolder
from saccade.training.kinds import corpus_settings, decode_settings, reward_settings
from saccade.training.setup import make_model, use_machine, warmup_steps
from saccade.training.weights import weights_of
from tasks.parts import many_pairs, model_for, prepared, task_for, write_pairs
from training.trainings import settings, small_task


def test_a_model_depends_on_recipe_and_seed_alone(translator: Path) -> None:
    run = load_run(translator)
    torch.rand(7)
    first = weights_of(make_model(run.recipe, run.tokenizers))
    torch.rand(3)
    second = weights_of(make_model(run.recipe, run.tokenizers))
    other = weights_of(make_model(run.recipe.model_copy(update={"seed": 2}), run.tokenizers))
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert not any(torch.equal(first[name], other[name]) for name in first if first[name].ndim > 1)


def test_the_recipe_is_taken_apart() -> None:
    overrides = ["data.train=a.tsv", "data.max_ratio=null", "tokenizer.shared=false", "model.embeddings=tied"]
    recipe = load("transformer-tiny", [*overrides, "decode.beam=3"], models=catalogue())
    corpus = corpus_settings(recipe)
    assert corpus.train == ("a.tsv",)
    assert corpus.rules.max_ratio is None
    assert not corpus.shared
    assert decode_settings(recipe.decode).beam == 3
    assert decode_settings(recipe.decode, beam=7, nbest=None).beam == 7
    assert reward_settings(recipe.train) is None
    rewarded = load("transformer-tiny", [*overrides, "train.reward=gleu", "train.reward_samples=3"], models=catalogue())
    assert reward_settings(rewarded.train) == RewardSettings("gleu", share=0.9, samples=3)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"warmup": 7}, 7),
        ({"warmup": None, "budget": "50 steps"}, 5),
        ({"warmup": None, "budget": "3 steps"}, 1),
        ({"warmup": None, "budget": "1000000 steps"}, 1000),
        ({"warmup": None, "budget": "2 hours"}, 1000),
        ({"warmup": None, "budget": "1e6 flops"}, 1),
        ({"warmup": None, "budget": "1e18 flops"}, 1000),
    ],
)
def test_the_warmup_follows_the_budget(tmp_path: Path, changes: dict[str, Any], expected: int) -> None:
    task = small_task(tmp_path)
    cost = measured_cost(task, model_for(task.corpus.tokenizers))
    assert warmup_steps(settings(**changes), task, cost) == expected


def test_small_data_gets_small_batches(tmp_path: Path) -> None:
    train = write_pairs(tmp_path / "train.tsv", many_pairs(400))
    corpus, _ = prepared(tmp_path / "corpus", CorpusSettings(train=(train,), valid=(train,), kind="words"))
    assert len(task_for(corpus, batch_tokens=None).batches.epoch(0)) >= 20
    assert task_for(corpus, batch_tokens=4096).batches.batch_tokens == 4096


def test_threads() -> None:
    use_machine(1)
    assert torch.get_num_threads() == 1


def test_tensorboard_has_the_rows_of_the_metrics(translator: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    board = EventAccumulator(str(translator / "tensorboard"))
    board.Reload()
    rows = [json.loads(line) for line in (translator / "metrics.jsonl").read_text().splitlines()]
    for tag, kind, key in [("train/loss", "train", "loss"), ("valid/bleu", "valid", "bleu")]:
        expected = [(row["step"], row[key]) for row in rows if row["kind"] == kind]
        found = [(event.step, event.value) for event in board.Scalars(tag)]
        assert len(found) == len(expected) > 1
        for (step, value), (expected_step, expected_value) in zip(found, expected, strict=True):
            assert step == expected_step
            assert value == pytest.approx(expected_value, rel=1e-5)


def test_init_from_begins_with_the_weights_and_the_tokenizer_of_a_run(translator: Path, tuned: Path) -> None:
    assert (tuned / "initial.safetensors").read_bytes() == (translator / "model.safetensors").read_bytes()
    assert (tuned / "tokenizer.json").read_bytes() == (translator / "tokenizer.json").read_bytes()
    assert (tuned / "model.safetensors").read_bytes() != (translator / "model.safetensors").read_bytes()
    last, first = (
        [
            row["loss"]
            for row in map(json.loads, (path / "metrics.jsonl").read_text().splitlines())
            if row["kind"] == "valid"
        ]
        for path in (translator, tuned)
    )
    assert first[0] < last[0] / 2  # it did not begin anew


def test_init_from_a_model_of_another_shape(translator: Path, tmp_path: Path) -> None:
    wider = [o.replace("model.dim=32", "model.dim=64") for o in TRANSLATOR]
    path = tmp_path / "run"
    message = refused("train", "transformer-tiny", *wider, "--run", str(path), "--init-from", str(translator))
    assert "initial.safetensors does not fit the model (of another shape: " in message
    assert not path.exists()


def test_init_from_a_run_without_weights(tmp_path: Path) -> None:
    RunFolder.create(tmp_path / "bare", "")
    message = refused("train", "transformer-tiny", *TRANSLATOR, "--init-from", str(tmp_path / "bare"))
    assert f"{tmp_path / 'bare'} has no trained weights yet: go on with `saccade resume" in message


def test_a_longer_budget_goes_on(tuned: Path, tmp_path: Path) -> None:
    run = tmp_path / "copy"
    shutil.copytree(tuned, run)
    before = json.loads((run / "last" / "state.json").read_text())["state"]["progress"]
    assert before["epochs"] == 2.0
    done = command("resume", str(run), "train.budget=3 epochs")
    assert done.exit_code == 0, done.stderr
    after = json.loads((run / "last" / "state.json").read_text())["state"]["progress"]
    assert after["epochs"] == 3.0
    assert "budget: 3 epochs" in (run / "recipe.yaml").read_text()
    assert "a training that goes on may change only keys of train" in refused("resume", str(run), "model.dim=64")
