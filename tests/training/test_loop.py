import math
from copy import copy
from itertools import count, islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from saccade.data.batches import Position
from saccade.errors import RunError
from saccade.tasks.reward import RewardSettings
from saccade.tasks.translation import TranslationTask
from saccade.training.folder import RunFolder
from saccade.training.loop import Training
from saccade.training.optimizers import make_optimizer, optimizer_tensors
from saccade.training.progress import Progress
from saccade.training.storage import load_tensors
from saccade.training.weights import mean_weights, weights_of
from tasks.parts import model_for
from training.trainings import Told, outcome, rows_of, settings, small_task, training


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> TranslationTask:
    return small_task(tmp_path_factory.mktemp("task"))


def told(one: Training) -> Told:
    assert isinstance(one.watch, Told)
    return one.watch


@pytest.mark.parametrize(
    ("budget", "unit"),
    [
        ("7 steps", "step"),
        ("300 tokens", "tokens"),
        ("2 epochs", "epochs"),
        ("1e8 flops", "flops"),
        ("0.01 minutes", ""),
    ],
)
def test_a_budget_ends_where_it_should(tmp_path: Path, task: TranslationTask, budget: str, unit: str) -> None:
    one = training(tmp_path, task, budget=budget, validate_every="1000 steps", log_every=1)
    assert one.run() == "budget"
    wanted = float(budget.split()[0])
    batches = len(task.batches.epoch(0)) + len(task.batches.epoch(1))
    match unit:
        case "step":
            assert one.progress.step == 7
        case "tokens":
            rows = [row for row in rows_of(one.folder.path) if row["kind"] == "train"]
            assert one.progress.tokens >= wanted > rows[-2]["tokens"]
        case "flops":
            rows = [row for row in rows_of(one.folder.path) if row["kind"] == "train"]
            assert one.progress.flops >= wanted > rows[-2]["flops"]
        case "epochs":
            assert (one.progress.step, one.progress.epochs) == (batches, 2.0)
        case _:
            assert one.progress.seconds >= 0.6
            assert one.progress.step > 1
    assert one.progress.validated_step == one.progress.step  # the end is always validated and saved
    assert one.folder.model.exists()


def test_an_open_warmup_is_a_tenth_of_the_minutes_and_stays_so(
    tmp_path: Path, task: TranslationTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = count()  # a clock that goes on when it is looked at: twice a step
    monkeypatch.setattr("saccade.training.loop.time", SimpleNamespace(perf_counter=lambda: float(next(seconds))))
    how: dict[str, Any] = {"warmup": None, "lr": 1e-3, "validate_every": "100000 steps", "log_every": 1}
    one = training(tmp_path, task, budget="1 minute", **how)
    one.run()
    rates = [row["lr"] for row in rows_of(one.folder.path) if row["kind"] == "train"]
    peak = one.progress.warmup
    assert peak == pytest.approx(len(rates) / 10, abs=1)
    assert rates[peak - 1] == max(rates) == 1e-3
    assert rates[:peak] == sorted(rates[:peak])
    assert rates[-1] == pytest.approx(1e-3 * math.sqrt(peak / len(rates)))
    longer = training(tmp_path, task, budget="2 minutes", **how)
    longer.run()
    assert longer.progress.step > len(rates)
    assert longer.progress.warmup == peak


def test_metrics_have_a_row_for_every_log_and_validation(tmp_path: Path, task: TranslationTask) -> None:
    one = training(tmp_path, task)
    one.run()
    rows = rows_of(one.folder.path)
    assert [(row["kind"], row["step"]) for row in rows] == [
        ("train", 3),
        ("train", 6),
        ("valid", 6),
        ("train", 9),
        ("train", 12),
        ("valid", 12),
    ]
    train, valid = rows[0], rows[2]
    assert train.keys() == {"kind", "step", "epoch", "loss", "lr", "gradient_norm", "tokens", "flops"}
    assert valid.keys() == {
        "kind", "step", "epoch", "loss", "perplexity", "bleu", "chrf", "metric", "score", "best",
    }  # fmt: skip
    assert train["lr"] == pytest.approx(1e-3 * math.sqrt(2 / 3))
    assert valid["perplexity"] == pytest.approx(math.exp(valid["loss"]))
    assert valid["score"] == -valid["loss"]
    placed = list(islice(task.stream(Position()), 3))
    tokens = [task.tokens(each.rows) for each in placed]
    assert train["tokens"] == sum(tokens)
    assert train["flops"] == sum(one.cost.flops(task.work(each.rows)) for each in placed)
    losses = told(one).losses[:3]
    assert train["loss"] == pytest.approx(np.dot(losses, tokens) / sum(tokens))
    assert [row["step"] for row in told(one).rows] == [6, 12]


def test_samples_are_kept(tmp_path: Path, task: TranslationTask) -> None:
    one = training(tmp_path, task)
    one.run()
    assert sorted(path.name for path in one.folder.samples.iterdir()) == ["step-000006.json", "step-000012.json"]


def test_the_best_weights_are_kept(tmp_path: Path, task: TranslationTask) -> None:
    one = training(tmp_path, task, lr=0.05, schedule="constant", budget="40 steps", validate_every="5 steps")
    one.run()
    rows = [row for row in rows_of(one.folder.path) if row["kind"] == "valid"]
    best = min(rows, key=lambda row: row["loss"])
    assert one.progress.best_step == best["step"]
    assert one.progress.best == -best["loss"]
    kept = model_for(task.corpus.tokenizers)
    kept.load_state_dict(load_tensors(one.folder.model), strict=False)
    with torch.no_grad():
        assert task.validate(kept.eval()).loss == pytest.approx(best["loss"], rel=1e-6)


def test_patience_ends_a_training_that_gets_no_better(tmp_path: Path, task: TranslationTask) -> None:
    one = training(tmp_path, task, lr=1e-12, budget="100 steps", validate_every="2 steps", metric="bleu", patience=3)
    assert one.run() == "patience"
    assert one.progress.step == one.progress.best_step + 3 * 2 < 100
    assert one.progress.stale == 3
    again = training(tmp_path, task, lr=1e-12, budget="100 steps", metric="bleu", patience=3)
    assert again.run() == "patience"
    assert again.progress == one.progress


def test_of_equal_scores_the_lower_loss_is_better(tmp_path: Path, task: TranslationTask) -> None:
    one = training(tmp_path, task, lr=1e-4, metric="bleu")
    one.run()
    rows = [row for row in rows_of(one.folder.path) if row["kind"] == "valid"]
    assert rows[0]["score"] == rows[1]["score"] == 0
    assert rows[1]["loss"] < rows[0]["loss"]
    assert [row["best"] for row in rows] == [True, True]


@pytest.mark.exactness
def test_accumulated_batches_are_one_big_batch(tmp_path: Path, task: TranslationTask) -> None:
    accumulate = len(task.batches.epoch(0))
    assert accumulate > 2
    chosen: dict[str, Any] = {"eps": 1e-3, "clip": 0.5, "warmup": 1}
    one = training(tmp_path, task, accumulate=accumulate, budget="1 step", **chosen)
    one.run()
    assert one.progress.epochs == 1.0

    model = model_for(task.corpus.tokenizers).train()
    optimizer = make_optimizer(model, settings(**chosen))
    everything = np.arange(len(task.corpus.source))
    loss = task.loss(model, everything)
    (loss.total / loss.tokens).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step()
    for name, weights in weights_of(model).items():
        torch.testing.assert_close(weights_of(one.model)[name], weights, atol=1e-6, rtol=0)
    state = optimizer_tensors(optimizer, model)
    for name, tensor in optimizer_tensors(one.optimizer, one.model).items():
        torch.testing.assert_close(tensor, state[name], atol=1e-6, rtol=0)


def test_what_is_validated_and_kept_is_the_mean_of_the_last_weights(tmp_path: Path, task: TranslationTask) -> None:
    one = training(tmp_path, task, average=3, budget="20 steps", validate_every="4 steps")
    one.run()
    names = [f"snapshot-{step:08}.safetensors" for step in (12, 16, 20)]
    assert [path.name for path in one.snapshots] == names
    assert sorted(path.name for path in one.folder.last.glob("snapshot-*")) == names
    assert one.progress.best_step == 20
    kept, mean = load_tensors(one.folder.model), mean_weights(one.snapshots)
    assert all(torch.equal(kept[name], tensor) for name, tensor in mean.items())
    # Validation wore the mean, and gave the weights back as they were.
    own = load_tensors(one.snapshots[-1])
    assert all(torch.equal(tensor, own[name]) for name, tensor in weights_of(one.model).items())
    plain = training(tmp_path / "plain", task, budget="20 steps", validate_every="4 steps")
    plain.run()
    assert all(torch.equal(tensor, own[name]) for name, tensor in weights_of(plain.model).items())


def test_a_loss_that_is_not_finite_stops_the_training(tmp_path: Path, task: TranslationTask) -> None:
    one = training(tmp_path, task, lr=1e30, warmup=1, budget="50 steps", save_every="1 step", validate_every="50 steps")
    with pytest.raises(RunError) as caught:
        one.run()
    message = str(caught.value)
    step = one.progress.step + 1
    assert message.startswith(f"step {step}: the loss is ")
    assert "so training stops before the weights are spoilt; the last checkpoint is whole" in message
    assert "Lower train.lr (1e+30) or raise train.warmup (1)" in message
    assert "'sentence number " in message
    assert ' → "phrase numéro ' in message
    again = training(tmp_path, task, model_for(task.corpus.tokenizers, seed=8), budget="50 steps")
    assert again.progress.step == one.progress.step >= 1
    assert again.progress.position == one.progress.position


@pytest.mark.exactness
@pytest.mark.parametrize("changes", [{}, {"average": 2, "accumulate": 2}, {"optimizer": "adam", "schedule": "cosine"}])
def test_the_same_seed_gives_the_same_bits(tmp_path: Path, task: TranslationTask, changes: dict[str, Any]) -> None:
    found = []
    for name in ("a", "b"):
        model = model_for(task.corpus.tokenizers, dropout=0.3)
        one = training(tmp_path / name, task, model, save_every="5 steps", **changes)
        one.run()
        found.append(outcome(one.folder.path))
    assert found[0] == found[1]
    other = training(tmp_path / "c", task, model_for(task.corpus.tokenizers, seed=2, dropout=0.3), **changes)
    other.run()
    assert outcome(other.folder.path)["files"] != found[0]["files"]


@pytest.mark.exactness
@pytest.mark.parametrize(
    ("options", "reward"),
    [
        ({"dropout": 0.3}, None),
        ({"dropout": 0.3, "experts": 3}, None),
        ({"dropout": 0.3}, RewardSettings("bleu", share=0.9, samples=2)),
    ],
    ids=["dropout", "experts", "reward"],
)
def test_gone_on_after_any_step_it_ends_the_same(
    tmp_path: Path, task: TranslationTask, options: dict[str, Any], reward: RewardSettings | None
) -> None:
    """With random numbers, averaging, accumulation, and a log row under way when the process ends."""

    class Ended(BaseException):
        pass

    class Fuse(Told):
        def __init__(self, left: int) -> None:
            super().__init__()
            self.left = left

        def stepped(self, progress: Progress, loss: float) -> None:
            super().stepped(progress, loss)
            self.left -= 1
            if self.left < 0:
                raise Ended

    task = copy(task)
    task.reward = reward
    changes: dict[str, Any] = {"average": 2, "accumulate": 2, "save_every": "1 step", "log_every": 4}
    whole = training(tmp_path / "whole", task, model_for(task.corpus.tokenizers, **options), **changes)
    whole.run()
    RunFolder.create(tmp_path / "parts" / "run", "")
    for _ in range(5):
        one = training(tmp_path / "parts", task, model_for(task.corpus.tokenizers, **options), **changes)
        one.watch = Fuse(2)  # two steps, and a third that is lost
        with pytest.raises(Ended):
            one.run()
        torch.rand(5)
    last = training(tmp_path / "parts", task, model_for(task.corpus.tokenizers, **options), **changes)
    assert last.run() == "budget"
    assert outcome(tmp_path / "parts" / "run") == outcome(tmp_path / "whole" / "run")


def test_bfloat16_learns_too(tmp_path: Path, task: TranslationTask) -> None:
    one = training(tmp_path, task, precision="bfloat16", lr=1e-2)
    one.run()
    assert told(one).losses[-1] < told(one).losses[0]
