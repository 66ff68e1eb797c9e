from dataclasses import replace
from pathlib import Path

import pytest

from saccade.errors import DataError
from saccade.scenes import tell
from saccade.tasks.language_corpus import LanguageSettings, open_language_corpus, prepare_language
from tasks.texts import prepared_texts, text_tokenizer, texts, write_texts

WORDS = LanguageSettings(train=(), kind="words")


def test_the_documents_come_back_from_disk(tmp_path: Path) -> None:
    train, valid = write_texts(tmp_path / "train.txt", 30), write_texts(tmp_path / "valid.txt", 3)
    corpus, said = prepared_texts(tmp_path / "run", replace(WORDS, train=(train,), valid=(valid,)))
    assert [corpus.tokenizer.decode(ids) for ids in corpus.train] == texts(30)
    assert all(ids[-1] == corpus.tokenizer.eos_id for ids in corpus.train)
    assert [document.text for document in corpus.valid] == texts(3)
    assert said == [
        "train: 30 documents",
        "valid: 3 documents",
        f"tokenizer: words, {corpus.tokenizer.vocab_size:,} tokens",
    ]


def test_stories_of_scenes_are_documents(tmp_path: Path) -> None:
    settings = replace(WORDS, train=("scenes:stories?size=30",), valid=("scenes:stories?size=4",))
    corpus, _ = prepared_texts(tmp_path / "run", settings)
    assert len(corpus.train) == 30
    assert [document.text for document in corpus.valid] == [story.text for story in tell("valid", 4, 0)]


def test_what_is_held_out_is_never_trained_on(tmp_path: Path) -> None:
    train = write_texts(tmp_path / "train.txt", 300)
    corpus, said = prepared_texts(tmp_path / "run", replace(WORDS, train=(train,), holdout=0.1))
    trained = {corpus.tokenizer.decode(ids) for ids in corpus.train}
    held = {document.text for document in corpus.valid}
    assert not trained & held
    assert trained | held == set(texts(300))
    assert 10 < len(held) < 60
    assert f"valid: {len(held)} documents held out of train (10%)" in said


def test_of_few_documents_a_larger_share_is_held_out(tmp_path: Path) -> None:
    train = write_texts(tmp_path / "train.txt", 8)
    corpus, _ = prepared_texts(tmp_path / "run", replace(WORDS, train=(train,), holdout=0.001))
    assert len(corpus.valid) >= 1
    assert len(corpus.valid) + len(corpus.train) == 8


def test_one_document_cannot_be_split(tmp_path: Path) -> None:
    train = write_texts(tmp_path / "train.txt", 1)
    with pytest.raises(
        DataError, match=r"train.txt: no document is left to .*: give more of them, .* in data.valid; data.documents="
    ):
        prepared_texts(tmp_path / "run", replace(WORDS, train=(train,)))


def test_only_the_first(tmp_path: Path) -> None:
    train = write_texts(tmp_path / "train.txt", 30)
    corpus, said = prepared_texts(tmp_path / "run", replace(WORDS, train=(train, train), valid=(train,), first=4))
    assert len(corpus.train) == 8
    assert said[0] == f"train: {train}: only the first 4 documents were looked at; there are more"


def test_the_same_settings_give_the_same_bytes(tmp_path: Path) -> None:
    settings = replace(WORDS, train=(write_texts(tmp_path / "train.txt", 40),), kind="bpe", size=300)
    for name in ("a", "b"):
        prepared_texts(tmp_path / name, settings)
    files = sorted(path.relative_to(tmp_path / "a") for path in (tmp_path / "a").rglob("*") if path.is_file())
    assert {str(file) for file in files} == {
        *("tokenizer.json", "data/prepared.json", "data/valid.jsonl"),
        *("data/train.tokens", "data/train.index", "data/train.json"),
    }
    for file in files:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_a_given_tokenizer_is_used_and_what_was_prepared_stays(tmp_path: Path) -> None:
    train = write_texts(tmp_path / "train.txt", 12)
    given = text_tokenizer(40)
    given.save(tmp_path / "tokenizer.json")
    settings = replace(WORDS, train=(train,), valid=(train,))
    prepare_language(tmp_path / "data", tmp_path, settings, lambda text: None, given=given)
    before = (tmp_path / "data" / "prepared.json").stat().st_mtime_ns
    prepare_language(tmp_path / "data", tmp_path, settings, lambda text: None)
    assert (tmp_path / "data" / "prepared.json").stat().st_mtime_ns == before
    corpus = open_language_corpus(tmp_path / "data", tmp_path)
    assert corpus.tokenizer.fingerprint == given.fingerprint
    assert [given.decode(ids) for ids in corpus.train] == texts(12)


@pytest.mark.parametrize("file", ["train.tokens", "valid.jsonl"])
def test_damage_is_found(tmp_path: Path, file: str) -> None:
    train = write_texts(tmp_path / "train.txt", 12)
    prepared_texts(tmp_path, replace(WORDS, train=(train,), valid=(train,)))
    damaged = tmp_path / "data" / file
    content = bytearray(damaged.read_bytes())
    content[len(content) // 2] ^= 1
    damaged.write_bytes(content)
    with pytest.raises(DataError, match=r"changed .* written"):
        open_language_corpus(tmp_path / "data", tmp_path)
