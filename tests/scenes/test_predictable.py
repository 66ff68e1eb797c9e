"""The ideal reader: equal to counting all stories of a small book, and right as often as it says in the large one."""

from collections import defaultdict
from itertools import product
from math import sqrt
from random import Random

import pytest

from saccade.errors import DataError
from saccade.scenes import Bound, Halves, follows, hidden_words, masked_word_bound, next_sentence_bound
from saccade.scenes.cast import order, people, things
from saccade.scenes.forms import read_forms
from saccade.scenes.predictable import CUT, MASK, probability
from saccade.scenes.storybook import Lines, Storybook, say, storybook

Fragments = dict[int, dict[Lines, float]]


@pytest.fixture(scope="module")
def small() -> Storybook:
    """Two roles, an order and four steps, two of which can be said in the same words."""
    cast = (
        people("figure", ("man", "boy", "girl")),
        things("animal", ("dog", "cat"), ("black", "white"), counts=(1, 1, 2)),
        order("order", ("figure", "animal")),
    )
    written = {
        "open": ("there animal.is animal.number animal.colour animal.noun", "see animal.number animal.noun"),
        "meet": ("a figure.noun is order.figure-animal of the animal.noun", "figure.she is there"),
        "look": ("the figure.noun looks at the animal.colour animal.noun", "figure.she is there"),
        "end": ("the animal.noun animal.is order.animal-figure of figure.her",),
    }
    plots = (("open", "meet"), ("open", "meet", "look"), ("meet", "look", "end"), ("open", "end"))
    return Storybook(cast, read_forms(written, cast), plots)


def all_fragments(book: Storybook) -> Fragments:
    """Every fragment of every story with its probability among those of its length, by counting."""
    found: Fragments = defaultdict(lambda: defaultdict(float))
    scenes = [
        dict(zip([role.name for role in book.cast], values, strict=True))
        for values in product(*(range(role.size) for role in book.cast))
    ]
    lengths = {len(plot) for plot in book.plots}
    for plot in book.plots:
        of_this_length = sum(len(other) == len(plot) for other in book.plots)
        tellings = list(product(*(book.forms[step] for step in plot)))
        for forms, values in product(tellings, scenes):
            lines = tuple(say(form, values) for form in forms)
            chance = 1 / len(lengths) / of_this_length / len(tellings) / len(scenes)
            for start in range(len(lines)):
                for end in range(start + 1, len(lines) + 1):
                    found[end - start][lines[start:end]] += chance
    for fragments in found.values():
        total = sum(fragments.values())
        for lines in fragments:
            fragments[lines] /= total
    return found


def fits(pattern: Lines, lines: Lines) -> bool:
    return all(
        len(seen.split()) == len(line.split())
        and all(one in (MASK, other) for one, other in zip(seen.split(), line.split(), strict=True))
        for seen, line in zip(pattern, lines, strict=True)
    )


def behind(pattern: Lines, lines: Lines) -> list[str]:
    """The words of ``lines`` where the pattern has masks."""
    words = zip(" ".join(pattern).split(), " ".join(lines).split(), strict=True)
    return [word for seen, word in words if seen == MASK]


def masked(rng: Random, lines: Lines, share: float) -> Lines:
    return tuple(" ".join(MASK if rng.random() < share else word for word in line.split()) for line in lines)


def counted(fragments: Fragments, first: Lines, second: Lines) -> tuple[list[dict[str, float]], float]:
    """P(word | A, B) of every mask and P(B follows A | A, B), by counting."""
    both = first + second
    ways = [(chance, lines) for lines, chance in fragments[len(both)].items() if fits(both, lines)]
    together = sum(chance for chance, _ in ways)
    for a, chance_a in fragments[len(first)].items():
        if fits(first, a):
            for b, chance_b in fragments[len(second)].items():
                if fits(second, b):
                    ways.append((chance_a * chance_b, a + b))
    total = sum(chance for chance, _ in ways)
    words: list[dict[str, float]] = [defaultdict(float) for word in " ".join(both).split() if word == MASK]
    for chance, lines in ways:
        for found, word in zip(words, behind(both, lines), strict=True):
            found[word] += chance / total
    return words, together / total


def test_probability_is_the_share_of_all_fragments(small: Storybook) -> None:
    fragments = all_fragments(small)
    for found in fragments.values():
        for lines, chance in found.items():
            assert probability(lines, small) == pytest.approx(chance)
    assert probability(("see a dog", "see a dog"), small) == 0
    assert probability((f"see {MASK} {MASK}",), small) == pytest.approx(
        sum(chance for lines, chance in fragments[1].items() if lines[0].startswith("see "))
    )


@pytest.mark.parametrize("share", [0.1, 0.3, 0.7])
def test_posteriors_are_those_of_counting(small: Storybook, share: float) -> None:
    fragments, rng = all_fragments(small), Random(f"count {share}")
    seen = 0
    for _ in range(25):
        first = masked(rng, rng.choice(list(fragments[rng.choice((1, 2))])), share)
        second = masked(rng, rng.choice(list(fragments[1])), share)
        if rng.random() < 0.5:
            both = masked(rng, rng.choice(list(fragments[len(first) + 1])), share)
            first, second = both[:-1], both[-1:]
        expected, following = counted(fragments, first, second)
        assert follows(first, second, small) == pytest.approx(following)
        for found, words in zip(hidden_words(first, second, small), expected, strict=True):
            assert found == pytest.approx(words)
            assert list(found.values()) == sorted(found.values(), reverse=True)
            seen += 1
    assert seen > 20


def test_a_cut_line_may_go_on_in_any_way(small: Storybook) -> None:
    fragments = all_fragments(small)
    for words in ("see", "there is", "a man is left", "the girl looks at the", "see a dog"):
        expected = sum(chance for (line,), chance in fragments[1].items() if line.startswith(f"{words} "))
        assert probability((f"{words} {CUT}",), small) == pytest.approx(expected), words
    (found,) = hidden_words(("see a dog", f"a girl is left of {MASK} {CUT}"), ("see two cats",), small)
    assert found == {"the": pytest.approx(1.0)}
    assert follows(("see a dog",), (f"a girl is {CUT}",), small) == 0.0, "what follows fits"


def test_one_half_alone(small: Storybook) -> None:
    assert hidden_words(("see a dog", f"a girl is left of the {MASK}"), book=small) == [{"dog": pytest.approx(1.0)}]
    (found,) = hidden_words((f"see {MASK} dog",), book=small)
    assert found == {"a": pytest.approx(1.0)}
    assert hidden_words(("see a dog",), book=small) == []


def halves(count: int, lengths: tuple[int, int], seed: int) -> list[tuple[Lines, Lines, bool]]:
    """Pairs as the bound takes them: every place of a story equally likely, half of them following."""
    rng, book = Random(seed), storybook()

    def fragment(length: int) -> Lines:
        while True:
            lines, start = book.tell(rng), rng.randrange(8)
            if start + length <= len(lines):
                return lines[start : start + length]

    pairs = []
    for number in range(count):
        if number % 2:
            lines = fragment(sum(lengths))
            pairs.append((lines[: lengths[0]], lines[lengths[0] :], True))
        else:
            pairs.append((fragment(lengths[0]), fragment(lengths[1]), False))
    return pairs


@pytest.mark.parametrize("lengths", [(1, 1), (3, 2)])
def test_it_is_right_as_often_as_it_says(lengths: tuple[int, int]) -> None:
    rng = Random(7)
    words: list[tuple[float, bool]] = []
    nexts: list[tuple[float, bool]] = []
    for first, second, truth in halves(400, lengths, 11):
        seen = masked(rng, first + second, 0.15)
        a, b = seen[: len(first)], seen[len(first) :]
        for found, word in zip(hidden_words(a, b), behind(seen, first + second), strict=True):
            best = next(iter(found))
            words.append((found[best], best == word))
        chance = follows(a, b)
        nexts.append((max(chance, 1 - chance), (chance > 0.5) == truth))
    for answers in (words, nexts):
        said = sum(chance for chance, _ in answers)
        right = sum(correct for _, correct in answers)
        error = sqrt(sum(chance * (1 - chance) for chance, _ in answers))
        assert abs(right - said) <= 2 * error
    unsure = [(chance, correct) for chance, correct in words if chance < 0.9]
    error = sqrt(sum(chance * (1 - chance) for chance, _ in unsure))
    assert abs(sum(correct for _, correct in unsure) - sum(chance for chance, _ in unsure)) <= 2 * error


def test_halves_of_stories_can_be_told_and_most_of_their_words() -> None:
    rng = Random(5)
    clear = [Halves(first, second) for first, second, _ in halves(300, (2, 2), 2)]
    assert next_sentence_bound(clear).share > 0.995
    assert next_sentence_bound(Halves(first, second) for first, second, _ in halves(300, (1, 1), 2)).share > 0.98
    hidden = [Halves(masked(rng, pair.first, 0.15), masked(rng, pair.second, 0.15)) for pair in clear]
    bound = masked_word_bound(hidden)
    assert 0.78 < bound.share < 0.86
    assert 0.6 < bound.sure < bound.share
    assert bound.count == sum(" ".join(pair.first + pair.second).count(MASK) for pair in hidden)


def test_a_bound_is_the_mean_of_the_best_answers(small: Storybook) -> None:
    open_word = Halves(("see two dogs",), (f"{MASK} is there",))
    known_word = Halves((f"see two {MASK}",), ("there are two white dogs",))
    best = [
        max(found.values())
        for pair in (open_word, known_word)
        for found in hidden_words(pair.first, pair.second, small)
    ]
    assert len(best) == 2
    bound = masked_word_bound([open_word, known_word], small)
    assert bound == Bound(pytest.approx(sum(best) / 2), 0.0, 2)


def test_what_no_story_says() -> None:
    with pytest.raises(DataError, match=r"no story says a pig flies / the end: give lines of one story"):
        hidden_words(("a pig flies", "the end"))
    with pytest.raises(DataError, match=r"no story says a pig flies, or none says the end"):
        follows(("a pig flies",), ("the end",))
    with pytest.raises(DataError, match=r"a bound was asked for without a question: give pairs, and masks"):
        masked_word_bound([Halves(("the picture shows a small red car",), ())])
