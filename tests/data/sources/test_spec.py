"""Taking specifications apart."""

import pytest

from saccade.data.sources import Languages, languages
from saccade.errors import DataError


@pytest.mark.parametrize(
    ("spec", "source", "target"),
    [
        ("corpus/train.{en,de}", "en", "de"),
        ("corpus/train.{en,de}.gz", "en", "de"),
        ("{en,pt-BR}/train.txt", "en", "pt-BR"),
        ("train.{zh_Hans,deu}", "zh_Hans", "deu"),
        ("train.{src,tgt}", None, None),
        ("{train.en,train.de}", None, None),
        ("train.{en,trg}", "en", None),
        ("train.tsv", None, None),
        ("en-de.tsv", None, None),
        ("scenes:en-fr", "en", "fr"),
        ("scenes:en-fr?size=100", "en", "fr"),
        ("scenes:captions", None, None),
        ("hub:wmt/wmt14/de-en", None, None),
        ("hub:wmt/wmt14/de-en:{de,en}", "de", "en"),
        ("corpus/all.tmx:{de,pt-BR}", "de", "pt-BR"),
        ("all.tsv.gz:{german,french}", "german", "french"),
        ("all.jsonl:{source,target}", None, None),
        ("./a:b.tsv", None, None),
        ("scenes:{en,fr}", None, None),
    ],
)
def test_languages(spec, source, target):
    assert languages(spec) == Languages(source, target)


@pytest.mark.parametrize(
    "spec",
    ["a.{en}", "a.{en,de,fr}", "a.{en,}", "a.{,}", "a.{en,de", "a.en}", "{a,b}.{c,d}", "{{a,b}}", "a.{b,c}:{d,e}"],
)
def test_braces_hold_exactly_two_names(refusal, spec):
    assert refusal(spec) == (
        f"{spec}: expected exactly two names between one pair of braces, as in corpus/train.{{en,de}}"
    )
    with pytest.raises(DataError, match="exactly two names"):
        languages(spec)


@pytest.mark.parametrize("spec", ["", "  "])
def test_nothing_named(refusal, spec):
    assert refusal(spec) == ("no data is named: expected a file such as corpus/train.tsv or corpus/train.{en,de}")
