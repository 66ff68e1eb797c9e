"""The book of all stories: how likely steps are, and that drawing keeps to it."""

from collections import Counter
from math import sqrt
from random import Random

import pytest

from saccade.scenes.cast import people, things
from saccade.scenes.forms import read_forms
from saccade.scenes.storybook import Storybook, say, storybook


@pytest.fixture(scope="module")
def small() -> Storybook:
    cast = (people("figure", ("boy", "girl")), things("toy", ("ball",), ("red", "blue")))
    written = {"a": ("see a figure.noun",), "b": ("figure.she has toy.colour toys", "toy.colour toys"), "c": ("end",)}
    return Storybook(cast, read_forms(written, cast), (("a", "b"), ("a", "b", "c"), ("b", "a", "b")))


def test_windows_sum_over_plots_and_places(small: Storybook) -> None:
    assert small.windows == pytest.approx(
        {
            ("a",): 0.5 + 0.25 + 0.25,
            ("b",): 0.5 + 0.25 + 0.25 * 2,
            ("c",): 0.25,
            ("a", "b"): 0.5 + 0.25 + 0.25,
            ("b", "c"): 0.25,
            ("b", "a"): 0.25,
            ("a", "b", "c"): 0.25,
            ("b", "a", "b"): 0.25,
        }
    )
    assert small.places == pytest.approx({1: 2.5, 2: 1.5, 3: 0.5})
    assert small.sizes == {"figure": 2, "toy": 2}


def test_a_form_says_the_values(small: Storybook) -> None:
    assert say(small.forms["b"][0], {"figure": 1, "toy": 0}) == "she has red toys"


def test_stories_are_drawn_as_often_as_the_book_says(small: Storybook) -> None:
    rng, draws = Random(3), 20_000
    told = Counter(small.tell(rng) for _ in range(draws))
    expected = {
        ("see a girl", "red toys"): 1 / 2 / 4 / 2,
        ("see a boy", "he has blue toys", "end"): 1 / 4 / 4 / 2,
        ("red toys", "see a girl", "she has red toys"): 1 / 4 / 4 / 4,
    }
    for lines, chance in expected.items():
        assert told[lines] / draws == pytest.approx(chance, abs=3 * sqrt(chance * (1 - chance) / draws))
    assert len(told) == 8 + 8 + 16


def test_the_embedded_worlds_book_is_made_once() -> None:
    assert storybook() is storybook()
