"""Finding, opening and unpacking a file."""

import gzip
import os

import pytest

from saccade.data.sources import read_pairs
from saccade.errors import DataError


def test_relative_paths_are_seen_from_the_base(write, read_all, folder, monkeypatch):
    write("elsewhere/a.tsv", "one\teins\n")
    monkeypatch.chdir("/")
    assert read_all("a.tsv", base=folder / "elsewhere") == [("one", "eins")]
    assert read_all(str(folder / "elsewhere" / "a.tsv"), base=folder) == [("one", "eins")]


def test_a_missing_file_names_the_nearest(write, refusal):
    write("corpus/train.en", "a\n")
    write("corpus/train.de", "a\n")
    assert refusal("corpus/trian.{en,de}") == "corpus/trian.en: no such file (did you mean corpus/train.en?)"


def test_a_missing_file_beside_nothing_like_it(refusal):
    assert refusal("a.tsv") == "a.tsv: no such file"


def test_near_folders_are_not_proposed(folder, refusal):
    (folder / "b.tsv").mkdir()
    assert refusal("a.tsv") == "a.tsv: no such file"


def test_a_missing_folder(refusal):
    assert refusal("corpus/old/a.tsv") == "corpus/old/a.tsv: no such file: there is no folder corpus/old"


def test_a_file_where_a_folder_should_be(write, refusal):
    write("corpus", "x")
    assert refusal("corpus/a.tsv") == "corpus/a.tsv: no such file: there is no folder corpus"


@pytest.mark.parametrize("name", ["corpus", "corpus.tsv", "corpus.gz"])
def test_a_folder_is_refused_whatever_its_ending(folder, refusal, name):
    (folder / name).mkdir()
    assert refusal(name) == f"{name} is a folder: give a file, or two parallel files as {name}/train.{{en,de}}"


def test_a_pipe_is_refused(folder, refusal):
    os.mkfifo(folder / "a.tsv")
    assert refusal("a.tsv") == "a.tsv is not a regular file: data is read more than once, write it to a file first"


def test_a_path_the_system_refuses(refusal):
    name = "a" * 300 + ".tsv"
    assert refusal(name) == f"{name}: cannot be read: File name too long"
    assert refusal("a\0.tsv") == "a\0.tsv: cannot be read: embedded null byte"


@pytest.mark.parametrize("name", ["a.tsv", "a.tsv.gz", "a.po", "a.parquet"])
def test_an_empty_file(write, refusal, name):
    write(name, "")
    assert refusal(name) == f"{name} is empty: expected at least one line"


def test_what_is_wrong_with_a_file_is_said_before_anything_is_read():
    with pytest.raises(DataError, match="no such file"):
        read_pairs("a.tsv")


def test_something_else_named_gz(folder, refusal):
    (folder / "a.tsv.gz").write_text("one\teins\n")
    assert refusal("a.tsv.gz") == "a.tsv.gz: broken gzip file: Not a gzipped file (b'on')"


def test_a_gzip_file_cut_short(folder, refusal):
    packed = gzip.compress(b"".join(b"%d\t%d\n" % (n, n * n) for n in range(20_000)))
    (folder / "a.tsv.gz").write_bytes(packed[: len(packed) // 2])
    assert refusal("a.tsv.gz").startswith("a.tsv.gz: broken gzip file: Compressed file ended")


def test_damaged_gzip_data(folder, refusal):
    packed = bytearray(gzip.compress(os.urandom(100_000)))
    packed[-8] ^= 0xFF
    (folder / "a.x.gz").write_bytes(packed)
    (folder / "a.y.gz").write_bytes(packed)
    assert refusal("a.{x,y}.gz").startswith("a.x.gz: broken gzip file: CRC check failed")
