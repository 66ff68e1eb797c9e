"""The fourth promise for language models: gone on after any step, the training ends bit-identical."""

from pathlib import Path
from typing import Any

import pytest

from command import command
from saccade.models import catalogue
from saccade.recipe import load_text
from saccade.recipe.by_task import METRICS
from saccade.tasks.language import LanguageTask
from saccade.training.flops import counted_flops, measured_cost
from saccade.training.folder import RunFolder
from saccade.training.kinds import KINDS, language_settings
from saccade.training.loop import Training
from saccade.training.setup import warmup_steps
from tasks.texts import language_model, language_task, small_corpus, write_texts
from training.trainings import Told, outcome, settings


def training(place: Path, task: LanguageTask, **changes: Any) -> Training:
    path = place / "run"
    folder = RunFolder.open(path) if path.exists() else RunFolder.create(path, "")
    how = settings(**changes)
    model = language_model(task.corpus.tokenizer, dropout=0.3)
    cost = measured_cost(task, model)
    warmup = warmup_steps(how, task, cost)
    return Training(task, model, how, folder, seed=1, warmup=warmup, cost=cost, watch=Told())


@pytest.mark.exactness
def test_gone_on_after_any_step_it_ends_the_same(tmp_path: Path) -> None:
    """Over the border of an epoch, with accumulated batches."""

    class Ended(BaseException):
        pass

    class Fuse(Told):
        def stepped(self, *told: Any) -> None:
            super().stepped(*told)
            if len(self.steps) > 4:
                raise Ended

    task = language_task(small_corpus(tmp_path))
    changes: dict[str, Any] = {"accumulate": 2, "save_every": "1 step", "log_every": 4}
    whole = training(tmp_path / "whole", task, **changes)
    whole.run()
    assert whole.progress.epochs > 2
    for _ in range(2):
        one = training(tmp_path / "parts", task, **changes)
        one.watch = Fuse()
        with pytest.raises(Ended):
            one.run()
    last = training(tmp_path / "parts", task, **changes)
    assert 0 < last.progress.step < 12
    assert last.run() == "budget"
    assert outcome(tmp_path / "parts" / "run") == outcome(tmp_path / "whole" / "run")


@pytest.mark.exactness
def test_two_processes_compute_what_one_does(tmp_path: Path) -> None:
    """Helpers make the same task from the recipe; what differs is the order of a sum."""
    text = write_texts(tmp_path / "my.txt", 60)
    losses = []
    for workers in (1, 2):
        run = tmp_path / f"run-{workers}"
        done = command(
            *("train", "rnn-lm", f"data.train={text}", "data.context=24", "tokenizer.kind=words", "model.dim=16"),
            *(
                "model.dropout=0",
                "train.batch_tokens=96",
                "train.budget=4 steps",
                "train.warmup=2",
                "train.log_every=1",
            ),
            *("train.threads=1", f"train.workers={workers}", "--run", str(run)),
        )
        assert done.exit_code == 0, done.stderr
        losses.append([row["loss"] for row in outcome(run)["metrics"]])
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)


@pytest.mark.parametrize("preset", ["rnn-lm", "rnn-self-lm", "lstmn-lm"])
def test_the_operations_of_a_batch_are_known_before_it_runs(tmp_path: Path, preset: str) -> None:
    task = language_task(small_corpus(tmp_path))
    model = language_model(task.corpus.tokenizer, preset=preset)
    cost = measured_cost(task, model)
    for rows in task.batches.epoch(0)[:3]:
        assert cost.flops(task.work(rows)) == pytest.approx(counted_flops(task, model, rows), rel=1e-3)


def test_the_recipe_is_taken_apart() -> None:
    recipe = load_text(
        "task: language-model\ndata: {train: [a.txt, b.txt], documents: line, context: 40, holdout: 0.1}\n"
        "tokenizer: {kind: characters, lowercase: true}\nmodel: {preset: rnn-lm}\n",
        models=catalogue(),
    )
    found = language_settings(recipe)
    assert (found.train, found.borders, found.holdout) == (("a.txt", "b.txt"), "line", 0.1)
    assert (found.kind, found.lowercase) == ("characters", True)
    assert set(KINDS) == set(METRICS)
