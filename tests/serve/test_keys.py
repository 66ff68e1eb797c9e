from pathlib import Path

import pytest

from saccade.errors import ServiceError
from saccade.serve.keys import Keys, bearer
from saccade.serve.refusals import Unauthorised


def test_keys_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    path.write_text("# ours\nfirst-secret\n\n  second-sécret \n", encoding="utf-8")
    keys = Keys.read(path)
    keys.check("first-secret")
    keys.check("second-sécret")
    for wrong in ("first-secre", "first-secrett", "# ours", "", "\udcff"):
        with pytest.raises(Unauthorised, match="this API key is not known here"):
            keys.check(wrong)
    with pytest.raises(Unauthorised, match="send the header `Authorization: Bearer KEY`"):
        keys.check(None)


def test_without_keys_everybody_may_ask() -> None:
    Keys().check(None)
    Keys().check("whatever")


def test_files_that_hold_no_key(tmp_path: Path) -> None:
    with pytest.raises(ServiceError, match="there is no such file of API keys"):
        Keys.read(tmp_path / "gone")
    (tmp_path / "empty").write_text("# nothing\n")
    with pytest.raises(ServiceError, match="no API key in it"):
        Keys.read(tmp_path / "empty")
    (tmp_path / "short").write_text("abc\n")
    with pytest.raises(ServiceError, match="a key of 3 characters can be guessed: make it 8 or more"):
        Keys.read(tmp_path / "short")


@pytest.mark.parametrize(
    ("header", "key"),
    [("Bearer abc", "abc"), ("bearer  abc ", "abc"), ("Basic abc", None), ("Bearer", None), ("", None), (None, None)],
)
def test_the_header(header: str | None, key: str | None) -> None:
    assert bearer(header) == key
