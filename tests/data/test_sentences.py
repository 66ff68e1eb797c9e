import pytest

from saccade.data.sentences import sentences


def test_lines_are_sentences() -> None:
    assert sentences("One is here.\n\n  Two is there. And more.\n", "line") == [
        "One is here.",
        "Two is there. And more.",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "It rained. The street\nwas wet! Why? Nobody knew.",
            ["It rained.", "The street was wet!", "Why?", "Nobody knew."],
        ),
        ('He said "Go." Then he left.', ['He said "Go."', "Then he left."]),
        ("Pi is 3.14 e.g. here.", ["Pi is 3.14 e.g. here."]),
        ("no end", ["no end"]),
        ("  \n ", []),
    ],
)
def test_punctuation_ends_them_wherever_lines_break(text: str, expected: list[str]) -> None:
    assert sentences(text, "punctuation") == expected
