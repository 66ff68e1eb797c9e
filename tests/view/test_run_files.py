import json
import math
from pathlib import Path

import pytest

from saccade.errors import RunError
from saccade.view.run_files import Sample, number, read_run


def write_metrics(folder: Path, *rows: object, end: str = "") -> None:
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "metrics.jsonl").write_text(text + end, encoding="utf-8")


def test_rows_by_kind(tmp_path: Path) -> None:
    write_metrics(tmp_path, {"kind": "start"}, {"kind": "train", "step": 50}, {"kind": "valid", "step": 50})
    run = read_run(tmp_path)
    assert [row["step"] for row in run.train] == [50]
    assert [row["step"] for row in run.valid] == [50]
    assert run.name == tmp_path.name


def test_a_last_line_half_written_is_left_out_in_silence(tmp_path: Path) -> None:
    write_metrics(tmp_path, {"kind": "train", "step": 50}, end='{"kind": "train", "st')
    run = read_run(tmp_path)
    assert len(run.train) == 1
    assert run.notes == ()


def test_a_broken_line_elsewhere_is_told(tmp_path: Path) -> None:
    (tmp_path / "metrics.jsonl").write_text('{"kind": "train", "step": 1}\n{"ki\n7\n', encoding="utf-8")
    assert read_run(tmp_path).notes == (
        "Line 2 of metrics.jsonl could not be read and is left out.",
        "Line 3 of metrics.jsonl could not be read and is left out.",
    )


def test_steps_undone_by_a_resumed_run_are_dropped(tmp_path: Path) -> None:
    write_metrics(
        tmp_path, *({"kind": "train", "step": step, "loss": place} for place, step in enumerate((1, 2, 3, 2)))
    )
    assert [(row["step"], row["loss"]) for row in read_run(tmp_path).train] == [(1, 0), (2, 3)]


def test_numbers() -> None:
    assert number({"loss": 2}, "loss") == 2.0
    for row in ({}, {"loss": None}, {"loss": "2"}, {"loss": True}, {"loss": math.nan}):
        assert math.isnan(number(row, "loss"))


def test_samples_newest_first(tmp_path: Path) -> None:
    (tmp_path / "samples").mkdir()
    for step in (500, 1500, 1000):
        content = {"step": step, "samples": [{"source": "a", "reference": "b", "hypothesis": "c"}]}
        (tmp_path / "samples" / f"step-{step:06}.json").write_text(json.dumps(content), encoding="utf-8")
    (tmp_path / "samples" / "step-002000.json").write_text('{"step": 2000', encoding="utf-8")
    run = read_run(tmp_path)
    assert [each.step for each in run.samples] == [1500, 1000, 500]
    assert run.samples[0].samples == (Sample("a", "b", "c"),)
    assert run.notes == ("step-002000.json could not be read and is left out.",)


@pytest.mark.parametrize("content", ["{", "[]", '{"results": [{}]}', "null"])
def test_results_that_cannot_be_read(tmp_path: Path, content: str) -> None:
    (tmp_path / "results.json").write_text(content, encoding="utf-8")
    run = read_run(tmp_path)
    assert run.results == ()
    assert run.notes == ("results.json could not be read and is left out.",)


def test_an_empty_folder(tmp_path: Path) -> None:
    run = read_run(tmp_path)
    assert (run.train, run.valid, run.samples, run.results, run.recipe, run.notes) == ((), (), (), (), None, ())


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="is not a folder: a report is made from the folder of a run"):
        read_run(tmp_path / "none")
