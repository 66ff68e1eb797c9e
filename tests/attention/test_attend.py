from dataclasses import dataclass
from importlib import import_module

import pytest
import torch
from torch import Tensor

from attention import naive
from attention.naive import SCORES, Echo, Watcher
from saccade.attention import EVERYWHERE, Additive, Dot, Mask, attend, attention_weights
from saccade.errors import ModelError

MODULE = import_module("saccade.attention.attend")  # the package gives the function of that name

REAL = torch.tensor([[True, True, True, True, False], [True, False, True, False, False]])
NOWHERE = torch.tensor([[True, True, True, True, True], [False, False, False, False, False]])

MASKS = {
    "everywhere": EVERYWHERE,
    "padding": Mask(keys_BK=REAL),
    "one sentence is nothing but padding": Mask(keys_BK=NOWHERE),
    "causal": Mask(causal=True),
    "causal and padding": Mask(keys_BK=REAL, causal=True),
    "left padding and causal": Mask(keys_BK=REAL.flip(1), causal=True),
    "window": Mask(window=1),
    "wide window": Mask(window=4),
    "causal window": Mask(window=1, causal=True),
    "causal window and padding": Mask(keys_BK=REAL.flip(1), window=1, causal=True),
}


@dataclass(frozen=True)
class Rows:
    """How many rows, heads and queries look at 2 rows of 5 keys."""

    rows: int = 2
    heads: int = 4
    key_heads: int = 4
    queries: int = 5

    def fits(self, mask: Mask) -> bool:
        return self.rows == 2 or not (mask.causal or mask.window)

    def tensors(self) -> tuple[Tensor, Tensor, Tensor]:
        torch.manual_seed(2)
        return (
            torch.randn(self.rows, self.heads, self.queries, 6, requires_grad=True),
            torch.randn(2, self.key_heads, 5, 6, requires_grad=True),
            torch.randn(2, self.key_heads, 5, 6, requires_grad=True),
        )


ROWS = {
    "self": Rows(),
    "fewer queries": Rows(queries=2),
    "one query": Rows(queries=1),
    "multi-query": Rows(key_heads=1),
    "grouped heads": Rows(key_heads=2),
    "beams": Rows(rows=6, queries=1),
    "beams, multi-query": Rows(rows=6, key_heads=1, queries=1),
}
CASES = [(rows, mask) for rows in ROWS for mask in MASKS if ROWS[rows].fits(MASKS[mask])]


def test_by_hand() -> None:
    """Query (1, 0); keys (1, 0) and (0, 1); values (10, 0) and (0, 20)."""
    query = torch.tensor([[[[1.0, 0.0]]]])
    key = torch.tensor([[[[1.0, 0.0], [0.0, 1.0]]]])
    value = torch.tensor([[[[10.0, 0.0], [0.0, 20.0]]]])
    # scores 1 and 0: weights e/(e+1) = 0.731059 and 1/(e+1) = 0.268941
    context = attend(query, key, value, score=Dot(scaled=False))
    assert context.flatten().tolist() == pytest.approx([7.31059, 5.37883], abs=1e-4)
    # scores 1/√2 and 0: weights 0.669761 and 0.330239
    context = attend(query, key, value)
    assert context.flatten().tolist() == pytest.approx([6.69762, 6.60477], abs=1e-4)
    additive = Additive(heads=1, dim=2)
    with torch.no_grad():
        additive.v_HD.fill_(1.0)
    # scores tanh 2 + tanh 0 = 0.964028 and tanh 1 + tanh 1 = 1.523188: weights 0.363742 and 0.636258
    context = attend(query, key, value, score=additive)
    assert context.flatten().tolist() == pytest.approx([3.63742, 12.72516], abs=1e-4)


def test_masked_self_attention_by_hand() -> None:
    """Three words (1,0), (0,1), (1,1) that are query, key and value at once; each sees itself and what came before."""
    words = torch.tensor([[[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]]])
    weights = attention_weights(words, words, score=Dot(scaled=False), mask=Mask(causal=True))
    # row 2: scores 0, 1; row 3: scores 1, 1, 2 → 1/(2+e), 1/(2+e), e/(2+e)
    expected = [[1, 0, 0], [0.268941, 0.731059, 0], [0.211942, 0.211942, 0.576117]]
    for row, numbers in zip(weights[0, 0].tolist(), expected, strict=True):
        assert row == pytest.approx(numbers, abs=1e-5)
    context = attend(words, words, words, score=Dot(scaled=False), mask=Mask(causal=True))
    for row, numbers in zip(context[0, 0].tolist(), [[1, 0], [0.268941, 0.731059], [0.788059, 0.788059]], strict=True):
        assert row == pytest.approx(numbers, abs=1e-5)


@pytest.mark.parametrize("score_name", SCORES)
@pytest.mark.parametrize(("rows", "mask"), CASES)
def test_against_a_loop(rows: str, mask: str, score_name: str) -> None:
    query, key, value = ROWS[rows].tensors()
    score = SCORES[score_name]()
    expected = naive.attention(query, key, value, score, MASKS[mask])
    watcher = Watcher()
    unseen = attend(query, key, value, score=score, mask=MASKS[mask])
    seen = attend(query, key, value, score=score, mask=MASKS[mask], listener=watcher)
    torch.testing.assert_close(unseen, expected.context, atol=2e-6, rtol=1e-5)
    torch.testing.assert_close(watcher.seen[0], expected.weights, atol=2e-6, rtol=1e-5)
    assert torch.equal(seen, unseen), "being looked at changed the output"
    nowhere = expected.weights.sum(-1) == 0
    assert torch.equal(watcher.seen[0][nowhere], torch.zeros_like(watcher.seen[0][nowhere]))
    assert torch.equal(unseen[nowhere], torch.zeros_like(unseen[nowhere]))


@pytest.mark.parametrize("score_name", ["scaled-dot", "dot"])
@pytest.mark.parametrize(("rows", "mask"), CASES)
def test_fused_is_explicit_and_so_are_the_gradients(rows: str, mask: str, score_name: str) -> None:
    score = SCORES[score_name]()
    results = []
    for listener in (None, Echo()):
        inputs = ROWS[rows].tensors()
        context = attend(*inputs, score=score, mask=MASKS[mask], listener=listener)
        (context * torch.linspace(-1, 1, context.numel()).view_as(context)).sum().backward()
        results.append([context.detach(), *(tensor.grad for tensor in inputs)])
    for fused, explicit in zip(*results, strict=True):
        assert fused is not None
        assert explicit is not None
        assert fused.isfinite().all()
        torch.testing.assert_close(fused, explicit, atol=2e-6, rtol=1e-5)


@pytest.mark.parametrize(("rows", "mask"), CASES)
def test_bfloat16_is_float32_rounded_in_training_and_seen_or_not(rows: str, mask: str) -> None:
    """In training the products are written out, where torch's kernel is slow; a window and inference are its own."""
    results = []
    for dtype, listener in ((torch.float32, None), (torch.bfloat16, None), (torch.bfloat16, Watcher())):
        inputs = [tensor.detach().bfloat16().to(dtype).requires_grad_() for tensor in ROWS[rows].tensors()]
        context = attend(*inputs, mask=MASKS[mask], listener=listener)
        assert context.dtype == dtype
        (context * torch.linspace(-1, 1, context.numel(), dtype=dtype).view_as(context)).sum().backward()
        results.append([context.detach().float(), *(tensor.grad for tensor in inputs)])
    whole, rounded, seen = results
    for one, other, looked_at in zip(whole, rounded, seen, strict=True):
        assert one is not None
        assert other is not None
        assert looked_at is not None
        torch.testing.assert_close(other.float(), one, atol=0.03, rtol=0.03)
        assert torch.equal(other, looked_at), "being looked at changed something"


@pytest.mark.parametrize("score_name", SCORES)
@pytest.mark.parametrize("listener", [None, Echo()], ids=["unheard", "heard"])
def test_a_query_that_may_look_nowhere_has_no_gradient(score_name: str, listener: Echo | None) -> None:
    query, key, value = Rows().tensors()
    mask = MASKS["one sentence is nothing but padding"]
    attend(query, key, value, score=SCORES[score_name](), mask=mask, listener=listener).square().sum().backward()
    for tensor in (query, key, value):
        assert tensor.grad is not None
        assert tensor.grad.isfinite().all()
        assert torch.equal(tensor.grad[1], torch.zeros_like(tensor.grad[1]))
        assert tensor.grad[0].abs().sum() > 0


@pytest.mark.parametrize("score_name", SCORES)
def test_rows_sum_to_one_even_for_great_scores(score_name: str) -> None:
    query, key, _ = Rows().tensors()
    weights = attention_weights(query * 1e4, key * 1e4, score=SCORES[score_name](), mask=Mask(causal=True))
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 4, 5))


@pytest.mark.parametrize("score_name", SCORES)
def test_dropout_is_the_same_seen_or_unseen(score_name: str) -> None:
    query, key, value = Rows().tensors()
    score = SCORES[score_name]()
    found = []
    for listener in (None, Watcher()):
        torch.manual_seed(5)
        found.append(attend(query, key, value, score=score, dropout=0.5, listener=listener))
    assert torch.equal(found[0], found[1])
    assert not torch.allclose(found[0], attend(query, key, value, score=score))


def test_dropout_keeps_the_mean() -> None:
    query, key, value = (t.detach() for t in Rows().tensors())
    drawn = torch.stack([attend(query, key, value, dropout=0.3, listener=Echo()) for _ in range(3000)])
    torch.testing.assert_close(drawn.mean(0), attend(query, key, value), atol=0.06, rtol=0)


def test_other_weights_are_used_as_they_are() -> None:
    class Uniform:
        def see(self, weights_NHQK: Tensor) -> Tensor:
            return torch.full_like(weights_NHQK, 0.2)

    query, key, value = Rows(rows=6, queries=1).tensors()
    context = attend(query, key, value, listener=Uniform())
    torch.testing.assert_close(context[:, :, 0], value.mean(2).repeat_interleave(3, dim=0))


def test_beams_look_at_their_own_sentence() -> None:
    query, key, value = Rows(rows=6, queries=1).tensors()
    mask = MASKS["padding"]
    repeated = attend(
        query,
        key.repeat_interleave(3, 0),
        value.repeat_interleave(3, 0),
        mask=Mask(keys_BK=REAL.repeat_interleave(3, 0)),
    )
    torch.testing.assert_close(attend(query, key, value, mask=mask), repeated, atol=1e-6, rtol=1e-5)


def test_the_additive_score_has_no_fused_path(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **options: object) -> Tensor:
        raise AssertionError("the fused kernel was called")

    monkeypatch.setattr(MODULE, "scaled_dot_product_attention", refuse)
    query, key, value = Rows().tensors()
    attend(query, key, value, score=SCORES["additive"]())
    with pytest.raises(AssertionError, match="the fused kernel"):
        attend(query, key, value)


@pytest.mark.parametrize("mask", MASKS)
def test_unheard_the_table_is_never_made(mask: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **options: object) -> Tensor:
        raise AssertionError("the table of weights was made")

    monkeypatch.setattr(MODULE, "attention_weights", refuse)
    query, key, value = Rows().tensors()
    attend(query, key, value, mask=MASKS[mask])
    with pytest.raises(AssertionError, match="the table of weights"):
        attend(query, key, value, mask=MASKS[mask], listener=Watcher())


def test_rows_that_do_not_divide() -> None:
    query, key, value = Rows(rows=3, queries=1).tensors()
    with pytest.raises(ModelError, match="3 rows × 4 heads of queries do not divide among 2 rows × 4 heads of keys"):
        attend(query, key, value)


def test_heads_that_do_not_divide() -> None:
    query, key, value = Rows(key_heads=3).tensors()
    with pytest.raises(ModelError, match="2 rows × 4 heads of queries do not divide among 2 rows × 3 heads of keys"):
        attend(query, key, value)


def test_rows_that_share_keys_ask_one_at_a_time() -> None:
    query, key, value = Rows(rows=6, queries=2).tensors()
    with pytest.raises(ModelError, match="3 rows of queries share a row of keys: give one query a row, not 2"):
        attend(query, key, value)


@pytest.mark.parametrize("mask", [Mask(causal=True), Mask(window=2)], ids=["causal", "window"])
def test_rows_that_share_keys_have_no_order(mask: Mask) -> None:
    query, key, value = Rows(rows=6, queries=1).tensors()
    with pytest.raises(ModelError, match="have no order among them: neither causal nor window fits"):
        attend(query, key, value, mask=mask)
