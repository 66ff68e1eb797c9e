from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from saccade.data.examples import Direction, Document, Link, Pair
from saccade.errors import DataError
from saccade.tasks.spool import DocumentWriter, PairWriter, read_document_spool, read_spool

texts = st.text(st.characters(exclude_categories=["Cs"]))
links = st.frozensets(st.builds(Link, st.integers(0, 50), st.integers(0, 50)))
directions = st.builds(Direction, st.none() | texts, texts)
pairs = st.builds(Pair, texts, texts, texts, st.none() | links, st.none() | directions)


@pytest.mark.property
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(written=st.lists(pairs, max_size=8))
def test_what_was_written_is_read(written: list[Pair], tmp_path: Path) -> None:
    with PairWriter(tmp_path / "pairs.jsonl") as writer:
        for pair in written:
            writer.add(pair)
    assert writer.count == len(written)
    assert list(read_spool(tmp_path / "pairs.jsonl")) == written


def test_rows_without_direction_are_as_they_always_were(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    with PairWriter(path) as writer:
        writer.add(Pair("a b", "c", "x:1", frozenset({Link(1, 0)})))
    assert path.read_text() == '["a b", "c", "x:1", [[1, 0]]]\n'
    assert next(read_spool(path)).direction is None


def test_documents_too(tmp_path: Path) -> None:
    written = [Document("a text\nof two lines", "book.txt:3"), Document("", "")]
    with DocumentWriter(tmp_path / "texts.jsonl") as writer:
        for document in written:
            writer.add(document)
    assert writer.count == 2
    assert list(read_document_spool(tmp_path / "texts.jsonl")) == written


@pytest.mark.parametrize("content", ["[1, 2", '["a", "b", "c"]', "7"])
def test_damage_is_told(tmp_path: Path, content: str) -> None:
    (tmp_path / "texts.jsonl").write_text(content + "\n")
    with pytest.raises(DataError, match=r"texts.jsonl is damaged"):
        list(read_document_spool(tmp_path / "texts.jsonl"))
