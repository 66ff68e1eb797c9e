from pathlib import Path

import pytest

from saccade.training.crew import Crew
from saccade.training.preflight import estimate
from tasks.parts import model_for
from training.trainings import settings, small_task


def test_what_a_training_will_cost(tmp_path: Path) -> None:
    task = small_task(tmp_path)
    model = model_for(task.corpus.tokenizers)
    tokens = task.tokens(range(len(task.corpus.source)))  # type: ignore[arg-type]
    for budget in ("2 minutes", "3 epochs", "500 tokens", "7 steps", "4e9 flops"):
        found = estimate(task, model, settings(budget=budget), Crew(task, model), epoch_flops=2 * 10**9)
        expected = {
            "2 minutes": 120.0,
            "3 epochs": 3 * tokens / found.tokens_per_second,
            "500 tokens": 500 / found.tokens_per_second,
            "4e9 flops": 2 * tokens / found.tokens_per_second,
            "7 steps": 7 * tokens / len(task.batches.epoch(0)) / found.tokens_per_second,
        }
        assert found.seconds == pytest.approx(expected[budget])
        assert found.memory > 50 * 2**20
        lengths = task.corpus.source.lengths + task.corpus.target.lengths
        assert found.longest_tokens == lengths.max()
