"""The quick selection against sorting everything."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from saccade.decoding.select import PIECE, best_continuations, likeliest


@pytest.mark.property
@given(
    batch=st.integers(1, 3),
    beam=st.integers(1, 4),
    vocab=st.sampled_from([1, 2, 5, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE, 5 * PIECE + 7]),
    dead=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_the_same_as_sorting_all(batch: int, beam: int, vocab: int, dead: bool, seed: int) -> None:
    torch.manual_seed(seed)
    log_probs = torch.log_softmax(torch.randn(batch * beam, vocab) * 3, dim=-1)
    scores = torch.randn(batch, beam)
    if dead:
        scores[:, 1:] = -torch.inf  # as at the first step
    count = 2 * beam
    found = best_continuations(scores, log_probs, count)
    everything = (scores[:, :, None] + log_probs.view(batch, beam, vocab)).flatten(1)
    expected = everything.topk(min(count, everything.shape[1]), dim=1)
    alive = expected.values > -torch.inf
    width = expected.values.shape[1]
    assert found.scores_BC.shape == (batch, count)
    assert torch.equal(found.scores_BC[:, :width][alive], expected.values[alive])
    places = found.parents_BC * vocab + found.tokens_BC
    assert torch.equal(places[:, :width][alive], expected.indices[alive])
    assert (found.scores_BC[:, width:] == -torch.inf).all()


@pytest.mark.parametrize("vocab", [1, PIECE, 3 * PIECE + 5])
def test_the_likeliest(vocab: int) -> None:
    logits = torch.randn(7, vocab)
    assert torch.equal(likeliest(logits), logits.argmax(dim=-1))
