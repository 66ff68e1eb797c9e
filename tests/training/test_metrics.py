import json
from pathlib import Path

import pytest

from saccade.errors import RunError
from saccade.training.metrics import MetricsLog


def test_rows_are_appended_and_cut_back(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    log = MetricsLog(path, keep_bytes=0)
    log.add({"kind": "train", "step": 1, "loss": 0.5})
    kept = log.bytes_written()
    log.add({"kind": "train", "step": 2, "loss": 0.4})
    log.close()
    assert kept < path.stat().st_size
    again = MetricsLog(path, keep_bytes=kept)
    again.add({"kind": "train", "step": 2, "loss": 0.3})
    again.close()
    assert [json.loads(line)["loss"] for line in path.read_text().splitlines()] == [0.5, 0.3]


def test_a_file_that_lost_rows(tmp_path: Path) -> None:
    (tmp_path / "metrics.jsonl").write_text("{}\n")
    message = r"metrics.jsonl has 3 bytes, but had 1,000 at the last checkpoint: put it back as it was"
    with pytest.raises(RunError, match=message):
        MetricsLog(tmp_path / "metrics.jsonl", keep_bytes=1000)
    assert (tmp_path / "metrics.jsonl").read_text() == "{}\n"


def test_numbers_go_to_tensorboard_too(tmp_path: Path) -> None:
    class Board:
        def __init__(self) -> None:
            self.told: list[tuple[str, float, int]] = []
            self.closed = False

        def add_scalar(self, tag: str, scalar_value: float, global_step: int) -> None:
            self.told.append((tag, scalar_value, global_step))

        def close(self) -> None:
            self.closed = True

    board = Board()
    log = MetricsLog(tmp_path / "metrics.jsonl", keep_bytes=0, scalars=board)
    log.add({"kind": "valid", "step": 7, "loss": 0.5, "metric": "bleu"})
    log.close()
    assert board.told == [("valid/loss", 0.5, 7)]
    assert board.closed
