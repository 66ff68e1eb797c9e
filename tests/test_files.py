from pathlib import Path

import pytest

from saccade.errors import RunError
from saccade.files import replacing, write_text


def test_what_was_there_stays_when_the_writing_fails(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    write_text(path, "before")
    message = r"text.txt could not be written \(\[Errno 28\] full\); what was saved before is untouched"
    with pytest.raises(RunError, match=message), replacing(path) as new:  # noqa: PT012
        new.write_text("half of wh", encoding="utf-8")
        raise OSError(28, "full")
    assert path.read_text(encoding="utf-8") == "before"
    assert [one.name for one in tmp_path.iterdir()] == ["text.txt"]


def test_nothing_half_written_stays_when_something_else_goes_wrong(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), replacing(tmp_path / "text.txt") as new:  # noqa: PT012
        new.write_text("half of wh", encoding="utf-8")
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="could not be written"):
        write_text(tmp_path / "nowhere" / "text.txt", "x")
