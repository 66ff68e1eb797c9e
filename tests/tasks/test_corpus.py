from dataclasses import replace
from pathlib import Path

import pytest

from saccade.data.cleaning import CleaningRules, is_text_held_out
from saccade.data.examples import Direction, Pair
from saccade.errors import DataError
from saccade.tasks import corpus as corpus_module
from saccade.tasks import preparing
from saccade.tasks.corpus import CorpusSettings, in_turn, load_tokenizers, open_corpus, pairs_of, prepare
from saccade.tasks.translator import Tokenizers
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
    corpus, said = prepared(tmp_path / "run", replace(WORDS, train=(train,), valid=(valid,)))
    assert texts(corpus) == [(pair.source, pair.target) for pair in many_pairs(30)]
    assert [pair.source for pair in corpus.valid] == [pair.source for pair in many_pairs(3)]
    assert said[0].startswith(f"train: {train}: read 31 pairs, kept 30; dropped 1 empty (first: {train}:31)")
    assert said[1] == f"valid: {valid}: read 3 pairs, kept all"
    assert said[2:4] == ["train: 30 pairs", "valid: 3 pairs"]
    assert said[4].startswith("tokenizer: words, ")
    assert said[4].endswith(" tokens for both languages")


def test_pairs_with_too_many_tokens_are_dropped_counted_and_said(tmp_path: Path) -> None:
    long = Pair("word " * 12, "mot " * 12)
    train = write_pairs(tmp_path / "train.tsv", [*many_pairs(20), long, many_pairs(1)[0], long])
    settings = replace(WORDS, train=(train,), valid=(train,), max_length=10)
    corpus, said = prepared(tmp_path / "run", settings)
    assert len(corpus.source) == len(corpus.target) == 21
    assert said[-1] == f"train: dropped 2 pairs longer than 10 tokens (first: {train}:21)"


def test_every_pair_too_long(tmp_path: Path) -> None:
    train = write_pairs(tmp_path / "train.tsv", many_pairs(20))
    with pytest.raises(DataError, match=r"every pair is longer than data.max_length, 2 tokens: raise it"):
        prepared(tmp_path / "run", replace(WORDS, train=(train,), valid=(train,), max_length=2))


def test_what_is_held_out_is_never_trained_on(tmp_path: Path) -> None:
    pairs = many_pairs(300) + [replace(pair, target="autrement") for pair in many_pairs(300)]
    train = write_pairs(tmp_path / "train.tsv", pairs)
    corpus, said = prepared(tmp_path / "run", replace(WORDS, train=(train,), holdout=0.1))
    held = {pair.source for pair in corpus.valid}
    trained = {source for source, _ in texts(corpus)}
    assert not held & trained
    assert len(corpus.valid) + len(corpus.source) == 600
    assert held == {pair.source for pair in pairs if is_text_held_out(pair.source, 0.1)}
    assert said[1:3] == [
        f"train: {len(corpus.source)} pairs",
        f"valid: {len(corpus.valid)} pairs held out of train (10%)",
    ]


def test_of_a_handful_of_pairs_at_least_one_is_held_out(tmp_path: Path) -> None:
    pairs = [pair for pair in many_pairs(60) if not is_text_held_out(pair.source, 0.04)][:20]
    train = write_pairs(tmp_path / "train.tsv", pairs)
    corpus, said = prepared(tmp_path / "run", replace(WORDS, train=(train,), holdout=0.02))
    assert len(corpus.valid) >= 1
    assert len(corpus.valid) + len(corpus.source) == 20
    assert not {pair.source for pair in corpus.valid} & {source for source, _ in texts(corpus)}
    assert "(2%" not in said[2]


def test_one_pair_is_too_few(tmp_path: Path) -> None:
    train = write_pairs(tmp_path / "train.tsv", many_pairs(1))
    with pytest.raises(DataError, match=r"train.tsv: no pair is left to (train|validate on): give more of them"):
        prepared(tmp_path / "run", replace(WORDS, train=(train,)))


def test_separate_vocabularies(tmp_path: Path) -> None:
    train = write_pairs(tmp_path / "train.tsv", many_pairs(40))
    corpus, said = prepared(tmp_path / "run", replace(WORDS, train=(train,), valid=(train,), shared=False))
    assert corpus.tokenizers.source is not corpus.tokenizers.target
    assert texts(corpus) == [(pair.source, pair.target) for pair in many_pairs(40)]
    assert "tokens for the source" in said[4]


def test_several_sources_and_only_the_first_pairs(tmp_path: Path) -> None:
    one = write_pairs(tmp_path / "one.tsv", many_pairs(10))
    two = write_pairs(tmp_path / "two.tsv", many_pairs(20)[10:])
    settings = replace(WORDS, train=(one, two), valid=(one,))
    assert len(prepared(tmp_path / "all", settings)[0].source) == 20
    assert len(prepared(tmp_path / "some", replace(settings, first=4))[0].source) == 8


def test_a_prepared_corpus_is_left_as_it_is(tmp_path: Path) -> None:
    train = write_pairs(tmp_path / "train.tsv", many_pairs(40))
    settings = replace(WORDS, train=(train,), valid=(train,))
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

    def killed(*_: object, **__: object) -> None:
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
    settings = replace(WORDS, train=(train,), valid=(train,))
    prepared(tmp_path / "first", settings)
    given = load_tokenizers(tmp_path / "first")
    said: list[str] = []
    prepare(tmp_path / "second", tmp_path / "nowhere", replace(settings, kind="bpe"), said.append, given=given)
    assert not (tmp_path / "nowhere").exists()
    assert said[4].startswith("tokenizer: words, ")  # what is used, not what the recipe would have made


def test_without_rules_every_pair_of_a_test_set_is_kept(tmp_path: Path) -> None:
    pairs = [Pair("a", "b"), Pair("", "empty"), Pair("x" * 9000, "long")]
    spec = write_pairs(tmp_path / "test.tsv", pairs)
    found = list(pairs_of(spec, "test", source=None, target=None, rules=None))
    assert [(pair.source, pair.target) for pair in found] == [(pair.source, pair.target) for pair in pairs]
    assert len(list(pairs_of(spec, "test", source=None, target=None, rules=CleaningRules()))) == 1


@pytest.mark.parametrize("file", ["train.source.tokens", "train.target.index", "valid.jsonl"])
def test_a_flipped_bit_in_the_prepared_data(file: str, tmp_path: Path) -> None:
    train = write_pairs(tmp_path / "train.tsv", many_pairs(40))
    prepare(tmp_path / "data", tmp_path, replace(WORDS, train=(train,), valid=(train,)), say=lambda text: None)
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
    _, said = prepared(tmp_path / "run", replace(WORDS, train=(train,), valid=(train,)))
    assert f"train: {train}: read 20 pairs so far" in said
    assert "tokenizer: read 10 pairs so far" in said
    assert "train: encoded 20 pairs so far" in said


def tagged(tmp_path: Path) -> CorpusSettings:
    """German to English by the names of the files, English to French by the names behind a table."""
    (tmp_path / "a.de").write_text("".join(f"Satz Nummer {n}\n" for n in range(30)), encoding="utf-8")
    (tmp_path / "a.en").write_text("".join(f"<2fr> number {n}\n" for n in range(30)), encoding="utf-8")
    table = write_pairs(tmp_path / "b.tsv", many_pairs(20))
    sources = (f"{tmp_path}/a.{{de,en}}", f"{table}:{{en,fr}}")
    return replace(WORDS, train=sources, valid=sources, tag="target")


def test_tagged_sources_begin_with_the_token_of_their_target_language(tmp_path: Path) -> None:
    corpus, said = prepared(tmp_path / "run", tagged(tmp_path))
    assert corpus.tokenizers.languages == ("en", "fr")
    assert said[-1].endswith(" tokens for all languages, tags for en, fr")
    assert [ids[0] for ids in corpus.source] == [4] * 30 + [5] * 20
    for ids in (*(ids[1:] for ids in corpus.source), *corpus.target):
        assert not {4, 5} & set(ids.tolist())
    assert texts(corpus)[0] == ("Satz Nummer 0", "<2fr> number 0")
    assert texts(corpus)[-1] == (many_pairs(20)[-1].source, many_pairs(20)[-1].target)


def test_validation_pairs_of_several_directions_take_turns(tmp_path: Path) -> None:
    settings = tagged(tmp_path)
    corpus, _ = prepared(tmp_path / "run", settings)
    found = [pair.direction for pair in corpus.valid]
    assert found == [Direction("de", "en"), Direction("en", "fr")] * 20 + [Direction("de", "en")] * 10
    assert [pair.source for pair in corpus.valid[:4:2]] == ["Satz Nummer 0", "Satz Nummer 1"]
    held, _ = prepared(tmp_path / "held", replace(settings, valid=(), holdout=0.3))
    assert [pair.into for pair in held.valid[:2]] == ["en", "fr"]


def test_without_directions_the_order_stays() -> None:
    assert in_turn(many_pairs(5)) == many_pairs(5)


def test_only_the_side_that_is_read_has_tags(tmp_path: Path) -> None:
    corpus, said = prepared(tmp_path / "run", replace(tagged(tmp_path), shared=False))
    assert corpus.tokenizers.source.specials[4:] == ("<2en>", "<2fr>")
    assert corpus.tokenizers.target.specials[4:] == ()
    assert said[-1].endswith(" for the target, tags for en, fr")


def test_names_in_the_recipe_are_for_sources_without_their_own(tmp_path: Path) -> None:
    """Without a tag the first file's names would contradict those of the recipe."""
    settings = tagged(tmp_path)
    table = settings.train[1].removesuffix(":{en,fr}")
    mixed = replace(settings, train=(settings.train[0], table), valid=(table,), source="en", target="de")
    corpus, _ = prepared(tmp_path / "run", mixed)
    assert corpus.tokenizers.languages == ("en", "de")
    assert corpus.valid[0].direction == Direction("en", "de")
    assert corpus.valid[0].source == many_pairs(1)[0].source


def test_languages_that_nobody_named_or_trains(tmp_path: Path) -> None:
    settings = tagged(tmp_path)
    unnamed = replace(settings, train=(*settings.train, "gone.tsv"))
    with pytest.raises(DataError, match=r"gone.tsv does not say which language it translates into"):
        prepared(tmp_path / "unnamed", unnamed)
    untrained = replace(settings, valid=("scenes:de-es",))
    message = "scenes:de-es translates into es, but data.train translates only into en, fr"
    with pytest.raises(DataError, match=message):
        prepared(tmp_path / "untrained", untrained)


def test_a_model_to_go_on_from_must_know_the_tags(tmp_path: Path) -> None:
    settings = tagged(tmp_path)
    tokenizers = prepared(tmp_path / "run", settings)[0].tokenizers
    plain = prepared(tmp_path / "plain", replace(settings, tag=None))[0].tokenizers

    def refusal(settings: CorpusSettings, given: Tokenizers) -> str:
        with pytest.raises(DataError) as caught:
            prepare(tmp_path / "new", tmp_path, settings, lambda text: None, given=given)
        return str(caught.value)

    assert refusal(settings, plain) == "the model to go on from knows no tags: leave data.tag out, or begin anew"
    assert refusal(replace(settings, tag=None), tokenizers) == (
        "the model to go on from knows tags for en, fr: set data.tag to target as it did"
    )
    assert refusal(replace(settings, train=("scenes:en-es",)), tokenizers) == (
        "scenes:en-es translates into es, but the model to go on from translates only into en, fr"
    )
    fewer = replace(settings, train=settings.train[:1])
    prepare(tmp_path / "new", tmp_path, fewer, lambda text: None, given=tokenizers)
    assert [ids[0] for ids in open_corpus(tmp_path / "new", tmp_path / "run").source] == [4] * 30
