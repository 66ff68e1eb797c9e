import numpy as np
import pytest
import torch

from saccade.attention.seen import Attended
from saccade.errors import ModelError
from saccade.view.weights import LayerWords, checked_weights, head_matrix, head_words, layer_words, visible
from view.pages import attended


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("decoder.2.cross", LayerWords("decoder layer 2, cross-attention", "Cross-attention", "2")),
        ("encoder.0.self", LayerWords("encoder layer 0, self-attention", "Encoder self-attention", "0")),
        ("decoder.cross", LayerWords("decoder, cross-attention", "Cross-attention", "0")),
        ("text_stream.4.self", LayerWords("text stream layer 4, self-attention", "Text stream self-attention", "4")),
        ("pooling", LayerWords("pooling", "Other layers", "pooling")),
    ],
)
def test_layers_in_words(name: str, words: LayerWords) -> None:
    assert layer_words(name) == words


def test_heads_in_words() -> None:
    assert head_words(None, 4) == "mean of 4 heads"
    assert head_words(1, 4) == "head 1 of 4"
    assert head_words(None, 1) == "one head"


@pytest.mark.parametrize(
    ("token", "shown"),
    [("été", "été"), ("", "∅"), (" ", "␣"), ("\n", "⏎"), ("a\nb", "a⏎b"), ("a\x00b", "a\ufffdb"), ("\ud800", "\ufffd")],
)
def test_every_token_is_visible(token: str, shown: str) -> None:
    assert visible(token) == shown


def test_one_head_and_the_mean() -> None:
    seen = attended()
    np.testing.assert_array_equal(head_matrix(seen, 2), seen.weights_HQK[2].numpy())
    np.testing.assert_allclose(head_matrix(seen, None), seen.weights_HQK.mean(dim=0).numpy(), atol=1e-7)


def test_a_head_that_is_not_there() -> None:
    for head in (4, -1):
        with pytest.raises(ModelError, match=rf"decoder\.2\.cross has no head {head}: it has heads 0 to 3"):
            head_matrix(attended(), head)


@pytest.mark.parametrize("shape", [(2, 3), (1, 3, 2), (0, 2, 3)])
def test_weights_that_do_not_fit_the_tokens(shape: tuple[int, ...]) -> None:
    with pytest.raises(ModelError, match=r"expected was \(heads, queries, keys\) with 2 queries and 3 keys"):
        checked_weights(Attended("a", torch.ones(shape), ("x", "y"), ("p", "q", "r")))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -0.1])
def test_weights_that_are_no_weights(value: float) -> None:
    with pytest.raises(ModelError, match="hold negative numbers, NaN or infinity"):
        checked_weights(Attended("a", torch.full((1, 1, 1), value), ("x",), ("y",)))
