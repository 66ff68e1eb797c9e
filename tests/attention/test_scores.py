import math

import pytest
import torch

from attention.naive import SCORES, score_of
from saccade.attention.scores import Additive, Dot, ScoreName, make_score

# One query and two keys of width 2, as on the blackboard.
QUERY = torch.tensor([[[[1.0, 2.0]]]])
KEYS = torch.tensor([[[[3.0, 1.0], [0.0, -1.0]]]])


def test_dot_by_hand() -> None:
    # 1·3 + 2·1 = 5 and 1·0 + 2·(−1) = −2
    assert Dot(scaled=False)(QUERY, KEYS).tolist() == [[[[5.0, -2.0]]]]


def test_scaled_dot_by_hand() -> None:
    # 5/√2 and −2/√2
    assert Dot(scaled=True)(QUERY, KEYS).flatten().tolist() == pytest.approx([3.535534, -1.414214], abs=1e-5)


def test_additive_by_hand() -> None:
    score = Additive(heads=1, dim=2)
    with torch.no_grad():
        score.v_HD.copy_(torch.tensor([[2.0, -1.0]]))
    # 2·tanh(1+3) − tanh(2+1) = 2·0.999329 − 0.995055 and 2·tanh(1+0) − tanh(2−1) = tanh(1)
    assert score(QUERY, KEYS).flatten().tolist() == pytest.approx([1.003604, 0.761594], abs=1e-5)


@pytest.mark.parametrize("name", SCORES)
def test_against_a_loop(name: str) -> None:
    score = SCORES[name]()
    query, key = torch.randn(2, 4, 3, 6), torch.randn(2, 4, 5, 6)
    found, fits = score(query, key), score_of(score)
    assert found.shape == (2, 4, 3, 5)
    for b in range(2):
        for h in range(4):
            for q in range(3):
                for k in range(5):
                    expected = fits(h, query[b, h, q].tolist(), key[b, h, k].tolist())
                    assert found[b, h, q, k].item() == pytest.approx(expected, abs=1e-5)


def test_each_head_has_its_own_v() -> None:
    score = Additive(heads=2, dim=3)
    query, key = torch.randn(1, 1, 2, 3).expand(1, 2, 2, 3), torch.randn(1, 1, 4, 3).expand(1, 2, 4, 3)
    found = score(query, key)
    assert not torch.allclose(found[:, 0], found[:, 1])


def test_scaling_keeps_the_variance_at_one() -> None:
    """Why the Transformer divides by √D: unit vectors' products have variance D."""
    query, key = torch.randn(1, 1, 200, 256), torch.randn(1, 1, 200, 256)
    assert Dot(scaled=False)(query, key).var().item() == pytest.approx(256, rel=0.1)
    assert Dot(scaled=True)(query, key).var().item() == pytest.approx(1, rel=0.1)


@pytest.mark.parametrize(
    ("name", "kind", "scale"), [("scaled-dot", Dot, 1 / math.sqrt(8)), ("dot", Dot, 1.0), ("additive", Additive, None)]
)
def test_made_by_name(name: ScoreName, kind: type, scale: float | None) -> None:
    score = make_score(name, heads=2, dim=8)
    assert isinstance(score, kind)
    if isinstance(score, Dot):
        assert score.scale(8) == pytest.approx(scale)
    else:
        assert score.v_HD.shape == (2, 8)
        assert score.v_HD.abs().max() <= 8**-0.5
