"""Encoded corpora: what was written is read, and nothing half-written is ever read."""

import json
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.data.encoded import Sequences, SequenceWriter
from saccade.errors import DataError


@pytest.fixture
def stem(tmp_path):
    with SequenceWriter(tmp_path / "train.source", 100, made_from="a tokenizer") as writer:
        writer.append([5, 6, 7])
        writer.extend([[], [99], np.array([1, 2], dtype=np.int32)])
    return tmp_path / "train.source"


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def change(stem, **values):
    path = stem.with_name(stem.name + ".json")
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def test_written_and_read(stem):
    sequences = Sequences.open(stem)
    assert len(sequences) == 4
    assert [ids.tolist() for ids in sequences] == [[5, 6, 7], [], [99], [1, 2]]
    assert sequences.lengths.tolist() == [3, 0, 1, 2]
    assert sequences.tokens == 6
    assert (sequences.vocab_size, sequences.made_from) == (100, "a tokenizer")
    assert files(stem.parent) == ["train.source.index", "train.source.json", "train.source.tokens"]
    sequences.verify()


def test_all_sequences_are_one_stream(stem):
    sequences = Sequences.open(stem)
    assert sequences.between(0, 6).tolist() == [5, 6, 7, 99, 1, 2]
    assert sequences.between(2, 4).tolist() == [7, 99]
    assert sequences.between(3, 3).tolist() == []
    for start, end in ((-1, 2), (4, 7), (3, 2)):
        with pytest.raises(IndexError, match=r"ids .* of 6 in"):
            sequences.between(start, end)


@pytest.mark.property
@settings(max_examples=40)
@given(
    st.sampled_from([300, 65_536, 65_537, 200_000]).flatmap(
        lambda size: st.tuples(
            st.just(size), st.lists(st.lists(st.lists(st.integers(0, size - 1), max_size=8), max_size=5), max_size=5)
        )
    )
)
def test_any_corpus_comes_back(tmp_path_factory, case):
    size, batches = case
    folder = tmp_path_factory.mktemp("corpus")
    rows = [ids for batch in batches for ids in batch]
    with SequenceWriter(folder / "many", size) as writer:
        for batch in batches:
            writer.extend(batch)
    with SequenceWriter(folder / "single", size) as writer:
        for ids in rows:
            writer.append(ids)
    many, single = Sequences.open(folder / "many"), Sequences.open(folder / "single")
    assert [ids.tolist() for ids in many] == rows
    assert many.fingerprint == single.fingerprint
    assert (folder / "many.tokens").stat().st_size == sum(map(len, rows)) * (2 if size <= 65_536 else 4)


def test_the_index_is_that_of_a_list(stem):
    sequences = Sequences.open(stem)
    for i in (4, -1):
        with pytest.raises(IndexError, match="of 4 in"):
            sequences[i]


def test_views_cannot_change_the_file(stem):
    with pytest.raises(ValueError, match="read-only"):
        Sequences.open(stem)[0][0] = 1


def write_and_fail(stem):
    with SequenceWriter(stem, 10) as writer:
        writer.append([1])
        raise KeyError


def test_an_error_leaves_nothing(tmp_path):
    with pytest.raises(KeyError):
        write_and_fail(tmp_path / "x")
    assert files(tmp_path) == []


def test_an_error_leaves_the_former_corpus(stem):
    with pytest.raises(KeyError):
        write_and_fail(stem)
    assert Sequences.open(stem)[0].tolist() == [5, 6, 7]


def test_written_anew(stem):
    before = Sequences.open(stem).fingerprint
    with SequenceWriter(stem, 100) as writer:
        assert Sequences.open(stem).fingerprint == before
        writer.append([8])
    assert [ids.tolist() for ids in Sequences.open(stem)] == [[8]]
    assert Sequences.open(stem).fingerprint != before


def test_a_corpus_still_being_written_is_not_there(tmp_path):
    with SequenceWriter(tmp_path / "x", 10) as writer:
        writer.append([1])
        with pytest.raises(DataError, match=r"x\.json: not there, so this corpus was never encoded to the end; encode"):
            Sequences.open(tmp_path / "x")


@pytest.mark.parametrize("wrong", [-1, 100])
def test_an_id_outside_the_vocabulary(tmp_path, wrong):
    with (
        pytest.raises(DataError, match=f"id {wrong} is not in a vocabulary of 100"),
        SequenceWriter(tmp_path / "x", 100) as writer,
    ):
        writer.extend([[1], [2, wrong]])


@pytest.mark.parametrize("suffix", ["tokens", "index"])
def test_a_cut_file(stem, suffix):
    path = stem.with_name(f"{stem.name}.{suffix}")
    size = path.stat().st_size
    os.truncate(path, size - 1)
    with pytest.raises(DataError, match=rf"{suffix}: {size - 1} bytes, expected {size}: the file is cut.*encode again"):
        Sequences.open(stem)


@pytest.mark.parametrize("suffix", ["tokens", "index"])
def test_a_missing_file(stem, suffix):
    stem.with_name(f"{stem.name}.{suffix}").unlink()
    with pytest.raises(DataError, match=rf"{suffix}: not there, though train\.source\.json is"):
        Sequences.open(stem)


@pytest.mark.parametrize("index", [[0, 3, 3, 4, 7], [1, 3, 3, 4, 6], [0, 3, 2, 4, 6]])
def test_an_index_of_other_tokens(stem, index):
    stem.with_name(f"{stem.name}.index").write_bytes(np.array(index, dtype="<i8").tobytes())
    with pytest.raises(DataError, match=r"train\.source\.index does not fit .*train\.source\.tokens"):
        Sequences.open(stem)


def test_another_version(stem):
    change(stem, version=2)
    with pytest.raises(DataError, match="version 2, this program reads version 1; delete"):
        Sequences.open(stem)


def test_another_dtype(stem):
    change(stem, dtype="float8")
    with pytest.raises(DataError, match="unknown dtype 'float8'"):
        Sequences.open(stem)


@pytest.mark.parametrize(
    ("text", "message"),
    [("{", "not readable as JSON"), ("[]", "version None"), ('{"version": 1}', "lacks count, dtype")],
)
def test_a_broken_description(stem, text, message):
    stem.with_name(f"{stem.name}.json").write_text(text)
    with pytest.raises(DataError, match=message):
        Sequences.open(stem)


@pytest.mark.parametrize("suffix", ["tokens", "index"])
def test_changed_after_writing(stem, suffix):
    path = stem.with_name(f"{stem.name}.{suffix}")
    sequences = Sequences.open(stem)
    data = bytearray(path.read_bytes())
    data[0] += 1
    path.write_bytes(data)
    with pytest.raises(DataError, match="changed after they were written"):
        sequences.verify()
