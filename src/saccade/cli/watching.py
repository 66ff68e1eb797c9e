"""What a person sees while a model trains: a live line on a terminal, a line now and then elsewhere."""

import time
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text

from saccade.recipe import Amount
from saccade.training.progress import Progress, clock, share

QUIET_SECONDS = 10.0  # between two lines where the output is not a terminal
LIVE_SECONDS = 0.2


class ConsoleWatch:
    """Loss, tokens or pictures per second and time left, on standard error."""

    def __init__(self, budget: Amount) -> None:
        self.counted = "tokens"  # what a task's progress is counted in
        self._budget = budget
        self._console = Console(stderr=True, highlight=False, soft_wrap=True)
        self._live = Live(console=self._console, auto_refresh=False, transient=True)
        self._first: Progress | None = None
        self._shown = 0.0
        self._loss = 0.0

    def __enter__(self) -> "ConsoleWatch":
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._console.is_terminal:
            self._live.stop()

    def stepped(self, progress: Progress, loss: float) -> None:
        if self._first is None:
            self._first, self._loss, self._shown = progress, loss, time.monotonic()
        self._loss += 0.05 * (loss - self._loss)
        now = time.monotonic()
        if now - self._shown < (LIVE_SECONDS if self._console.is_terminal else QUIET_SECONDS):
            return
        self._shown = now
        line = self._line(progress)
        if self._console.is_terminal:
            self._live.update(Text(line), refresh=True)
        else:
            self._console.print(line)

    def validated(self, row: dict[str, Any]) -> None:
        mark = "  best so far" if row["best"] else ""
        parts = [f"loss {row['loss']:.3f}", *score_words(row)]
        if "perplexity" in row:
            parts.insert(1, f"perplexity {row['perplexity']:.2f}")
        self._console.print(f"valid  step {row['step']:,}  {'  '.join(parts)}{mark}")

    def _line(self, progress: Progress) -> str:
        first = self._first or progress
        seconds = progress.seconds - first.seconds
        speed = (progress.tokens - first.tokens) / seconds if seconds > 0 else 0.0
        return (
            f"train  step {progress.step:,}  epoch {progress.epochs:.2f}  loss {self._loss:.3f}  "
            f"{speed:,.0f} {self.counted}/s  {self._left(progress, first)} left of {self._budget}"
        )

    def _left(self, progress: Progress, first: Progress) -> str:
        done = share(progress, self._budget) - share(first, self._budget)
        if done <= 0:
            return "?"
        return clock((progress.seconds - first.seconds) * (1 - share(progress, self._budget)) / done)


def score_words(row: dict[str, Any]) -> list[str]:
    """The scores that a task adds to its validations, as a reader says them: ``BLEU 31.2``, ``1.432 bits per byte``."""
    words = {
        "bleu": "BLEU {:.1f}" + _by_direction(row),
        "chrf": "chrF {:.1f}",
        "cider": "CIDEr {:.1f}",
        "bits_per_byte": "{:.3f} bits per byte",
        "bits_per_character": "{:.3f} per character",
        "accuracy": "accuracy {:.2f}",
        "f1": "F1 {:.2f}",
        "matthews": "Matthews {:.2f}",
        "pearson": "Pearson {:.2f}",
        "spearman": "Spearman {:.2f}",
        "masked_accuracy": "{:.1f} % of hidden words found",
        "next_accuracy": "{:.1f} % of pairs told right",
    }
    return [said.format(row[name]) for name, said in words.items() if name in row]


def _by_direction(row: dict[str, Any]) -> str:
    """`` (de-en 91.3, en-fr 88.0)`` where there are several directions."""
    found = [f"{name.removeprefix('bleu.')} {row[name]:.1f}" for name in row if name.startswith("bleu.")]
    return f" ({', '.join(found)})" if found else ""
