"""Listeners that are part of a model: what they keep, what they choose, and what a recorder sees of it."""

import math

import pytest
import torch
from torch import Tensor

from attention.naive import Watcher
from saccade.attention import Choose, Keep, SingleHead, record

WEIGHTS = torch.tensor([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])


def one_step(weights_NK: Tensor) -> Tensor:
    return weights_NK[:, None, None]


def drawing(*, soft: float) -> Choose:
    choose = Choose(soft=soft)
    choose.training = True
    return choose


def test_weights_are_kept_in_their_order_with_their_gradients_and_taken_once() -> None:
    keep, scores = Keep(), torch.randn(2, 3, requires_grad=True)
    weights = scores.softmax(dim=-1)
    for step in (weights, 2 * weights):
        assert keep.see(one_step(step)) is None
    taken = keep.take()
    assert torch.equal(taken, torch.stack((weights, 2 * weights), dim=1))
    taken[:, 1, 0].sum().backward()
    assert scores.grad is not None
    assert scores.grad.abs().sum() > 0
    keep.see(one_step(weights))
    assert keep.take().shape == (2, 1, 3)
    keep.see(one_step(weights))
    keep.clear()
    keep.see(one_step(3 * weights))
    assert torch.equal(keep.take()[:, 0], 3 * weights)


def test_the_likeliest_place_is_taken_where_nothing_is_learned() -> None:
    state = torch.get_rng_state()
    assert torch.equal(Choose().see(one_step(WEIGHTS))[:, 0, 0], torch.tensor([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))
    assert torch.equal(torch.get_rng_state(), state), "a random number was drawn"


def test_drawn_places_follow_the_weights() -> None:
    choose, times = drawing(soft=0.0), 4000
    used = choose.see(one_step(WEIGHTS.repeat(times, 1)))[:, 0, 0]
    assert ((used == 0) | (used == 1)).all()
    assert (used.sum(dim=1) == 1).all()
    # Five standard errors of a share: √(p (1 − p) / 4,000) is at most 0.008.
    torch.testing.assert_close(used.unflatten(0, (times, 2)).mean(dim=0), WEIGHTS, atol=0.04, rtol=0)


def test_what_was_drawn_is_told_with_its_probability_and_the_entropy() -> None:
    choose = drawing(soft=0.0)
    places = [choose.see(one_step(WEIGHTS))[:, 0, 0].argmax(dim=-1) for _ in range(3)]
    drawn = choose.take()
    for step, place_N in enumerate(places):
        for row, place in enumerate(place_N.tolist()):
            assert drawn.log_probability_NT[row, step].item() == pytest.approx(math.log(WEIGHTS[row, place]), rel=1e-6)
    expected = [-sum(p * math.log(p) for p in row) for row in WEIGHTS.tolist()]
    torch.testing.assert_close(drawn.entropy_NT, torch.tensor(expected)[:, None].expand(2, 3))
    choose.see(one_step(WEIGHTS))
    assert choose.take().entropy_NT.shape == (2, 1)
    choose.see(one_step(WEIGHTS))
    choose.clear()
    choose.see(one_step(WEIGHTS))
    assert choose.take().entropy_NT.shape == (2, 1)


def test_at_a_share_of_the_steps_the_mean_is_taken_and_no_place_has_a_probability() -> None:
    choose, rows = drawing(soft=0.3), 2000
    weights = WEIGHTS[:1].repeat(rows, 1)
    used = choose.see(one_step(weights))[:, 0, 0]
    softly = (used == weights).all(dim=1)
    assert softly.float().mean().item() == pytest.approx(0.3, abs=0.06)
    assert ((used[~softly] == 0) | (used[~softly] == 1)).all()
    log_probability = choose.take().log_probability_NT[:, 0]
    assert (log_probability[softly] == 0).all()
    assert (log_probability[~softly] < 0).all()


def test_gradients_reach_the_weights_by_the_mean_the_probability_and_the_entropy() -> None:
    for soft, part in ((1.0, "mean"), (0.0, "probability"), (0.0, "entropy")):
        scores = torch.randn(2, 3, requires_grad=True)
        choose = drawing(soft=soft)
        used = choose.see(one_step(scores.softmax(dim=-1)))[:, 0, 0]
        drawn = choose.take()
        values = {
            "mean": used[:, 0].sum(),
            "probability": drawn.log_probability_NT.sum(),
            "entropy": drawn.entropy_NT.sum(),
        }
        values[part].backward()
        assert scores.grad is not None
        assert scores.grad.abs().sum() > 0, part


def test_a_weight_of_zero_costs_nothing() -> None:
    choose, weights = drawing(soft=0.0), torch.tensor([[1.0, 0.0]], requires_grad=True)
    choose.see(one_step(weights))
    drawn = choose.take()
    (drawn.entropy_NT.sum() + drawn.log_probability_NT.sum()).backward()
    assert drawn.entropy_NT.item() == 0
    assert weights.grad is not None
    assert weights.grad.isfinite().all()


def test_the_recorder_sees_what_was_used() -> None:
    """Where nobody is within, what was computed; after a choice, the choice; and the context is the same as without."""
    layer = SingleHead(query_dim=4, memory_dim=5, dim=3, score="additive")
    query, memory = torch.randn(2, 1, 4), layer.keys_values(torch.randn(2, 6, 5))
    with record(layer) as seen:
        layer(query, memory)
    (computed,) = seen[""].calls
    assert layer.heard is None
    layer.within = Choose()
    chosen = layer(query, memory)
    assert layer.heard is layer.within
    with record(layer) as seen:
        again = layer(query, memory)
    (used,) = seen[""].calls
    assert torch.equal(chosen, again)
    assert torch.equal(used, torch.zeros_like(used).scatter(3, computed.argmax(dim=3, keepdim=True), 1.0))
    assert torch.equal(chosen[:, 0], memory.values[torch.arange(2), 0, computed[:, 0, 0].argmax(dim=1)])


def test_an_edit_comes_after_what_is_within() -> None:
    layer = SingleHead(query_dim=4, memory_dim=5, dim=3, score="additive")
    query, memory = torch.randn(2, 1, 4), layer.keys_values(torch.randn(2, 6, 5))
    kept = layer.within = Keep()
    with record(layer) as seen:
        seen.edit("", weights=0.0)
        context = layer(query, memory)
    assert (context == 0).all()
    torch.testing.assert_close(kept.take().sum(dim=-1), torch.ones(2, 1))
    assert (seen[""].calls[0] == 0).all()


def test_one_who_only_looks_leaves_a_choice_as_it_is() -> None:
    layer = SingleHead(query_dim=4, memory_dim=5, dim=3, score="additive")
    query, memory = torch.randn(2, 1, 4), layer.keys_values(torch.randn(2, 6, 5))
    layer.within = Choose()
    alone = layer(query, memory)
    watcher = layer.listener = Watcher()
    assert torch.equal(layer(query, memory), alone)
    assert watcher.seen[0].amax(dim=3).eq(1).all()
