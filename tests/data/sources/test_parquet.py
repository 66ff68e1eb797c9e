"""Parquet files, plain and nested."""

import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from saccade.data.sources import read_pairs


@pytest.fixture
def parquet(folder):
    return lambda columns, **options: pq.write_table(pa.table(columns), folder / "a.parquet", **options)


def test_named_columns_over_several_row_groups_and_batches(parquet):
    count = 10_000
    parquet(
        {"en": [f"e{n}" for n in range(count)], "x": [0] * count, "de": [f"d{n}" for n in range(count)]},
        row_group_size=3_000,
    )
    pairs = list(read_pairs("a.parquet", source="en", target="de"))
    assert [(pair.source, pair.target) for pair in pairs] == [(f"e{n}", f"d{n}") for n in range(count)]
    assert pairs[-1].where == "a.parquet:10000"


def test_nested_translations(parquet, read_all):
    parquet({"translation": [{"en": "one", "de": "eins"}]})
    assert read_all("a.parquet", source="de", target="en") == [("eins", "one")]


def test_packed(parquet, write, folder, read_all):
    parquet({"source": ["one"], "target": ["eins"]})
    write("b.parquet.gz", (folder / "a.parquet").read_bytes())
    assert read_all("b.parquet.gz") == [("one", "eins")]


def test_missing_columns_list_those_present(parquet, refusal):
    parquet({"en": ["one"], "de": ["eins"]})
    assert refusal("a.parquet", source="en", target="fr") == (
        'a.parquet: no column or key "fr" (there are: en, de); name the two to read with source and target'
    )


def test_missing_nested_names_list_those_present(parquet, refusal):
    parquet({"translation": [{"en": "one", "de": "eins"}]})
    assert '"source" and "target" (there are: translation.en, translation.de)' in refusal("a.parquet")


def test_a_null(parquet, refusal):
    parquet({"source": ["one", None], "target": ["eins", "zwei"]})
    assert refusal("a.parquet") == 'a.parquet:2: "source" is null, expected a text'


def test_no_rows(parquet, refusal):
    parquet({"source": pa.array([], pa.string()), "target": pa.array([], pa.string())})
    assert refusal("a.parquet") == "a.parquet: no pairs found"


def test_not_parquet(write, refusal):
    write("a.parquet", "something else entirely")
    assert refusal("a.parquet").startswith("a.parquet: broken Parquet after row 0: Parquet magic bytes not found")


def test_without_pyarrow(parquet, refusal, monkeypatch):
    parquet({"source": ["one"], "target": ["eins"]})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert refusal("a.parquet") == 'a.parquet: reading Parquet needs pyarrow: pip install "saccade[parquet]"'
