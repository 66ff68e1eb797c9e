import numpy as np
import pytest
import torch

from saccade.attention import Attended
from saccade.data.examples import Box
from saccade.tasks.alignment import Lens
from saccade.tasks.captioned import Told, told_pictures
from saccade.tasks.describer import Described
from saccade.tasks.pointing import best_lens, looked_at, pointed
from saccade.tasks.translator import Candidate

LEFT, RIGHT = Box(0, 0, 0.5, 1), Box(0.5, 0, 1, 1)


def described(text: str, words: tuple[int, ...]) -> Described:
    return Described((Candidate(text, 0.0, True),), words)


def attended(layer: str, *heads: list[list[float]]) -> Attended:
    weights = torch.tensor(heads)
    return Attended(layer, weights, ("?",) * weights.shape[1], ("1,1", "1,2", "2,1", "2,2"))


def told(name: str, **boxes: tuple[Box, ...]) -> Told:
    (scene,) = told_pictures("scenes:captions?size=1", split="train")
    return Told(name, ("a dog",), scene.picture, boxes)


def test_a_word_of_several_tokens_is_their_mean() -> None:
    """“a do·g.” and the end, whose place is no word's."""
    one = attended("decoder.0.cross", [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0.25] * 4])
    first, second = looked_at(described("a dog.", (0, 1, 1, 1)), one)
    assert (first.word, second.word, second.plain) == ("a", "dog.", "dog")
    assert first.weights_hw.tolist() == [[1, 0], [0, 0]]
    np.testing.assert_allclose(second.weights_hw, [[0, 1 / 3], [1 / 3, 1 / 3]], rtol=1e-6)


def test_one_head_or_the_mean_of_all() -> None:
    one = attended("decoder.0.cross", [[1, 0, 0, 0]], [[0, 0, 0, 1]])
    said = described("dog", (0,))
    assert looked_at(said, one)[0].weights_hw.tolist() == [[0.5, 0], [0, 0.5]]
    assert looked_at(said, one, head=1)[0].weights_hw.tolist() == [[0, 0], [0, 1]]


def test_only_words_with_boxes_point() -> None:
    one = attended("decoder.0.cross", [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]])
    looks = looked_at(described("A Dog, runs", (0, 1, 2)), one)
    (word,) = pointed(told("it", dog=(LEFT,), cat=(RIGHT,)), looks)
    assert (word.picture, word.word) == ("it", "dog")
    assert word.boxes == (LEFT,)
    assert word.weights_HW.tolist() == [[0, 1], [0, 0]]


def test_the_lens_that_points_best_is_chosen() -> None:
    """Two layers of two heads: only the second head of the first looks where the dog is."""
    left, right = [0.6, 0.1, 0.2, 0.1], [0.1, 0.6, 0.1, 0.2]
    layers = {
        "decoder.0.cross": attended("decoder.0.cross", [[0.25] * 4, right], [[0.25] * 4, left]),
        "decoder.1.cross": attended("decoder.1.cross", [[0.25] * 4, right], [[0.25] * 4, right]),
    }
    pictures, said = [told("it", dog=(LEFT,))] * 2, [described("a dog", (0, 1))] * 2
    assert best_lens(pictures, said, [layers, layers]) == Lens("decoder.0.cross", 1)
    assert best_lens([told("it")] * 2, said, [layers, layers]) is None


def test_what_is_said_of_nothing_known_has_no_lens() -> None:
    one = {"decoder.0.cross": attended("decoder.0.cross", [[0.25] * 4])}
    assert best_lens([told("it", dog=(LEFT,))], [described("cat", (0,))], [one]) is None


@pytest.mark.parametrize(("word", "plain"), [("Dogs'", "dogs"), ('"woman"', "woman"), ("-", "-"), (".", "")])
def test_plain_words(word: str, plain: str) -> None:
    (look,) = looked_at(described(word, (0,)), attended("decoder.0.cross", [[0.25] * 4]))
    assert look.plain == plain
