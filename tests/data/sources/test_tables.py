"""Tables with and without headers, and the two ways of writing cells."""

import pytest

from saccade.data.sources import read_pairs

SEPARATORS = {"a.tsv": "\t", "a.csv": ",", "a.tsv.gz": "\t", "a.csv.gz": ","}


@pytest.fixture(params=SEPARATORS)
def table(request, write):
    """Write rows to a file of each kind; gives its name."""

    def rows(*rows: list[str]) -> str:
        write(request.param, "".join(SEPARATORS[request.param].join(row) + "\r\n" for row in rows))
        return request.param

    return rows


def test_without_header(table, read_all):
    assert read_all(table(["one", "eins"], ["two", "zwei"])) == [("one", "eins"), ("two", "zwei")]


def test_the_default_names_make_a_header(table, read_all):
    assert read_all(table(["target", "source"], ["eins", "one"])) == [("one", "eins")]


def test_asked_names_make_a_header_among_others(table, read_all):
    name = table(["id", "de", "en"], ["1", "eins", "one"])
    assert read_all(name, source="en", target="de") == [("one", "eins")]


def test_two_columns_without_the_asked_names_have_no_header(table, read_all):
    assert read_all(table(["one", "eins"]), source="en", target="de") == [("one", "eins")]


def test_a_header_with_only_one_of_the_names(table, refusal):
    name = table(["en", "fr"], ["one", "un"])
    assert refusal(name, source="en", target="de") == (
        f'{name}:1: no column or key "de" (there are: en, fr); name the two to read with source and target; '
        "without a header the table must have exactly two columns"
    )


def test_three_columns_without_names(table, refusal):
    name = table(["one", "eins", "un"])
    assert refusal(name).startswith(f'{name}:1: no column or key "source" and "target" (there are: one, eins, un)')


def test_one_column(table, refusal):
    name = table(["one"], ["two"])
    assert refusal(name) == f"{name}:1: 1 column, expected 2"


def test_a_row_with_an_extra_column(table, refusal):
    name = table(["one", "eins"], ["two", "zwei", "deux"])
    assert refusal(name) == f"{name}:2: 3 columns, expected 2"


def test_a_short_row_under_a_header(table, refusal):
    name = table(["id", "en", "de"], ["1", "one", "eins"], ["2", "two"])
    assert refusal(name, source="en", target="de") == f"{name}:3: 2 columns, expected 3"


def test_a_blank_line_is_a_blank_pair_in_its_place(table):
    name = table(["one", "eins"], [""], ["two", "zwei"])
    pairs = list(read_pairs(name))
    assert [(pair.source, pair.where) for pair in pairs] == [
        ("one", f"{name}:1"),
        ("", f"{name}:2"),
        ("two", f"{name}:3"),
    ]


def test_quotes_mean_nothing_in_tsv(write, read_all):
    write("a.tsv", '"one\t"eins""\n')
    assert read_all("a.tsv") == [('"one', '"eins""')]


def test_a_quoted_cell_may_hold_anything_and_places_stay_right(write):
    write("a.csv", '"one,\n""two""",eins\nthree,drei\n')
    first, second = read_pairs("a.csv")
    assert (first.source, first.where) == ('one,\n"two"', "a.csv:1")
    assert (second.source, second.where) == ("three", "a.csv:3")


def test_a_quote_that_is_never_closed(write, refusal):
    write("a.csv", 'one,eins\n"two,zwei\nthree,drei\n')
    assert refusal("a.csv") == "a.csv:2: broken CSV: unexpected end of data (is a quote not closed?)"


def test_an_open_quote_does_not_swallow_a_large_file(write, refusal):
    write("a.csv", 'one,eins\n"two,zwei\n' + "three,drei\n" * 20_000)
    assert refusal("a.csv") == ("a.csv:2: broken CSV: field larger than field limit (131072) (is a quote not closed?)")


def test_a_header_alone_has_no_pairs(table, refusal):
    name = table(["source", "target"])
    assert refusal(name) == f"{name}: no pairs found"
