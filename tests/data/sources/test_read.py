"""The one door: choosing the reader, schemes, and what every stream checks."""

import itertools
import tracemalloc

import pytest

from saccade.data.examples import Link, Pair
from saccade.data.sources import PairStream, read_pairs

KNOWN = "known: parallel files as train.{en,de}, .csv, .jsonl, .parquet, .po, .tmx, .tsv, hub:owner/name"
ALIGNED = Pair("a b", "b a", "scenes:1", frozenset([Link(0, 1), Link(1, 0)]))


def scenes(rest: str, *, split: str):
    yield ALIGNED
    yield Pair(rest, split, "scenes:2")


def nothing(rest: str, *, split: str):
    return iter(())


def test_a_scheme_is_called_with_what_follows_and_the_split(read_all):
    assert read_all("scenes:en-fr", split="valid", schemes={"scenes": scenes}) == [("a b", "b a"), ("en-fr", "valid")]
    assert next(read_pairs("scenes:en-fr", schemes={"scenes": scenes})) is ALIGNED


def test_an_unknown_scheme(refusal):
    assert refusal("scene:en-fr", schemes={"scenes": scenes}) == (
        f'scene:en-fr: unknown scheme "scene" (did you mean scenes?); {KNOWN}, scenes:...; files also with .gz; '
        "a file of this name is written ./scene:en-fr"
    )


def test_a_file_with_a_colon_in_its_name(write, read_all):
    write("v2:train.tsv", "a\tb\n")
    assert read_all("./v2:train.tsv") == [("a", "b")]


def test_an_unknown_kind_of_file(write, refusal):
    write("a.xlsx", "x")
    assert refusal("a.xlsx") == f'a.xlsx: unknown kind of file ".xlsx"; {KNOWN}; files also with .gz'
    assert refusal("a.jsnl.gz").startswith('a.jsnl.gz: unknown kind of file ".jsnl" (did you mean .jsonl?); known: ')
    assert refusal("train").startswith("train: unknown kind of file (its name has no ending); known: ")


def test_endings_in_capitals(write, read_all):
    write("A.TSV", "a\tb\n")
    assert read_all("A.TSV") == [("a", "b")]


def test_both_names_the_same(refusal):
    assert refusal("a.tsv", source="en", target="en") == (
        'source and target are both "en": expected two different names'
    )
    assert refusal("a.tsv", source="target").startswith('source and target are both "target"')


@pytest.mark.parametrize("content", ["\n\n\n", " \t \n\t\na\t\n", "\ufeff\n\t\u00a0\n\n"])
def test_only_blank_lines(write, refusal, content):
    write("a.tsv", content)
    assert refusal("a.tsv") == "a.tsv: only blank lines: none of 3 pairs has text on both sides"


def test_blank_parallel_files(write, refusal):
    write("a.en", "\n\n")
    write("a.de", "\nx\n")
    assert refusal("a.{en,de}") == "a.{en,de}: only blank lines: none of 2 pairs has text on both sides"


def test_a_scheme_without_pairs(refusal):
    assert refusal("none:", schemes={"none": nothing}) == "none:: no pairs found"


def test_the_stream_is_read_once_and_on_demand():
    taken = []

    def counting(rest: str, *, split: str):
        for number in itertools.count():
            taken.append(number)
            yield Pair("a", "b")

    stream = read_pairs("count:", schemes={"count": counting})
    assert isinstance(stream, PairStream)
    assert taken == []
    assert len(list(itertools.islice(stream, 5))) == 5
    assert len(taken) == 5


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_a_large_file_passes_through_little_memory(write, ending):
    write(f"a.tsv{ending}", "a source of some length\ta target of some length\n" * 40_000)
    tracemalloc.start()
    count = sum(1 for _ in read_pairs(f"a.tsv{ending}"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 40_000
    assert peak < 500_000  # the text has 1.9 million bytes


def test_names_behind_a_file_say_what_to_read_and_go_before_others(write, read_all, refusal):
    write("a.tsv", "de\ten\tfr\neins\tone\tun\n")
    assert read_all("a.tsv:{de,fr}") == [("eins", "un")]
    assert read_all("a.tsv:{fr,en}", source="de", target="fr") == [("un", "one")]
    assert 'no column or key "es" (there are: de, en, fr)' in refusal("a.tsv:{de,es}")
    assert refusal("a.tsv:{de,de}") == 'source and target are both "de": expected two different names'
    write("b.jsonl", '{"translation": {"de": "eins", "en": "one"}}\n')
    assert read_all("b.jsonl:{en,de}") == [("one", "eins")]


def test_names_behind_a_table_without_a_header_only_tell_the_languages(write, read_all):
    write("a.tsv", "eins\tone\n")
    assert read_all("a.tsv:{de,en}") == [("eins", "one")]


def test_names_behind_a_tmx_file(write, read_all):
    variants = "".join(f'<tuv xml:lang="{code}"><seg>{text}</seg></tuv>' for code, text in (("de", "x"), ("en", "y")))
    write("a.tmx", f"<tmx><body><tu>{variants}</tu></body></tmx>")
    assert read_all("a.tmx:{en,de}") == [("y", "x")]
