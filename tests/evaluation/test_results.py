import json
import os
from pathlib import Path

import pytest
import torch

from saccade.errors import DataError, RunError
from saccade.evaluation.resampling import Interval
from saccade.evaluation.results import Machine, Result, append_result, machine, read_results
from saccade.evaluation.translation import Score
from saccade.version import __version__


def result(value: float = 33.1) -> Result:
    return Result(
        scores=(Score("BLEU", value, "nrefs:1|case:mixed", Interval(31.9, 34.2)), Score("chrF2", 55.0, "nrefs:1")),
        data="scenes:en-fr?split=test",
        sentences=1000,
        decode={"beam": 5, "length_penalty": 0.6},
        seconds=12.5,
        command="saccade evaluate runs/a",
    )


def test_this_machine() -> None:
    found = machine()
    assert found.torch == torch.__version__
    assert found.threads == torch.get_num_threads()
    assert 1 <= found.cores <= (os.cpu_count() or 1)
    assert found.cpu
    assert (found.gpu is None) == (not torch.cuda.is_available())


def test_an_entry_holds_all_that_is_needed(tmp_path: Path) -> None:
    append_result(tmp_path, result())
    written = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert written["version"] == 1
    [entry] = written["results"]
    assert entry["scores"] == [
        {
            "name": "BLEU",
            "value": 33.1,
            "signature": "nrefs:1|case:mixed",
            "interval": {"low": 31.9, "high": 34.2, "level": 0.95},
        },
        {"name": "chrF2", "value": 55.0, "signature": "nrefs:1", "interval": None},
    ]
    assert entry["decode"] == {"beam": 5, "length_penalty": 0.6}
    assert (entry["data"], entry["sentences"]) == ("scenes:en-fr?split=test", 1000)
    assert entry["saccade"] == __version__
    assert entry["command"] == "saccade evaluate runs/a"
    assert Machine(**entry["machine"]) == machine()
    assert entry["date"].endswith("+00:00")


def test_the_newest_is_last_and_nothing_else_is_left(tmp_path: Path) -> None:
    for value in (1.0, 2.0, 3.0):
        append_result(tmp_path, result(value))
    assert [entry["scores"][0]["value"] for entry in read_results(tmp_path)] == [1.0, 2.0, 3.0]
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append_result(tmp_path, result(1.0))

    def disk_full(descriptor: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", disk_full)
    with pytest.raises(RunError, match="no space left"):
        append_result(tmp_path, result(2.0))
    assert len(read_results(tmp_path)) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]


def test_no_file_no_results(tmp_path: Path) -> None:
    assert read_results(tmp_path) == []


def test_numbers_that_are_not_finite(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds a number that is not finite"):
        append_result(tmp_path, result(float("nan")))
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_file_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text('{"version": 1, "resu', encoding="utf-8")
    with pytest.raises(RunError, match=r"results\.json is not readable as JSON"):
        append_result(tmp_path, result())
    assert (tmp_path / "results.json").read_text(encoding="utf-8") == '{"version": 1, "resu'


@pytest.mark.parametrize("content", ['{"version": 2, "results": []}', "[]", '{"version": 1}'])
def test_another_format(tmp_path: Path, content: str) -> None:
    (tmp_path / "results.json").write_text(content, encoding="utf-8")
    with pytest.raises(RunError, match=r"has format version .*, this saccade reads 1"):
        read_results(tmp_path)


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="is not a folder"):
        append_result(tmp_path / "none", result())
