"""The training loop: one for every task and every model.

batch → loss → normalise by the tokens of the whole accumulated batch → clip → stop if not finite → optimiser → schedule
"""

import json
import math
import signal
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Literal, Protocol

import torch
from torch import nn

from saccade.data.batches import Placed, Rows
from saccade.errors import RunError
from saccade.files import write_text
from saccade.recipe import TrainSection
from saccade.tasks.base import Task, Validation
from saccade.training.checkpoint import Checkpoint
from saccade.training.crew import Crew
from saccade.training.flops import Cost
from saccade.training.folder import RunFolder
from saccade.training.gradient import parted
from saccade.training.metrics import MetricsLog, Scalars
from saccade.training.optimizers import make_optimizer
from saccade.training.progress import Progress, crossed, share
from saccade.training.schedules import WARMUP_PART, factor
from saccade.training.signals import interruptible
from saccade.training.storage import save_tensors
from saccade.training.weights import mean_weights, wearing, weights_of

Ending = Literal["budget", "patience", "interrupted", "terminated"]


class Watch(Protocol):
    """Somebody who is told how the training goes."""

    def stepped(self, progress: Progress, loss: float) -> None: ...

    def validated(self, row: dict[str, Any]) -> None: ...


class Training:
    """A training under way. ``run`` goes on from the last checkpoint, or from the beginning, to its end."""

    def __init__(
        self,
        task: Task,
        model: nn.Module,
        settings: TrainSection,
        folder: RunFolder,
        *,
        seed: int,
        warmup: int,
        cost: Cost,
        watch: Watch,
        crew: Crew | None = None,
        scalars: Scalars | None = None,
    ) -> None:
        self.task = task
        self.model = model
        self.settings = settings
        self.folder = folder
        self.seed = seed
        self.cost = cost
        self.watch = watch
        self.crew = crew or Crew(task, model, bfloat16=settings.precision == "bfloat16")
        self.optimizer = make_optimizer(model, settings)
        self.checkpoint = Checkpoint(folder.last)
        self.progress = Progress(warmup=warmup)
        self.snapshots: tuple[Path, ...] = ()
        if self.checkpoint.exists():
            saved = self.checkpoint.restore(model, self.optimizer)
            self.progress, self.snapshots = saved.progress, saved.snapshots
            if settings.warmup is not None:  # otherwise it stays what it was, even if the budget has grown
                self.progress = replace(self.progress, warmup=settings.warmup)
        self.metrics = MetricsLog(folder.metrics, keep_bytes=self.progress.metrics_bytes, scalars=scalars)
        self._began = time.perf_counter() - self.progress.seconds
        self._stepping = self._rate = self._norm = 0.0
        self._stepped_tokens = 0

    def run(self) -> Ending:
        try:
            return self._run()
        finally:
            self.metrics.close()

    def _run(self) -> Ending:
        settings = self.settings
        stream = self.task.stream(self.progress.position)
        with interruptible() as interrupt:
            while share(self.progress, settings.budget) < 1 and not self._out_of_patience():
                before = self.progress
                self._step([next(stream) for _ in range(settings.accumulate)])
                if self.progress.step % settings.log_every == 0:
                    self._log()
                if crossed(before, self.progress, settings.validate_every):
                    self._validate()
                if interrupt.signal is not None:
                    self._save()
                    return "terminated" if interrupt.signal == signal.SIGTERM else "interrupted"
                if self._just_validated() or crossed(before, self.progress, settings.save_every):
                    self._save()
            if not self._just_validated():
                self._validate()
                self._save()
        return "patience" if self._out_of_patience() else "budget"

    def _step(self, placed: Sequence[Placed]) -> None:
        """One update from one or several batches."""
        started = time.perf_counter()
        settings, step = self.settings, self.progress.step + 1
        rate = settings.lr * self._factor(step)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.model.train()
        tokens = sum(self.task.tokens(one.rows) for one in placed)
        summed = sum(
            self.crew.add_gradient(one.rows, divisor=tokens, seed=(self.seed, step, number))
            for number, one in enumerate(placed)
        )
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), settings.clip or math.inf).item()
        if not math.isfinite(summed) or not math.isfinite(norm):
            self._stop(step, placed, summed, norm)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        now = time.perf_counter()
        self._stepping += now - started
        self._stepped_tokens += tokens
        self.progress = replace(
            self.progress,
            position=placed[-1].following,
            step=step,
            epochs=placed[-1].epochs,
            tokens=self.progress.tokens + tokens,
            flops=self.progress.flops + sum(self._flops(one.rows) for one in placed),
            seconds=now - self._began,
            summed_loss=self.progress.summed_loss + summed,
            summed_tokens=self.progress.summed_tokens + tokens,
        )
        self._rate, self._norm = rate, norm
        self.watch.stepped(self.progress, summed / tokens)

    def _factor(self, step: int) -> float:
        """Of the highest rate. A warmup of a tenth of the minutes ends with the step before which they are spent."""
        settings, spent = self.settings, share(self.progress, self.settings.budget)
        timed = settings.warmup is None and settings.budget.unit == "minutes"
        if timed and spent * WARMUP_PART >= 1 and step < self.progress.warmup:
            self.progress = replace(self.progress, warmup=step)
        return factor(settings.schedule, step=step, warmup=self.progress.warmup, spent=spent, timed=timed)

    def _flops(self, rows: Rows) -> int:
        return sum(self.cost.flops(self.task.work(part)) for part in parted(rows, self.crew.size))

    def _log(self) -> None:
        done = self.progress
        row = {
            "kind": "train",
            "step": done.step,
            "epoch": round(done.epochs, 4),
            "loss": done.summed_loss / done.summed_tokens,
            "lr": self._rate,
            "gradient_norm": self._norm,
            "tokens": done.tokens,
            "flops": done.flops,
            "seconds": round(done.seconds, 3),
            "tokens_per_second": round(self._stepped_tokens / self._stepping, 1),
        }
        self.metrics.add(row)
        self._stepping, self._stepped_tokens = 0.0, 0
        self.progress = replace(done, summed_loss=0.0, summed_tokens=0)

    def _validate(self) -> None:
        """Scores the weights that would be kept: the mean of the last ``train.average`` ones, or those of now."""
        mean = None
        if self.settings.average > 1:
            self.folder.last.mkdir(exist_ok=True)
            snapshot = self.folder.last / f"snapshot-{self.progress.step:08}.safetensors"
            save_tensors(snapshot, weights_of(self.model))
            self.snapshots = (*self.snapshots, snapshot)[-self.settings.average :]
            mean = mean_weights(self.snapshots)
        self.model.eval()
        with wearing(self.model, mean, origin=self.folder.last), torch.no_grad():
            validation = self.task.validate(self.model)
            score = self._score(validation)
            best = self._is_best(score, validation.loss)
            if best:
                save_tensors(self.folder.model, weights_of(self.model))
        self._keep_samples(validation)
        done = self.progress = replace(
            self.progress,
            best=score if best else self.progress.best,
            best_loss=validation.loss if best else self.progress.best_loss,
            best_step=self.progress.step if best else self.progress.best_step,
            stale=0 if best else self.progress.stale + 1,
            validated_step=self.progress.step,
            seconds=time.perf_counter() - self._began,
        )
        row = {
            "kind": "valid",
            "step": done.step,
            "epoch": round(done.epochs, 4),
            "loss": validation.loss,
            **({"perplexity": math.exp(min(validation.loss, 50.0))} if validation.per == "token" else {}),
            **validation.scores,
            "metric": self.settings.metric,
            "score": score,
            "best": best,
            "seconds": round(done.seconds, 3),
        }
        self.metrics.add(row)
        self.watch.validated(row)

    def _score(self, validation: Validation) -> float:
        """The number that is to grow."""
        return -validation.loss if self.settings.metric == "loss" else validation.scores[self.settings.metric]

    def _is_best(self, score: float, loss: float) -> bool:
        """A higher score; between equal scores, such as the zeros of the first hours, a lower loss."""
        before = self.progress
        return before.best is None or (score, -loss) > (before.best, -before.best_loss)

    def _keep_samples(self, validation: Validation) -> None:
        kept = {"step": self.progress.step, "samples": [asdict(sample) for sample in validation.samples]}
        path = self.folder.samples / f"step-{self.progress.step:06}.json"
        write_text(path, json.dumps(kept, ensure_ascii=False, indent=1) + "\n")

    def _save(self) -> None:
        memory = max(self.progress.memory, self.crew.memory())
        self.progress = replace(self.progress, metrics_bytes=self.metrics.bytes_written(), memory=memory)
        self.checkpoint.save(self.model, self.optimizer, self.progress, self.snapshots)

    def _just_validated(self) -> bool:
        return self.progress.validated_step == self.progress.step

    def _out_of_patience(self) -> bool:
        return self.settings.patience is not None and self.progress.stale >= self.settings.patience

    def _stop(self, step: int, placed: Sequence[Placed], loss: float, norm: float) -> None:
        examples = [text for one in placed for text in self.task.describe(one.rows)]
        shown = "\n".join(f"  {text}" for text in examples[:3])
        raise RunError(
            f"step {step}: the loss is {loss} and the gradient's norm {norm}, so training stops before the weights are "
            f"spoilt; the last checkpoint is whole. Lower train.lr ({self.settings.lr:g}) or raise train.warmup "
            f"({self.progress.warmup}), or look at the {len(examples)} examples of this step, such as\n{shown}"
        )
