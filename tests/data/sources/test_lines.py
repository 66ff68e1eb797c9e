"""What a line is, and which bytes are refused."""

import pytest

from saccade.data.sources.files import find_file
from saccade.data.sources.lines import count_lines, lines

UNICODE_BREAKS = "a\u2028b\x85c\x0bd\x0ce\x1cf"


@pytest.fixture
def found(write, folder):
    return lambda content, name="a.tsv": find_file(str(write(name, content)), folder)


def test_only_newline_ends_a_line(found):
    file = found(f"{UNICODE_BREAKS}\nlast")
    assert list(lines(file)) == [UNICODE_BREAKS, "last"]
    assert count_lines(file) == 2


def test_one_carriage_return_is_stripped_and_inner_ones_stay(found):
    assert list(lines(found("a\r\nb\r\r\nc\rd\ne\r"))) == ["a", "b\r", "c\rd", "e"]


def test_endings_can_be_kept(found):
    assert list(lines(found("a\r\nb"), endings="kept")) == ["a\r\n", "b"]


def test_spaces_and_composition_are_untouched(found):
    assert list(lines(found("  e\u0301 \t\n"))) == ["  e\u0301 \t"]


def test_a_byte_order_mark_is_dropped_at_the_beginning_only(found):
    assert list(lines(found("\ufeffa\n\ufeffb\n"))) == ["a", "\ufeffb"]


@pytest.mark.parametrize(
    ("content", "count"), [("a", 1), ("a\n", 1), ("\n", 1), ("\n\n", 2), ("a\nb", 2), ("x" * 3_000_000 + "\ny\n", 2)]
)
@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_count_agrees_with_reading(found, name, content, count):
    file = found(content, name)
    assert count_lines(file) == count == len(list(lines(file)))


def test_bytes_that_are_not_utf8(write, refusal):
    write("a.tsv", b"one\teins\n" + "caf\u00e9s\tx\n".encode("latin-1"))
    assert refusal("a.tsv") == (
        "a.tsv:2: not UTF-8: byte 0xe9 at byte offset 3 of the line (invalid continuation byte); save the file as UTF-8"
    )


def test_the_byte_offset_counts_the_byte_order_mark(write, refusal):
    write("a.tsv", b"\xef\xbb\xbfab\xff\n")
    assert "a.tsv:1: not UTF-8: byte 0xff at byte offset 5 of the line" in refusal("a.tsv")


def test_nul_bytes(write, refusal):
    write("a.tsv", "a\tb\nc\0\td\n")
    assert refusal("a.tsv") == (
        "a.tsv:2: holds a NUL byte: this is not a text file, or it is damaged (or UTF-16: save as UTF-8)"
    )
