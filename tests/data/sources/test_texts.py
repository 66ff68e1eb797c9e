from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from saccade.data.examples import Document
from saccade.data.sources import read_documents
from saccade.errors import DataError

Write = Callable[[str, str | bytes], Path]
TEXT = "\n\nThe first\nhas two lines.\n \t\n\nThe second.\r\n\nThe third"


def test_a_blank_line_ends_a_document(write: Write) -> None:
    write("book.txt", TEXT)
    assert list(read_documents("book.txt")) == [
        Document("The first\nhas two lines.", "book.txt:3"),
        Document("The second.", "book.txt:7"),
        Document("The third", "book.txt:9"),
    ]


def test_every_line_is_a_document(write: Write) -> None:
    write("book.txt.gz", TEXT)
    assert list(read_documents("book.txt.gz", borders="line")) == [
        Document("The first", "book.txt.gz:3"),
        Document("has two lines.", "book.txt.gz:4"),
        Document("The second.", "book.txt.gz:7"),
        Document("The third", "book.txt.gz:9"),
    ]


def test_the_whole_file_is_a_document(write: Write) -> None:
    write("book.txt", TEXT)
    assert list(read_documents("book.txt", borders="file")) == [Document(TEXT.replace("\r", ""), "book.txt:1")]
    write("blank.txt", "\n \n")
    with pytest.raises(DataError, match="only blank lines: expected text"):
        list(read_documents("blank.txt", borders="file"))


def test_pythons_own_text_is_split_by_topic() -> None:
    splits = {split: list(read_documents("python:topics", split=split)) for split in ("train", "valid", "test")}
    names = {split: {document.where for document in found} for split, found in splits.items()}
    assert len(names["train"]) > 4 * len(names["valid"])
    assert min(len(names["valid"]), len(names["test"])) > 1
    assert not names["train"] & names["valid"]
    assert not names["test"] & (names["train"] | names["valid"])
    assert splits["train"] == list(read_documents("python:topics", split="train"))
    assert any("if_stmt" in document.text for found in splits.values() for document in found)


def test_a_scheme_of_another_room_is_called_with_what_stands_behind_it() -> None:
    def read(rest: str, /, *, split: str) -> Iterator[Document]:
        yield Document(f"{rest} {split}")

    assert list(read_documents("world:tales?size=3", split="valid", schemes={"world": read})) == [
        Document("tales?size=3 valid")
    ]
    with pytest.raises(DataError, match=r"did you mean world\?\); known: .txt, .*, python:topics, world:\.\.\."):
        read_documents("wrld:tales", schemes={"world": read})


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("gone.txt", r"gone.txt: no such file"),
        ("book.pdf", r'book.pdf: unknown kind of file ".pdf" for running text; known: .txt, also with .gz'),
        ("book", r"book: unknown kind of file \(its name has no ending\) for running text; known: .txt"),
        ("train.{en,de}", r"two parallel files are pairs for translation; name one text; known: .txt"),
        ("pythn:topics", r'pythn:topics: unknown scheme "pythn" \(did you mean python\?\); known: .txt'),
        ("python:words", r'python:words: Python comes with one text, "topics": write python:topics'),
    ],
)
def test_what_is_no_text(spec: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_documents(spec)


def test_a_folder_and_a_blank_file(write: Write, folder: Path) -> None:
    (folder / "texts").mkdir()
    with pytest.raises(DataError, match="texts is a folder"):
        read_documents("texts")
    write("blank.txt", "\n \n\n")
    with pytest.raises(DataError, match=r"blank.txt: only blank lines: expected text"):
        list(read_documents("blank.txt"))
