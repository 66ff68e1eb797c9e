"""Labelled texts from every kind of file, by named and by customary columns."""

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from saccade.data.examples import Labelled
from saccade.data.sources import Columns, read_labelled
from saccade.errors import DataError

Write = Callable[[str, str | bytes], Path]

HEADER = ["id", "note", "mood"]
ROWS = [["1", "a fine day", "glad"], ["2", "rain again", "sad"]]
COLUMNS = Columns("note", label="mood")
KINDS = ["a.tsv", "a.csv", "a.jsonl", "a.parquet", "a.tsv.gz", "a.csv.gz", "a.jsonl.gz", "a.parquet.gz"]


def content(name: str, header: list[str], rows: list[list[str]], folder: Path) -> str | bytes:
    kind = name.split(".")[1]
    if kind == "parquet":
        plain = folder / "plain.parquet"
        pq.write_table(pa.table(dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))), plain)
        return plain.read_bytes()
    if kind == "jsonl":
        return "".join(json.dumps(dict(zip(header, row, strict=True))) + "\n" for row in rows)
    separator = {"tsv": "\t", "csv": ","}[kind]
    return "".join(separator.join(row) + "\n" for row in [header, *rows])


@pytest.fixture
def refused() -> Callable[..., str]:
    """The message with which reading ends."""

    def read(spec: str, **options: object) -> str:
        with pytest.raises(DataError) as caught:
            list(read_labelled(spec, **options))
        return str(caught.value)

    return read


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_file_by_named_columns(name: str, write: Write, folder: Path) -> None:
    write(name, content(name, HEADER, ROWS, folder))
    first = 2 if "sv" in name else 1  # a header is the first line of a table
    assert list(read_labelled(name, columns=COLUMNS)) == [
        Labelled("a fine day", None, "glad", f"{name}:{first}"),
        Labelled("rain again", None, "sad", f"{name}:{first + 1}"),
    ]


@pytest.mark.parametrize("name", ["a.tsv", "a.jsonl", "a.parquet"])
@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (["label", "text"], Labelled("two", None, "one")),
        (["score", "sentence"], Labelled("two", None, "one")),
        (["text", "sentence1", "sentence2", "gold_label"], Labelled("two", "three", "four")),
        (["question", "sentence", "class"], Labelled("one", "two", "three")),
        (["hypothesis", "premise", "score", "label"], Labelled("two", "one", "four")),
    ],
)
def test_customary_columns(name: str, header: list[str], expected: Labelled, write: Write, folder: Path) -> None:
    write(name, content(name, header, [["one", "two", "three", "four"][: len(header)]], folder))
    (found,) = read_labelled(name)
    assert (found.text, found.second, found.label) == (expected.text, expected.second, expected.label)


def test_a_named_text_stands_for_itself(write: Write) -> None:
    write("a.tsv", "sentence1\tsentence2\tlabel\none\ttwo\tx\n")
    assert next(read_labelled("a.tsv", columns=Columns("sentence2"))) == Labelled("two", None, "x", "a.tsv:2")


def test_columns_by_number_have_no_header(write: Write) -> None:
    write("a.csv", 'x,1,"so, so"\ny,0,well\n')
    found = list(read_labelled("a.csv", columns=Columns("3", label="2")))
    assert found == [Labelled("so, so", None, "1", "a.csv:1"), Labelled("well", None, "0", "a.csv:2")]


def test_the_first_object_settles_the_columns(write: Write) -> None:
    write(
        "a.jsonl", '{"text": "one", "label": "x"}\n{"sentence1": "a", "sentence2": "b", "text": "two", "label": "y"}\n'
    )
    assert [(example.text, example.second) for example in read_labelled("a.jsonl")] == [("one", None), ("two", None)]


def test_quotes_are_text_in_tsv(write: Write) -> None:
    write("a.tsv", 'text\tlabel\n" he said\t1\n')
    assert next(read_labelled("a.tsv")).text == '" he said'


def test_labels_that_are_no_texts(write: Write) -> None:
    labels = [1, -2, 3.5, True, False]
    write("a.jsonl", "".join(json.dumps({"text": "x", "label": label}) + "\n" for label in labels))
    assert [example.label for example in read_labelled("a.jsonl")] == ["1", "-2", "3.5", "true", "false"]


def test_only_the_test_split_may_lack_labels(write: Write, refused: Callable[..., str]) -> None:
    write("a.tsv", "text\tlabel\none\tx\ntwo\t \n")
    assert [example.label for example in read_labelled("a.tsv", split="test")] == ["x", None]
    assert refused("a.tsv") == 'a.tsv:3: "label" is empty: expected a label; only a test set may be without'
    write("b.jsonl", '{"text": "one", "label": null}\n{"text": "two", "label": NaN}\n{"text": "three"}\n')
    assert [example.label for example in read_labelled("b.jsonl", split="test")] == [None, None, None]
    write("c.tsv", "index\ttext\n0\tone\n")
    assert list(read_labelled("c.tsv", split="test", columns=Columns("text", label="mood"))) == [
        Labelled("one", None, None, "c.tsv:2")
    ]


def test_blank_lines_are_left_out_and_counted(write: Write) -> None:
    write("a.tsv", "text\tlabel\n\none\tx\n\n")
    stream = read_labelled("a.tsv")
    assert [example.where for example in stream] == ["a.tsv:3"]
    assert stream.skipped == {"blank lines": 2}


def test_relative_paths_are_seen_from_the_base(write: Write, folder: Path) -> None:
    write("deep/a.tsv", "text\tlabel\none\tx\n")
    assert next(read_labelled("a.tsv", base=folder / "deep")).where == "a.tsv:2"


def test_a_stream_reads_only_as_far_as_it_is_asked(write: Write) -> None:
    write("a.tsv", "text\tlabel\none\tx\nbroken\n")
    stream = read_labelled("a.tsv")
    assert next(stream).text == "one"
    with pytest.raises(DataError, match=r"a.tsv:3: 1 column, expected 2"):
        next(stream)


@pytest.mark.parametrize(
    ("name", "text", "columns", "message"),
    [
        (
            "a.tsv",
            "note\tmood\nx\ty\n",
            Columns(),
            "a.tsv:1: no column for the text, such as text or sentence, or sentence1 with sentence2, question1 with "
            "question2, premise with hypothesis, question with sentence or text1 with text2 (there are: note, mood); "
            "name the columns with text, second and label; a table without a header needs their numbers, counted from "
            "1, as in text=1 label=2",
        ),
        (
            "a.csv",
            "text,mood\nx,y\n",
            Columns(),
            "a.csv:1: no column for the label, such as label, gold_label, class or score (there are: text, mood); "
            "name the columns with text, second and label",
        ),
        (
            "a.tsv",
            "text\tmood\nx\ty\n",
            Columns(label="moods"),
            'a.tsv:1: no column or key "moods" (did you mean mood?) (there are: text, mood); name the columns with '
            "text, second and label",
        ),
        ("a.tsv", "x\ty\n", Columns("1", label="3"), 'a.tsv:1: no column or key "3" (there are: 1, 2); '),
        (
            "a.jsonl",
            '{"text": "a", "label": 1}\n{"text": "b"}\n',
            Columns(),
            'a.jsonl:2: no column or key "label" (there ',
        ),
        ("a.jsonl", '{"text": 5, "label": 1}\n', Columns(), 'a.jsonl:1: "text" is int 5, expected a text'),
        ("a.jsonl", '{"text": "a", "label": [1]}\n', Columns(), 'a.jsonl:1: "label" is list [1], expected a text'),
        ("a.jsonl", "[1]\n", Columns(), "a.jsonl:1: expected a JSON object with its texts, found list"),
        ("a.tsv", "text\tlabel\none\tx\ty\n", Columns(), "a.tsv:2: 3 columns, expected 2"),
        ("a.tsv", "text\tlabel\n \tx\n", Columns(), 'a.tsv:2: "text" is empty: expected a text; mend or delete'),
        (
            "a.tsv",
            "text1\ttext2\tlabel\none\t\tx\n",
            Columns(),
            'a.tsv:2: "text2" is empty: expected a text; mend or delete',
        ),
        (
            "a.tsv",
            "text\tlabel\tlabel\none\tx\ty\n",
            Columns(),
            'a.tsv:1: the column "label" is there 2 times: give each its own name',
        ),
        ("a.tsv", "text\tlabel\n\n", Columns(), "a.tsv: no examples found; the source skipped 1 blank lines"),
        ("a.tsv", "", Columns(), "a.tsv is empty: expected at least one line"),
    ],
)
def test_bad_files(
    name: str, text: str, columns: Columns, message: str, write: Write, refused: Callable[..., str]
) -> None:
    write(name, text)
    assert refused(name, columns=columns).startswith(message)


def test_missing_columns_of_parquet(folder: Path, refused: Callable[..., str]) -> None:
    pq.write_table(pa.table({"text": ["x"], "mood": ["y"]}), folder / "a.parquet")
    assert refused("a.parquet").startswith("a.parquet: no column for the label, such as label, gold_label, class or")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("gone.tsv", "gone.tsv: no such file"),
        ("a.txt", 'a.txt: unknown kind of file ".txt" for labelled texts'),
        (
            "a",
            "a: unknown kind of file (its name has no ending) for labelled texts; known: .csv, .jsonl, .parquet, .tsv",
        ),
        ("a.{en,de}", "a.{en,de}: labelled texts come from one file, without braces; known: .csv"),
        ("a.tsv:{text,label}", "a.tsv:{text,label}: labelled texts come from one file, without braces; known: .csv"),
        ("glu:sst-2:x", 'glu:sst-2:x: unknown scheme "glu" (did you mean glue?); known: .csv'),
    ],
)
def test_what_is_no_labelled_file(spec: str, message: str, refused: Callable[..., str]) -> None:
    assert refused(spec).startswith(message)


def test_a_folder(folder: Path, refused: Callable[..., str]) -> None:
    (folder / "texts").mkdir()
    assert refused("texts").startswith("texts is a folder")


def test_a_column_asked_for_twice() -> None:
    with pytest.raises(DataError, match='the column "a" is asked for twice: text, second and label must be different'):
        Columns("a", "b", "a")
