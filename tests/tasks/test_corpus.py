from dataclasses import replace
from pathlib import Path

import pytest

from saccade.data.cleaning import CleaningRules, is_held_out
from saccade.data.examples import Pair
from saccade.errors import DataError
from saccade.tasks import corpus as corpus_module
from saccade.tasks import preparing
from saccade.tasks.corpus import CorpusSettings, load_tokenizers, open_corpus, pairs_of, prepare
from tasks.parts import many_pairs, prepared, write_pairs

WORDS = CorpusSettings(train=(), kind="words")


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def texts(corpus: corpus_module.Corpus) -> list[tuple[str, str]]:
    source, target = corpus.tokenizers.source, corpus.tokenizers.target
    return [(source.decode(s), target.decode(t)) for s, t in zip(corpus.source, corpus.target, strict=True)]


def test_the_pairs_come_back_from_disk_and_the_reports_are_said(tmp_path: Path) -> None:
    train = write_pairs(tmp_path / "train.tsv", [*many_pairs(30), Pair("", "vide")])
    valid = write_pairs(tmp_path / "valid.tsv", many_pairs(3))
    corpus, said = prepared(tmp_path / "run", replace(WORDS, train=(train,), valid=valid))
    assert texts(corpus) == [(pair.source, pair.target) for pair in many_pairs(30)]
    assert [pair.source for pair in corpus.valid] == [pair.source for pair in many_pairs(3)]
    assert said[0].startswith(f"train: {train}: read 31 pairs, kept 30; dropped 1 empty (first: {train}:31)")
    assert said[1] == f"valid: {valid}: read 3 pairs, kept all"
    assert said[2].startswith("tokenizer: words, ")
    assert said[2].endswith(" tokens for both languages")


def test_pairs_with_too_many_tokens_are_dropped_counted_and_said(tmp_path: Path) -> None:
    long = Pair("word " * 12, "mot " * 12)
    train = write_pairs(tmp_path / "train.tsv", [*many_pairs(20), long, many_pairs(1)[0], long])
    settings = replace(WORDS, train=(train,), valid=train, max_length=10)
    corpus, said = prepared(tmp_path / "run", settings)
    assert len(corpus.source) == len(corpus.target) == 21
    assert said[-1] == f"train: dropped 2 pairs longer than 10 tokens (first: {train}:21)"


def test_every_pair_too_long(tmp_path: Path) -> None:
    train = write_pairs(tmp_path / "train.tsv", many_pairs(20))
    with pytest.raises(DataError, match=r"every pair is longer than data.max_length, 2 tokens: raise it"):
        prepared(tmp_path / "run", replace(WORDS, train=(train,), valid=train, max_length=2))


def test_what_is_held_out_is_never_trained_on(tmp_path: Path) -> None:
    pairs = many_pairs(300) + [replace(pair, target="autrement") for pair in many_pairs(300)]
    train = write_pairs(tmp_path / "train.tsv", pairs)
    corpus, said = prepared(tmp_path / "run", replace(WORDS, train=(train,), holdout=0.1))
    held = {pair.source for pair in corpus.valid}
    trained = {source for source, _ in texts(corpus)}
    assert not held & trained
    assert len(corpus.valid) + len(corpus.source) == 600
    assert held == {pair.source for pair in pairs if is_held_out(pair, 0.1)}
    assert said[1] == f"valid: {len(corpus.valid)} pairs held out of train (10% by the hash of their source)"


def test_of_a_handful_of_pairs_at_least_one_is_held_out(tmp_path: Path) -> None:
    pairs = [pair for pair in many_pairs(60) if not is_held_out(pair, 0.04)][:20]
    train = write_pairs(tmp_path / "train.tsv", pairs)
    corpus, said = prepared(tmp_path / "run", replace(WORDS, train=(train,), holdout=0.02))
    assert len(corpus.valid) >= 1
    assert len(corpus.valid) + len(corpus.source) == 20
    assert not {pair.source for pair in corpus.valid} & {source for source, _ in texts(corpus)}
    assert "(2%" not in said[1]


def test_one_pair_is_too_few(tmp_path: Path) -> None:
    train = write_pairs(tmp_path / "train.tsv", many_pairs(1))
    with pytest.raises(DataError, match=r"train.tsv: no pair is left to (train|validate on): give more pairs"):
        prepared(tmp_path / "run", replace(WORDS, train=(train,)))


def test_separate_vocabularies(tmp_path: Path) -> None:
    train = write_pairs(tmp_path / "train.tsv", many_pairs(40))
    corpus, said = prepared(tmp_path / "run", replace(WORDS, train=(train,), valid=train, shared=False))
    assert corpus.tokenizers.source is not corpus.tokenizers.target
    assert texts(corpus) == [(pair.source, pair.target) for pair in many_pairs(40)]
    assert "tokens for the source" in said[2]


def test_several_sources_and_only_the_first_pairs(tmp_path: Path) -> None:
    one = write_pairs(tmp_path / "one.tsv", many_pairs(10))
    two = write_pairs(tmp_path / "two.tsv", many_pairs(20)[10:])
    settings = replace(WORDS, train=(one, two), valid=one)
    assert len(prepared(tmp_path / "all", settings)[0].source) == 20
    assert len(prepared(tmp_path / "some", replace(settings, first=4))[0].source) == 8


def test_a_prepared_corpus_is_left_as_it_is(tmp_path: Path) -> None:
    train = write_pairs(tmp_path / "train.tsv", many_pairs(40))
    settings = replace(WORDS, train=(train,), valid=train)
    prepared(tmp_path / "run", settings)
    before = bytes_of(tmp_path / "run")
    Path(train).unlink()
    _, said = prepared(tmp_path / "run", settings)
    assert said == []
    assert bytes_of(tmp_path / "run") == before


@pytest.mark.exactness
@pytest.mark.parametrize("kind", ["bpe", "wordpiece", "unigram", "characters", "words"])
@pytest.mark.parametrize("stage", ["_train_tokenizers", "save_tokenizers", "_encode"])
def test_made_anew_after_a_break_the_bytes_are_the_same(
    tmp_path: Path, stage: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    train = write_pairs(tmp_path / "train.tsv", many_pairs(200))
    settings = replace(WORDS, train=(train,), kind=kind)
    prepared(tmp_path / "whole", settings)

    class Killed(BaseException):
        pass

    def killed(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(corpus_module, stage, killed)
        with pytest.raises(Killed):
            prepared(tmp_path / "broken", settings)
    assert not (tmp_path / "broken" / "data" / "prepared.json").exists()
    (tmp_path / "broken" / "tokenizer.json").write_text("half a fi", encoding="utf-8")
    prepared(tmp_path / "broken", settings)
    assert bytes_of(tmp_path / "broken") == bytes_of(tmp_path / "whole")


def test_given_tokenizers_are_kept(tmp_path: Path) -> None:
    train = write_pairs(tmp_path / "train.tsv", many_pairs(40))
    settings = replace(WORDS, train=(train,), valid=train)
    prepared(tmp_path / "first", settings)
    given = load_tokenizers(tmp_path / "first")
    said: list[str] = []
    prepare(tmp_path / "second", tmp_path / "nowhere", replace(settings, kind="bpe"), said.append, given=given)
    assert not (tmp_path / "nowhere").exists()
    assert said[2].startswith("tokenizer: words, ")  # what is used, not what the recipe would have made


def test_without_rules_every_pair_of_a_test_set_is_kept(tmp_path: Path) -> None:
    pairs = [Pair("a", "b"), Pair("", "empty"), Pair("x" * 9000, "long")]
    spec = write_pairs(tmp_path / "test.tsv", pairs)
    found = list(pairs_of(spec, "test", source=None, target=None, rules=None))
    assert [(pair.source, pair.target) for pair in found] == [(pair.source, pair.target) for pair in pairs]
    assert len(list(pairs_of(spec, "test", source=None, target=None, rules=CleaningRules()))) == 1


@pytest.mark.parametrize("file", ["train.source.tokens", "train.target.index", "valid.jsonl"])
def test_a_flipped_bit_in_the_prepared_data(file: str, tmp_path: Path) -> None:
    train = write_pairs(tmp_path / "train.tsv", many_pairs(40))
    prepare(tmp_path / "data", tmp_path, replace(WORDS, train=(train,), valid=train), say=lambda text: None)
    damaged = tmp_path / "data" / file
    content = bytearray(damaged.read_bytes())
    content[len(content) // 2] ^= 1
    damaged.write_bytes(content)
    with pytest.raises(DataError, match=r"changed .* written|does not fit"):
        open_corpus(tmp_path / "data", tmp_path)


def test_long_preparations_tell_how_far_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparing, "TOLD_SECONDS", 0.0)
    monkeypatch.setattr(preparing, "CHUNK", 10)
    train = write_pairs(tmp_path / "train.tsv", many_pairs(25))
    _, said = prepared(tmp_path / "run", replace(WORDS, train=(train,), valid=train))
    assert f"train: {train}: read 20 pairs so far" in said
    assert "tokenizer: read 10 pairs so far" in said
    assert "train: encoded 20 pairs so far" in said
