"""The pairs that others read: determinism, truth of the alignments, translation as a function, messages."""

import subprocess
import sys
from collections import Counter
from itertools import islice, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.data.examples import Pair
from saccade.errors import DataError
from saccade.scenes import DEFAULT_SIZES, LANGUAGES, align, describe, parse_spec, read_pairs, realise
from saccade.scenes.plan import Exists, Mention

CONTENT = {"kind", "colour", "size", "age", "count", "deed", "where", "negation", "be"}


def test_first_pair_is_whole() -> None:
    pair = next(read_pairs("en-fr"))
    description = next(describe("train", 1, 0))
    source, target = realise(description.statement, "en"), realise(description.statement, "fr")
    assert pair == Pair(source.text, target.text, "scenes:en-fr train 1", align(source, target))
    assert next(islice(read_pairs("en-fr"), 16, None)).where == "scenes:en-fr train 17"


@pytest.mark.parametrize(("source", "target"), list(permutations(LANGUAGES, 2)))
def test_every_ordered_pair_of_languages(source: str, target: str) -> None:
    there = list(read_pairs(f"{source}-{target}", split="valid", size=40))
    back = list(read_pairs(f"{target}-{source}", split="valid", size=40))
    assert [(pair.source, pair.target) for pair in there] == [(pair.target, pair.source) for pair in back]


def test_default_sizes() -> None:
    assert sum(1 for _ in read_pairs("en-fr", split="valid")) == 500
    assert sum(1 for _ in read_pairs("de-es", split="test")) == 500
    assert DEFAULT_SIZES["train"] == 20_000


def test_options_of_the_spec_go_before_the_arguments() -> None:
    assert list(read_pairs("en-de?size=5&seed=3")) == list(read_pairs("en-de", size=5, seed=3))
    assert list(read_pairs("en-de?seed=3", size=5)) == list(read_pairs("en-de?size=5", size=9, seed=3))
    assert parse_spec("en-de?seed=3").size is None


def test_same_in_another_process_with_another_hash_seed() -> None:
    code = "from saccade.scenes import read_pairs\nfor p in read_pairs('en-de', size=300, seed=8):"
    code += " print(p.source, p.target, sorted((k.source, k.target) for k in p.alignment))"
    outputs = {
        subprocess.run(
            [sys.executable, "-X", "utf8", "-c", code],
            env={"PYTHONHASHSEED": hash_seed},
            capture_output=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "4242")
    }
    here = "".join(
        f"{p.source} {p.target} {sorted((k.source, k.target) for k in p.alignment or ())}\n"
        for p in read_pairs("en-de", size=300, seed=8)
    )
    assert outputs == {here.encode()}


def test_lengths_spread_from_four_words_to_about_twenty_five(corpus: dict[str, list[str]]) -> None:
    for texts in corpus.values():
        lengths = Counter(len(text.split()) for text in texts)
        assert min(lengths) == 4
        assert 25 <= max(lengths) <= 30
        assert all(lengths[length] > 400 for length in range(5, 20))


@pytest.mark.property
@settings(max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from(list(permutations(LANGUAGES, 2))))
def test_alignments_are_in_range_and_cover_every_content_word(seed: int, languages: tuple[str, str]) -> None:
    for description in describe("train", 20, seed):
        source, target = (realise(description.statement, language) for language in languages)
        links = align(source, target)
        assert all(0 <= link.source < len(source.words) for link in links)
        assert all(0 <= link.target < len(target.words) for link in links)
        content = {at for at, word in enumerate(source.words) if CONTENT & {c.aspect for c in word.concepts}}
        assert content <= {link.source for link in links}


def test_every_word_speaks_of_things_that_are_there() -> None:
    for description in describe("train", 500, 4):
        for language in LANGUAGES:
            for word in realise(description.statement, language).words:
                for concept in word.concepts:
                    assert all(0 <= thing < len(description.scene.things) for thing in concept.things)


def test_translation_is_a_function_of_the_source_in_every_direction(corpus: dict[str, list[str]]) -> None:
    """Fifty thousand meanings have fifty thousand texts in every language: no text has two translations."""
    assert {language: len(set(texts)) for language, texts in corpus.items()} == dict.fromkeys(LANGUAGES, 50_000)


def test_every_word_is_frequent_enough_to_be_learned(corpus: dict[str, list[str]]) -> None:
    words = Counter(word for text in corpus["en"][:20_000] for word in text.split())
    assert min(words.values()) >= 40
    assert 140 <= len(words) <= 180


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"spec": "en-it"}, r"scenes:en-it: unknown language 'it'; known are en, fr, de, es"),
        ({"spec": "en"}, r"scenes:en: unknown language ''; known are en, fr, de, es, written as en-fr"),
        (
            {"spec": "fr-fr"},
            r"scenes:fr-fr: source and target are both 'fr'; give two different ones of en, fr, de, es",
        ),
        ({"spec": "en-fr?sise=3"}, r"scenes:en-fr\?sise=3: unknown option 'sise'; known are size, seed"),
        ({"spec": "en-fr?size=3&size=4"}, r"option 'size' is given twice; give it once"),
        ({"spec": "en-fr?size=few"}, r"size is 'few'; a whole number is expected, as in size=3"),
        ({"spec": "en-fr?size=-3"}, r"size is '-3'; a whole number is expected"),
        ({"spec": "en-fr?seed="}, r"seed is ''; a whole number is expected, as in seed=3"),
        ({"spec": "en-fr?size=0"}, r"size is 0; it must be 1 or more"),
        ({"spec": "en-fr", "size": -1}, r"size is -1; it must be 1 or more"),
        ({"spec": "en-fr", "split": "dev"}, r"scenes:en-fr: unknown split 'dev'; known are train, valid, test"),
    ],
)
def test_what_is_wrong_is_said_at_once(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_pairs(**arguments)  # type: ignore[arg-type]


def test_unknown_language_of_a_sentence() -> None:
    with pytest.raises(DataError, match=r"unknown language 'it'; known are en, fr, de, es"):
        realise(Exists((Mention("circle", "no"),)), "it")
