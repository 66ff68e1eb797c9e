import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.recipe.reading import MOST_DEPTH, ReadingError, plain_value, read


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3e-4", 3e-4),
        ("5E-3", 5e-3),
        ("1.5e3", 1500.0),
        ("5e6", 5_000_000),
        ("-2e+3", -2000),
        (".5", 0.5),
        ("1.", 1.0),
        ("8_000", 8000),
        ("010", 10),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("no", "no"),
        ("on", "on"),
        ("yes", "yes"),
        ("1:30", "1:30"),
        ("2024-01-01", "2024-01-01"),
        (".inf", ".inf"),
        (".nan", ".nan"),
        ("1e999", "1e999"),
        ("1e99", 1e99),
        ("9" * 39, "9" * 39),
        ("9" * 5000, "9" * 5000),
        ("30 epochs", "30 epochs"),
        ("e5", "e5"),
    ],
)
def test_plain_values(text: str, value: object) -> None:
    got = plain_value(text)
    assert got == value
    assert type(got) is type(value)


def test_quoted_values_are_texts() -> None:
    assert read("""{a: "3e-4", b: 'true', c: 3e-4}""").value == {"a": "3e-4", "b": "true", "c": 3e-4}


def test_lines_of_blocks_flows_and_lists() -> None:
    reading = read(
        "# a comment\n"
        "data:\n"
        "  train:\n"
        "    - a.tsv\n"
        "    - b.tsv\n"
        "model: {preset: tiny,\n"
        "  heads: 4, deep: {er: 1,\n"
        "    est: 2}}\n"
        "train:\n"
        "  betas: [0.9,\n"
        "    0.98]\n"
    )
    assert reading.lines == {
        ("data",): 2,
        ("data", "train"): 3,
        ("data", "train", 0): 4,
        ("data", "train", 1): 5,
        ("model",): 6,
        ("model", "preset"): 6,
        ("model", "heads"): 7,
        ("model", "deep"): 7,
        ("model", "deep", "er"): 7,
        ("model", "deep", "est"): 8,
        ("train",): 9,
        ("train", "betas"): 10,
        ("train", "betas", 0): 10,
        ("train", "betas", 1): 11,
    }


def test_repeated_keys_are_told_and_the_first_counts() -> None:
    reading = read("a:\n  x: 1\n  y: 2\n  x: 3\n")
    assert reading.value == {"a": {"x": 1, "y": 2}}
    (again,) = reading.repeated
    assert (again.path, again.line, again.first_line) == (("a", "x"), 4, 2)


def test_anchors_and_aliases() -> None:
    assert read("a: &one scenes:en-fr\nb: *one\n").value == {"a": "scenes:en-fr", "b": "scenes:en-fr"}


def _bomb() -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    return "\n".join(lines)


def _ladder() -> str:
    deep = "[" * 15, "]" * 15
    lines = [f"a0: &a0 {deep[0]}1{deep[1]}"]
    return "\n".join(lines + [f"a{n}: &a{n} {deep[0]}*a{n - 1}{deep[1]}" for n in range(1, 200)])


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("a: [1, 2\nb: 3\n", "not valid YAML: ", 2),
        ("a:\n\tb: 3\n", "indent with spaces, not with tabs", 2),
        ("a: 1\n---\nb: 2\n", "not valid YAML: but found another document", 2),
        ("a: *missing\n", "not valid YAML: found undefined alias 'missing'", 1),
        ("a: 1\nb: !!python/object/apply:os.system [ls]\n", "tags such as tag:yaml.org,2002:python/object/apply", 2),
        ("a: !secret 1\n", "tags such as !secret are refused", 1),
        ("a: !!str 1\n", "tags such as tag:yaml.org,2002:str are refused", 1),
        ("a: 1\n\nb: \x07\n", "character U+0007 is not allowed in YAML", 3),
        ("a: " + "[" * 5000, f"nested deeper than {MOST_DEPTH} levels", 1),
        (_bomb(), "more than 10,000 values, aliases included", 1),
        (_ladder(), f"nested deeper than {MOST_DEPTH} levels, aliases included", 1),
        ("a: &a\n  b: *a\n", "an alias stands inside its own anchor", 1),
        ("? [a, b]\n: 1\n", "expected a word as key, got a list or a mapping", 1),
        ('a: "\\ud800"\n', "half of a surrogate pair is not a character", 1),
    ],
)
def test_unreadable(text: str, message: str, line: int) -> None:
    with pytest.raises(ReadingError) as caught:
        read(text)
    assert message in str(caught.value)
    assert caught.value.line == line


@pytest.mark.property
@settings(max_examples=200)
@given(st.text(alphabet=st.sampled_from("ab:-[]{}&*!|>'\"%@#?,\n\t 01e.")))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(ReadingError):
        reading = read(text)
        assert reading.end <= len(text)
