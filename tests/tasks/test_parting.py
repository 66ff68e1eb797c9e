"""What is learned from and what is validated on, whatever the examples are."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from saccade.data.cleaning import is_text_held_out
from saccade.data.examples import Document
from saccade.errors import DataError
from saccade.tasks.parting import Sources, Spooled, check_some_left, spool
from saccade.tasks.spool import DocumentWriter, read_document_spool

NUMBERS = Spooled("number", DocumentWriter, read_document_spool, lambda one: one.text)


def numbers(spec: str, split: str) -> Iterator[Document]:
    """``spec`` says how many."""
    return (Document(f"{split} {number}", f"{spec}:{number}") for number in range(int(spec)))


def parted(folder: Path, sources: Sources, *, least: int = 1) -> tuple[list[str], list[str], list[str]]:
    said: list[str] = []
    train, held = folder / "train.jsonl", folder / "valid.jsonl"
    spool(train, held, sources, numbers, replace(NUMBERS, least=least), said.append)
    return [one.text for one in read_document_spool(train)], [one.text for one in read_document_spool(held)], said


def test_a_share_is_held_out_by_its_text_alone(tmp_path: Path) -> None:
    train, valid, said = parted(tmp_path, Sources(train=("200",), holdout=0.2))
    every = [one.text for one in numbers("200", "train")]
    assert valid == [text for text in every if is_text_held_out(text, 0.2)]
    assert train == [text for text in every if not is_text_held_out(text, 0.2)]
    assert said == [f"train: {len(train)} numbers", f"valid: {len(valid)} numbers held out of train (20%)"]


def test_named_sources_are_taken_whole(tmp_path: Path) -> None:
    train, valid, said = parted(tmp_path, Sources(train=("3", "2"), valid=("2",), holdout=0.9))
    assert train == ["train 0", "train 1", "train 2", "train 0", "train 1"]
    assert valid == ["valid 0", "valid 1"]
    assert said == ["train: 5 numbers", "valid: 2 numbers"]


def test_only_the_first_of_each_source_and_that_is_said(tmp_path: Path) -> None:
    train, valid, said = parted(tmp_path, Sources(train=("9", "2"), valid=("4",), first=2))
    assert (len(train), len(valid)) == (4, 4)
    assert said[0] == "train: 9: only the first 2 numbers were looked at; there are more"


def test_of_so_few_that_the_share_catches_none_more_are_held_out(tmp_path: Path) -> None:
    train, valid, said = parted(tmp_path, Sources(train=("6",), holdout=1e-6))
    assert train
    assert valid
    assert len(train) + len(valid) == 6
    assert "(0%)" not in said[-1]
    assert not (tmp_path / "rest.jsonl").exists()


def test_as_many_are_held_out_as_are_needed(tmp_path: Path) -> None:
    every = [one.text for one in numbers("30", "train")]
    share = next(n / 1000 for n in range(1, 1000) if sum(is_text_held_out(text, n / 1000) for text in every) == 1)
    _, one, _ = parted(tmp_path, Sources(train=("30",), holdout=share))
    train, two, _ = parted(tmp_path, Sources(train=("30",), holdout=share), least=2)
    assert (len(one), len(two) >= 2) == (1, True)
    assert sorted(train + two) == sorted(every)
    with pytest.raises(DataError, match="fewer than 2 numbers are left to validate on"):
        parted(tmp_path, Sources(train=("30",), valid=("1",)), least=2)


@pytest.mark.parametrize(
    ("train", "valid", "message"),
    [
        (0, 5, "a.txt: no word is left to train: give more of them, lower data.holdout (0.02) or name a source"),
        (5, 0, "a.txt: no word is left to validate on: give more of them, raise data.holdout (0.02) or name a source"),
    ],
)
def test_an_empty_side_is_told_with_what_to_do(train: int, valid: int, message: str) -> None:
    with pytest.raises(DataError) as told:
        check_some_left(train, valid, Sources(train=("a.txt",)), "word", "; or read")
    assert str(told.value) == f"{message} in data.valid; or read"
