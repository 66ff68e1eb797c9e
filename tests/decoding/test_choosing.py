from collections import Counter

import pytest
import torch
from torch import Tensor

from saccade.decoding.choosing import SOME, Sampling, draw, log_probability
from saccade.errors import DecodingError

LOGITS = torch.tensor([[0.2, 2.0, -1.0, 1.5, 0.9, -3.0]])
COUNT = 4000


def shares(logits: Tensor, sampling: Sampling) -> Tensor:
    """How often each token comes, for chances spread evenly from 0 to 1."""
    chances = (torch.arange(COUNT, dtype=torch.float64) + 0.5) / COUNT
    drawn = Counter(draw(logits.expand(COUNT, -1), sampling, chances).tolist())
    return torch.tensor([drawn[token] / COUNT for token in range(logits.shape[1])])


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_temperature(temperature: float) -> None:
    expected = torch.softmax(LOGITS[0] / temperature, -1)
    torch.testing.assert_close(shares(LOGITS, Sampling(temperature)), expected, atol=1e-3, rtol=0)


def test_near_zero_the_temperature_is_greedy() -> None:
    assert shares(LOGITS * 100, Sampling(1e-30)).tolist() == [0, 1, 0, 0, 0, 0]


def test_top_k() -> None:
    expected = torch.softmax(torch.where(LOGITS[0] >= 0.9, LOGITS[0], -torch.inf), -1)
    torch.testing.assert_close(shares(LOGITS, Sampling(1.0, top_k=3)), expected, atol=1e-3, rtol=0)
    torch.testing.assert_close(shares(LOGITS, Sampling(1.0, top_k=99)), LOGITS[0].softmax(-1), atol=1e-3, rtol=0)


@pytest.mark.parametrize(("top_p", "left"), [(0.01, 1), (0.45, 1), (0.5, 2), (0.72, 2), (0.76, 3), (1.0, 6)])
def test_top_p_keeps_the_fewest_that_reach_it(top_p: float, left: int) -> None:
    """p is 0.459, 0.278, 0.153, 0.076, 0.023, 0.003."""
    order = LOGITS[0].argsort(descending=True)
    expected = LOGITS[0].clone()
    expected[order[left:]] = -torch.inf
    torch.testing.assert_close(shares(LOGITS, Sampling(1.0, top_p=top_p)), expected.softmax(-1), atol=1e-3, rtol=0)


def test_top_p_counts_what_top_k_leaves() -> None:
    """Of the two that top-k leaves the first has 0.62 of the probability."""
    assert shares(LOGITS, Sampling(1.0, top_k=2, top_p=0.6)).tolist() == [0, 1, 0, 0, 0, 0]
    assert shares(LOGITS, Sampling(1.0, top_k=2, top_p=0.65)).count_nonzero() == 2


def test_top_p_of_a_large_vocabulary_where_a_few_are_not_enough() -> None:
    flat = torch.zeros(1, 4 * SOME)
    flat[0, 5] = 1e-3
    assert shares(flat, Sampling(1.0, top_p=0.5)).count_nonzero().item() == pytest.approx(2 * SOME, abs=2)


def test_only_what_is_possible_is_drawn() -> None:
    """Also at the very ends of chance."""
    logits = torch.tensor([[-torch.inf, 1.0, 1.0, -torch.inf]] * 3)
    chances = torch.tensor([0.0, 0.5, 1.0], dtype=torch.float64)
    assert draw(logits, Sampling(1.0), chances).tolist() == [1, 2, 2]


def test_log_probability() -> None:
    tokens = torch.tensor([3])
    torch.testing.assert_close(log_probability(LOGITS, tokens), LOGITS.log_softmax(-1)[:, 3])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"temperature": -0.1}, r"the temperature is 0 \(no chance\) or above, got -0.1"),
        ({"temperature": float("nan")}, "the temperature is 0"),
        ({"top_k": 0}, "top-k is at least 1 token, got 0"),
        ({"top_p": 0.0}, "top-p is a probability above 0 and up to 1, got 0.0"),
        ({"top_p": 1.5}, "got 1.5"),
    ],
)
def test_what_cannot_be(settings: dict[str, float], message: str) -> None:
    with pytest.raises(DecodingError, match=message):
        Sampling(**settings)  # type: ignore[arg-type]
