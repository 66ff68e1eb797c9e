"""Gettext PO."""

import pytest

from saccade.data.sources import read_pairs

HEADER = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n'


@pytest.fixture
def po(write):
    return lambda text: write("a.po", text)


def test_messages_and_their_places(po):
    po(HEADER + '\n#: main.c:3\nmsgid "one"\nmsgstr "eins"\n\nmsgctxt "menu"\nmsgid "two"\nmsgstr "zwei"\n')
    first, second = read_pairs("a.po")
    assert (first.source, first.target, first.where) == ("one", "eins", "a.po:5")
    assert (second.source, second.target, second.where) == ("two", "zwei", "a.po:9")


def test_strings_of_several_lines_and_escapes(po, read_all):
    po('msgid ""\n"a \\"b\\"\\n"\n  "c\\\\n\\t\\a\\b\\f\\v\\r"\nmsgstr "\\303\\244\\xc3\\xb6"\n"!"\n')
    assert read_all("a.po") == [('a "b"\nc\\n\t\a\b\f\v\r', "äö!")]


def test_messages_need_no_blank_lines_between_them(po, read_all):
    po('msgid "one"\nmsgstr "eins"\nmsgid "two"\nmsgstr "zwei"\n')
    assert read_all("a.po") == [("one", "eins"), ("two", "zwei")]


def test_plural_forms(po):
    po('msgid "%d file"\nmsgid_plural "%d files"\nmsgstr[0] "%d plik"\nmsgstr[1] "%d pliki"\nmsgstr[2] "%d plików"\n')
    stream = read_pairs("a.po")
    assert [(p.source, p.target) for p in stream] == [("%d file", "%d plik"), ("%d files", "%d pliki")]
    assert stream.skipped == {"further plural forms": 1}


def test_a_language_with_one_form(po):
    po('msgid "%d file"\nmsgid_plural "%d files"\nmsgstr[0] "%d 個"\n')
    stream = read_pairs("a.po")
    assert [(p.source, p.target) for p in stream] == [("%d file", "%d 個")]
    assert stream.skipped == {}


def test_what_is_skipped_is_counted(po):
    po(
        f"#, fuzzy\n{HEADER}\n"
        '#, c-format, fuzzy\n#| msgid "old"\nmsgid "unsure"\nmsgstr "unsicher"\n\n'
        'msgid "untranslated"\nmsgstr ""\n\n'
        'msgid "n"\nmsgid_plural "ns"\nmsgstr[0] "N"\nmsgstr[1] ""\n\n'
        'msgid "kept"\nmsgstr "behalten"\n\n'
        '#, fuzzy\n#~ msgctxt "x"\n#~ msgid "gone"\n#~ msgid_plural "gones"\n#~ msgstr[0] "weg"\n\n'
        'msgid "after"\nmsgstr "danach"\n'
    )
    stream = read_pairs("a.po")
    assert [p.source for p in stream] == ["n", "kept", "after"]
    assert stream.skipped == {"header": 1, "fuzzy": 1, "untranslated": 2, "obsolete": 1}


def test_a_comment_that_says_fuzzy_is_no_flag(po, read_all):
    po('# fuzzy, said the translator\n#, no-fuzzy-at-all\nmsgid "a"\nmsgstr "b"\n')
    assert read_all("a.po") == [("a", "b")]


def test_an_empty_msgid_with_a_context_is_no_header(po):
    po('msgctxt "c"\nmsgid ""\nmsgstr "x"\n\nmsgid "a"\nmsgstr "b"\n')
    stream = read_pairs("a.po")
    assert [p.target for p in stream] == ["x", "b"]
    assert stream.skipped == {}


def test_nothing_translated(po, refusal):
    po(HEADER + '\nmsgid "a"\nmsgstr ""\n')
    assert refusal("a.po") == "a.po: no pairs found; the source skipped 1 header, 1 untranslated"


def test_packed(write, read_all):
    write("a.po.gz", 'msgid "a"\nmsgstr "b"\n')
    assert read_all("a.po.gz") == [("a", "b")]


STATEMENTS = 'expected msgctxt, msgid, msgid_plural, msgstr or a string, found "'
QUOTES = 'a string must stand between two quotes, with quotes inside it written \\"'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('msgid "a"\nmsgtsr "b"\n', f'a.po:2: broken PO: {STATEMENTS}msgtsr "b""'),
        ("hello\n", f'a.po:1: broken PO: {STATEMENTS}hello"'),
        ('msgid "a\nmsgstr "b"\n', f"a.po:1: broken PO: {QUOTES}"),
        ('msgid "a"b"\nmsgstr "b"\n', f"a.po:1: broken PO: {QUOTES}"),
        ('msgid "a\\"\nmsgstr "b"\n', f"a.po:1: broken PO: {QUOTES}"),
        ('msgid "a"\nmsgstr "b"\n"c', f"a.po:3: broken PO: {QUOTES}"),
        ('"a"\n', "a.po:1: broken PO: a string that belongs to no statement"),
        ('msgid "a"\nmsgstr "b"\n# c\n"d"\n', "a.po:4: broken PO: a string that belongs to no statement"),
        ('msgstr "a"\n', "a.po:1: broken PO: msgstr without msgid"),
        ('msgctxt "a"\nmsgid_plural "a"\n', "a.po:2: broken PO: msgid_plural without msgid"),
        ('msgid "a"\n\nmsgid "b"\nmsgstr "c"\n', "a.po:1: broken PO: a message without msgstr"),
        ('msgid "a"\n\nmsgctxt "b"\n', "a.po:1: broken PO: a message without msgstr"),
        ('msgid "a"\nmsgstr "b"\n\nmsgid "c"\n', "a.po:4: broken PO: a message without msgstr"),
        ('msgctxt "a"\nmsgctxt "b"\n', "a.po:2: broken PO: a second msgctxt in one message"),
        ('msgid "a"\nmsgstr "b"\nmsgstr "c"\n', "a.po:3: broken PO: a second msgstr in one message"),
        ('msgid "a"\nmsgstr "b"\nmsgid_plural "c"\n', "a.po:3: broken PO: msgid_plural after msgstr"),
        ('msgid "a"\nmsgstr[0] "b"\n', "a.po:2: broken PO: msgstr[0] where msgstr was expected"),
        (
            'msgid "a"\nmsgid_plural "b"\nmsgstr "c"\n',
            "a.po:3: broken PO: msgstr where msgstr[0], msgstr[1] ... was expected",
        ),
        ('msgid "\\q"\nmsgstr "b"\n', "a.po:1: broken PO: unknown escape \\q"),
        ('msgid "\\377"\nmsgstr "b"\n', "a.po:1: broken PO: the escapes of a string do not give UTF-8"),
        ('msgid "\\0"\nmsgstr "b"\n', 'a.po:1: "string" holds a NUL character'),
    ],
)
def test_broken(po, refusal, text, message):
    po(text)
    assert refusal("a.po") == message
