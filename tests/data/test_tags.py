"""Tags: which language a source names, and tokens that no text can spell."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.data.examples import Direction
from saccade.data.tags import direction_of, tag_ids, tag_of, target_language
from saccade.data.tokenizers import Kind, Tokenizer, train_tokenizer
from saccade.errors import DataError, DecodingError

KINDS: tuple[Kind, ...] = ("bpe", "wordpiece", "unigram", "characters", "words")
TEXTS = ["<2fr> ist kein Text", "a text that says <2fr> and < 2fr >", "ein <2en>wort <2fr>", "2fr fr <2 > 2en"] * 3
SPELLINGS = ["<2fr>", " <2fr>", "<2fr> ", "<2", "2fr>", "fr", ">", "<", " ", "<2en>", "⟨2fr⟩", "</s>", "\n", "ein", "é"]


def tagged(kind: Kind, *, lowercase: bool = False) -> Tokenizer:
    """Trained on texts that spell its tags."""
    return train_tokenizer(TEXTS, kind=kind, lowercase=lowercase, specials=[tag_of("en"), tag_of("fr")])


TOKENIZERS = {(kind, lowercase): tagged(kind, lowercase=lowercase) for kind in KINDS for lowercase in (False, True)}


@pytest.mark.parametrize("kind", KINDS)
def test_each_language_has_a_token_of_its_own(kind: Kind) -> None:
    assert tag_ids(TOKENIZERS[kind, False]) == {"en": 4, "fr": 5}
    assert TOKENIZERS[kind, False].pieces([5]) == ["<2fr>"]
    assert tag_ids(train_tokenizer(TEXTS, kind=kind)) == {}


def test_other_special_tokens_are_no_tags() -> None:
    assert tag_ids(train_tokenizer(TEXTS, specials=["<mask>", "<2pt-BR>"])) == {"pt-BR": 5}


@pytest.mark.property
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lowercase", [False, True])
@settings(max_examples=60)
@given(text=st.lists(st.sampled_from(SPELLINGS) | st.text(max_size=3), max_size=8).map("".join))
def test_no_text_is_ever_read_as_a_tag(kind: Kind, lowercase: bool, text: str) -> None:
    text = text.encode("utf-8", "ignore").decode()
    tokenizer = TOKENIZERS[kind, lowercase]
    tags = set(tag_ids(tokenizer).values())
    assert not tags & set(tokenizer.encode(text).ids)
    assert not tags & set(tokenizer.encode_batch([text])[0])


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("multi30k/train.{de,en}", Direction("de", "en")),
        ("scenes:en-fr?seed=1", Direction("en", "fr")),
        ("all.tmx:{de,pt-BR}", Direction("de", "pt-BR")),
        ("train.{src,fr}", Direction(None, "fr")),
        ("pairs.tsv", Direction("es", "pt")),
        ("train.{src,tgt}", Direction("es", "pt")),
    ],
)
def test_a_source_names_its_direction_or_the_recipe_does(spec: str, expected: Direction) -> None:
    assert direction_of(spec, source="es", target="pt") == expected


def test_a_direction_shows_what_is_known() -> None:
    assert str(Direction("de", "fr")) == "de-fr"
    assert str(Direction(None, "fr")) == "fr"


@pytest.mark.parametrize("spec", ["pairs.tsv", "train.{src,tgt}", "hub:owner/name", "all.jsonl:{source,target}"])
def test_a_source_without_languages(spec: str) -> None:
    message = r"does not say which language it translates into, which data.tag needs: name both languages, as in corpus"
    for target in (None, "target"):
        with pytest.raises(DataError, match=message) as caught:
            direction_of(spec, target=target)
        assert str(caught.value).startswith(f"{spec} does not say")
        assert "corpus/all.tsv:{de,en}, or with data.source and data.target" in str(caught.value)


@pytest.mark.parametrize("language", ["my language", "<fr>", "français", "-"])
def test_a_language_that_cannot_be_a_tag(language: str) -> None:
    message = f'a.tsv: "{language}" cannot be a tag, which is made of letters, digits, _ and -'
    with pytest.raises(DataError, match=message):
        direction_of("a.tsv", target=language)


def test_which_language_to_write() -> None:
    assert target_language("fr", ["en", "fr"]) == "fr"
    assert target_language(None, ["en"]) == "en"
    with pytest.raises(DecodingError) as caught:
        target_language(None, ["en", "fr"])
    assert str(caught.value) == ('say which language to translate into, with --to or to="en": this model writes en, fr')
    with pytest.raises(DecodingError, match=r"^this model does not translate into es: it writes en, fr$"):
        target_language("es", ["en", "fr"])
    with pytest.raises(DecodingError, match=r"does not translate into frr \(did you mean fr\?\)"):
        target_language("frr", ["en", "fr"])
