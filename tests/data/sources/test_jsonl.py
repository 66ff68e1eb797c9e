"""JSON lines."""

import json

import pytest

from saccade.data.sources import read_pairs


@pytest.fixture
def jsonl(write):
    return lambda *records: write("a.jsonl", "".join(json.dumps(record) + "\n" for record in records))


def test_default_and_asked_keys(jsonl, read_all):
    jsonl({"source": "one", "target": "eins", "en": "two", "de": "zwei"})
    assert read_all("a.jsonl") == [("one", "eins")]
    assert read_all("a.jsonl", source="de", target="en") == [("zwei", "two")]


def test_nested_translations(jsonl, read_all):
    jsonl({"id": 3, "translation": {"en": "one", "de": "eins"}})
    assert read_all("a.jsonl", source="de", target="en") == [("eins", "one")]


def test_asked_keys_beside_a_nested_translation_come_first(jsonl, read_all):
    jsonl({"en": "outer", "de": "außen", "translation": {"en": "inner", "de": "innen"}})
    assert read_all("a.jsonl", source="en", target="de") == [("outer", "außen")]


def test_a_column_may_be_called_translation(jsonl, read_all):
    jsonl({"text": "one", "translation": "eins"})
    assert read_all("a.jsonl", source="text", target="translation") == [("one", "eins")]


def test_gzip_and_places(write):
    write("a.jsonl.gz", '{"source": "a", "target": "b"}\n\n{"source": "c", "target": "d"}\n')
    assert [(p.source, p.where) for p in read_pairs("a.jsonl.gz")] == [
        ("a", "a.jsonl.gz:1"),
        ("", "a.jsonl.gz:2"),
        ("c", "a.jsonl.gz:3"),
    ]


def test_missing_keys_list_those_present(jsonl, refusal):
    jsonl({"id": 1, "translation": {"en": "one", "de": "eins"}})
    assert refusal("a.jsonl") == (
        'a.jsonl:1: no column or key "source" and "target" (there are: id, translation.en, translation.de); '
        "name the two to read with source and target"
    )
    assert 'no column or key "fr" (there are' in refusal("a.jsonl", source="en", target="fr")


def test_an_empty_object(jsonl, refusal):
    jsonl({})
    assert "(there are: none)" in refusal("a.jsonl")


def test_broken_json(write, refusal):
    write("a.jsonl", '{"source": "a", "target": "b"}\n{"source": "a" "target": "b"}\n')
    assert refusal("a.jsonl") == "a.jsonl:2: broken JSON: Expecting ',' delimiter at column 16"


def test_json_too_deep(write, refusal):
    write("a.jsonl", "[" * 200_000)
    assert refusal("a.jsonl").startswith("a.jsonl:1: broken JSON: maximum recursion depth exceeded")


def test_a_number_too_long(write, refusal):
    write("a.jsonl", "9" * 5_000)
    assert refusal("a.jsonl").startswith("a.jsonl:1: broken JSON: Exceeds the limit")


def test_not_an_object(jsonl, refusal):
    jsonl(["one", "eins"])
    assert refusal("a.jsonl") == "a.jsonl:1: expected a JSON object with its texts, found list"


@pytest.mark.parametrize(("value", "shown"), [(None, "null"), (3, "int 3"), (["a"], "list ['a']"), (True, "bool True")])
def test_a_value_that_is_no_text(jsonl, refusal, value, shown):
    jsonl({"source": "a", "target": "b"}, {"source": "a", "target": value})
    assert refusal("a.jsonl") == f'a.jsonl:2: "target" is {shown}, expected a text'


def test_a_nul_character_written_as_an_escape(jsonl, refusal):
    jsonl({"source": "a\0", "target": "b"})
    assert refusal("a.jsonl") == 'a.jsonl:1: "source" holds a NUL character'


def test_half_of_a_surrogate_pair(jsonl, refusal):
    jsonl({"source": "a\ud83d", "target": "b"})
    assert refusal("a.jsonl") == ('a.jsonl:1: "source" holds half of a surrogate pair (\\ud83d), which is no character')
