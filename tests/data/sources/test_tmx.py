"""Translation memories."""

import tracemalloc

import pytest

from saccade.data.sources import read_pairs

EN_DE = {"source": "en", "target": "de"}


def tmx(*units: str, before: str = "") -> str:
    header = '<?xml version="1.0"?>\n'
    return f'{header}{before}<tmx version="1.4"><header srclang="en"/><body>\n' + "\n".join(units) + "\n</body></tmx>\n"


def unit(**segments: str) -> str:
    tuvs = (f'<tuv xml:lang="{name.replace("_", "-")}"><seg>{text}</seg></tuv>' for name, text in segments.items())
    return f"<tu>{''.join(tuvs)}</tu>"


def test_units_and_their_places(write):
    write("a.tmx", tmx(unit(en="one", de="eins"), "<tu><note>n</note>", unit(de="zwei", en="two")[4:]))
    first, second = read_pairs("a.tmx", **EN_DE)
    assert (first.source, first.target, first.where) == ("one", "eins", "a.tmx:3")
    assert (second.source, second.target, second.where) == ("two", "zwei", "a.tmx:4")


@pytest.mark.parametrize("tag", ["en", "EN", "en-US", "EN_gb"])
def test_languages_match_by_prefix_in_any_case(write, read_all, tag):
    write("a.tmx", tmx(f'<tu><tuv xml:lang="{tag}"><seg>a</seg></tuv><tuv lang="DE-AT"><seg>b</seg></tuv></tu>'))
    assert read_all("a.tmx", **EN_DE) == [("a", "b")]


def test_a_longer_language_is_not_a_shorter_one(write, refusal):
    write("a.tmx", tmx(unit(enm="a", de="b"), unit(en="c", fr="d")))
    assert refusal("a.tmx", **EN_DE) == "a.tmx: no unit has both en and de (languages found: de, en, enm, fr)"


def test_asked_for_a_country_the_plain_language_is_not_enough(write, refusal):
    write("a.tmx", tmx(unit(pt="a", de="b")))
    assert refusal("a.tmx", source="pt-BR", target="de") == (
        "a.tmx: no unit has both pt-BR and de (languages found: de, pt)"
    )


def test_the_exact_tag_is_taken_before_its_variants(write):
    write("a.tmx", tmx(unit(en_US="color", en="colour", de="Farbe")))
    stream = read_pairs("a.tmx", **EN_DE)
    assert [p.source for p in stream] == ["colour"]
    assert stream.skipped == {"further variants": 1}


def test_units_without_both_languages_are_counted(write):
    write("a.tmx", tmx(unit(en="a", de="b"), unit(en="c", fr="d"), "<tu></tu>"))
    stream = read_pairs("a.tmx", **EN_DE)
    assert [p.source for p in stream] == ["a"]
    assert stream.skipped == {"units without both languages": 2}


def test_codes_are_removed_and_highlighted_text_stays(write, read_all):
    source = (
        'Press <bpt i="1">&lt;b <sub>title</sub>&gt;</bpt><hi type="term">the <hi>red</hi> key</hi><ept i="1">x</ept> '
        '&amp; wait<ph x="1"/>.<it pos="begin">y</it><ut>z</ut><![CDATA[<!>]]>'
    )
    write("a.tmx", tmx(unit(en=source, de="<ph>{0}</ph>x")))
    assert read_all("a.tmx", **EN_DE) == [("Press the red key & wait.<!>", "x")]


@pytest.mark.parametrize("encoding", ["utf-16", "iso-8859-1"])
def test_other_encodings_that_the_file_declares(write, read_all, encoding):
    text = tmx(unit(en="caf\u00e9", de="b")).replace('"1.0"', f'"1.0" encoding="{encoding}"')
    write("a.tmx", text.encode(encoding))
    assert read_all("a.tmx", **EN_DE) == [("caf\u00e9", "b")]


def test_packed(write, read_all):
    write("a.tmx.gz", tmx(unit(en="a", de="b")))
    assert read_all("a.tmx.gz", **EN_DE) == [("a", "b")]


def test_a_large_file_passes_through_little_memory(write):
    write("a.tmx", tmx(*(unit(en=f"sentence {n} " * 5, de=f"Satz {n}") for n in range(8_000))))
    tracemalloc.start()
    count = sum(1 for _ in read_pairs("a.tmx", **EN_DE))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 8_000
    assert peak < 600_000  # the file has 1.2 million bytes


def test_languages_must_be_named(write, refusal):
    write("a.tmx", tmx(unit(en="a", de="b")))
    for names in ({}, {"source": "en"}, {"target": "de"}):
        assert refusal("a.tmx", **names) == (
            "a.tmx: a TMX file may hold many languages: name the two to read with source and target "
            "(the first unit has: de, en)"
        )


def test_no_units(write, refusal):
    write("a.tmx", tmx())
    assert refusal("a.tmx", **EN_DE) == "a.tmx: no pairs found"


def test_a_doctype_is_accepted(write, read_all):
    write("a.tmx", tmx(unit(en="a", de="b"), before='<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n'))
    assert read_all("a.tmx", **EN_DE) == [("a", "b")]


@pytest.mark.parametrize(
    "declaration", ['<!ENTITY lol "lol">', '<!ENTITY lol SYSTEM "file:///etc/hostname">', '<!ENTITY % lol "x">']
)
def test_entity_declarations_are_refused(write, refusal, declaration):
    write("a.tmx", tmx(unit(en="&lol;", de="b"), before=f"<!DOCTYPE tmx [\n{declaration}]>\n"))
    assert refusal("a.tmx", **EN_DE) == (
        'a.tmx:3: declares the entity "lol": files with entity declarations are refused'
    )


def test_an_entity_of_an_outer_dtd(write, refusal):
    write("a.tmx", tmx(unit(en="a&nbsp;c", de="b"), before='<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n'))
    assert refusal("a.tmx", **EN_DE) == 'a.tmx:4: the entity "&nbsp;" is not known: write the character itself'


def test_broken_xml(write, refusal):
    write("a.tmx", tmx("<tu><tuv></tu>".replace("<tuv>", '<tuv xml:lang="en">')))
    assert refusal("a.tmx", **EN_DE) == "a.tmx:3: broken XML: mismatched tag at column 26"


def test_cut_short(write, refusal):
    write("a.tmx", tmx(unit(en="a", de="b"))[:-20])
    assert refusal("a.tmx", **EN_DE) == "a.tmx:3: broken XML: no element found at column 79"


def test_not_tmx(write, refusal):
    write("a.tmx", "<html><tu/></html>")
    assert refusal("a.tmx", **EN_DE) == ("a.tmx:1: not a TMX file: the outermost element is <html>, expected <tmx>")


def test_a_variant_without_language(write, refusal):
    write("a.tmx", tmx("<tu><tuv><seg>a</seg></tuv></tu>"))
    assert refusal("a.tmx", **EN_DE) == "a.tmx:3: <tuv> without xml:lang: its language is not known"
