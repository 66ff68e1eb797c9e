import pytest
import torch
from torch import Tensor, nn

from attention.translator import NAMES, SOURCE, TARGET, small
from saccade.attention import MultiHead, attend, attention_layers, record, recorders
from saccade.errors import ModelError


def listeners(model: nn.Module) -> list[object]:
    return [layer.listener for layer in attention_layers(model).values() if layer.listener is not None]


def test_layers_are_called_what_people_say() -> None:
    layers = attention_layers(small())
    assert list(layers) == NAMES
    assert all(isinstance(layer, MultiHead) for layer in layers.values())


@pytest.mark.parametrize(
    ("pattern", "chosen"),
    [
        ("*", NAMES),
        ("decoder.*.cross", ["decoder.0.cross", "decoder.1.cross"]),
        ("encoder.1.self", ["encoder.1.self"]),
        (["*.cross", "encoder.0.*"], ["encoder.0.self", "decoder.0.cross", "decoder.1.cross"]),
    ],
)
def test_patterns(pattern: str | list[str], chosen: list[str]) -> None:
    model = small()
    with record(model, pattern) as seen:
        model(SOURCE, TARGET)
    assert list(seen) == chosen
    for layer in chosen:
        assert len(seen[layer].calls) == 1


def test_recording_does_not_change_a_bit() -> None:
    for options in ({}, {"score": "additive"}, {"score": "dot", "window": 1}):
        model = small(**options)
        before = model(SOURCE, TARGET)
        with record(model):
            assert torch.equal(model(SOURCE, TARGET), before)
        assert torch.equal(model(SOURCE, TARGET), before)


def test_what_is_seen_are_weights() -> None:
    model = small()
    with record(model) as seen:
        model(SOURCE, TARGET)
    for name in NAMES:
        weights = seen[name].weights_BHQK
        queries, keys = (
            4 if name.startswith("encoder") else 3,
            3 if name.startswith("decoder") and "self" in name else 4,
        )
        assert weights.shape == (2, 2, queries, keys)
        assert weights.dtype == torch.float32
        assert not weights.requires_grad
        torch.testing.assert_close(weights.sum(-1), torch.ones(2, 2, queries))
    assert seen["encoder.0.self"].weights_BHQK[1, :, :, 2:].abs().sum() == 0, "padding was looked at"
    assert seen["decoder.0.self"].weights_BHQK.triu(1).abs().sum() == 0, "the future was looked at"


def test_nobody_looks_nothing_is_paid(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **options: object) -> Tensor:
        raise AssertionError("somebody made the table of weights")

    model = small()
    with record(model):
        pass
    assert listeners(model) == []
    monkeypatch.setitem(attend.__globals__, "attention_weights", refuse)
    model(SOURCE, TARGET)
    with record(model, "decoder.1.cross"), pytest.raises(AssertionError, match="made the table"):
        model(SOURCE, TARGET)


def test_only_the_chosen_layers_make_their_table(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    real = attend.__globals__["attention_weights"]
    monkeypatch.setitem(attend.__globals__, "attention_weights", lambda *a, **o: made.append(1) or real(*a, **o))
    model = small()
    with record(model, "decoder.1.cross"):
        model(SOURCE, TARGET)
    assert len(made) == 1


def test_listeners_go_when_the_block_ends() -> None:
    model = small()
    with record(model) as seen:
        assert len(listeners(model)) == 6
        assert recorders(model) == [seen]
    assert listeners(model) == []
    assert recorders(model) == []


def test_listeners_go_after_an_error() -> None:
    model = small()
    with pytest.raises(ZeroDivisionError), record(model):
        raise ZeroDivisionError
    assert listeners(model) == []


def test_a_run_is_recorded_through_its_model() -> None:
    class Run:
        model = small()

    with record(Run()) as seen:
        Run.model(SOURCE, TARGET)
    assert seen["encoder.0.self"].weights_BHQK.shape == (2, 2, 4, 4)


def test_two_recordings_of_one_layer_are_refused() -> None:
    model = small()
    with record(model, "decoder.1.cross") as first:
        with (
            pytest.raises(
                ModelError, match=r"decoder\.1\.cross is being recorded already: leave the first recording before"
            ),
            record(model),
        ):
            pass
        assert recorders(model) == [first], "the refused recording went on listening to the other layers"
        model(SOURCE, TARGET)
    assert len(first["decoder.1.cross"].calls) == 1
    assert listeners(model) == []


def test_two_recordings_of_different_layers() -> None:
    model = small()
    with record(model, "encoder.*") as left, record(model, "decoder.*.self") as right:
        model(SOURCE, TARGET)
        assert recorders(model) == [left, right]
    assert len(left["encoder.0.self"].calls) == len(right["decoder.0.self"].calls) == 1


def test_a_recorder_can_be_entered_again() -> None:
    model = small()
    seen = record(model, "encoder.0.self")
    for _ in range(2):
        with seen:
            model(SOURCE, TARGET)
    assert len(seen["encoder.0.self"].calls) == 2


@pytest.mark.parametrize(
    ("asked", "hint"),
    [
        ("decoder.1.cros", "(did you mean decoder.1.cross?)"),
        ("decoder.*.crooss", "(did you mean decoder.1.cross?)"),
        ("zzz", "'zzz'; this model"),
    ],
)
def test_unknown_layers(asked: str, hint: str) -> None:
    model = small()
    everything = f"; this model has {', '.join(NAMES)}"
    with pytest.raises(ModelError) as refused:
        record(model, asked)
    assert str(refused.value).startswith(f"no attention layer '{asked}'")
    assert str(refused.value).endswith(everything)
    seen = record(model)
    for ask in (seen.__getitem__, lambda layer: seen.edit(layer, weights=0)):
        with pytest.raises(ModelError) as again:
            ask(asked)
        assert str(again.value) == str(refused.value)
    assert hint in str(refused.value)


def test_one_wrong_pattern_among_right_ones() -> None:
    with pytest.raises(ModelError, match=r"no attention layer 'encoder\.9\.self'"):
        record(small(), ["decoder.*", "encoder.9.self"])


def test_a_layer_that_was_not_recorded() -> None:
    seen = record(small(), "decoder.*.cross")
    with pytest.raises(
        ModelError,
        match=r"^encoder\.0\.self is not among the recorded layers \(decoder\.0\.cross, decoder\.1\.cross\): name it",
    ):
        seen["encoder.0.self"]


def test_a_model_without_attention() -> None:
    model = nn.Linear(2, 2)
    with record(model) as seen:
        model(torch.ones(2))
    assert list(seen) == []
    with pytest.raises(ModelError, match=r"no attention layer 'decoder\.\*'; this model has none"):
        record(model, "decoder.*")


def test_several_calls_are_kept_apart() -> None:
    model = small()
    with record(model, "encoder.0.self") as seen:
        model(SOURCE, TARGET)
        model(SOURCE[:1, :2], TARGET[:1])
    assert [tuple(call.shape) for call in seen["encoder.0.self"].calls] == [(2, 2, 4, 4), (1, 2, 2, 2)]
    with pytest.raises(ModelError, match=r"encoder\.0\.self was called 2 times since recording began: look at \.calls"):
        _ = seen["encoder.0.self"].weights_BHQK


def test_nothing_was_called() -> None:
    with record(small()) as seen:
        pass
    with pytest.raises(ModelError, match="was called 0 times since recording began"):
        _ = seen["encoder.0.self"].weights_BHQK


class TestEdit:
    @pytest.mark.parametrize(
        "where",
        [{}, {"head": 1}, {"query": 2}, {"key": 0}, {"head": 0, "query": 1, "key": 0}],
        ids=["all", "head", "query", "key", "edge"],
    )
    def test_edited_weights_are_recorded_and_used(self, where: dict[str, int]) -> None:
        model = small()
        with record(model, "decoder.0.cross") as plain:
            before = model(SOURCE, TARGET)
        expected = plain["decoder.0.cross"].weights_BHQK.clone()
        index = [slice(None) if where.get(axis) is None else where[axis] for axis in ("head", "query", "key")]
        expected[:, index[0], index[1], index[2]] = 0.25
        with record(model, "decoder.0.cross") as seen:
            seen.edit("decoder.0.cross", weights=0.25, **where)
            after = model(SOURCE, TARGET)
        assert torch.equal(seen["decoder.0.cross"].weights_BHQK, expected)
        assert not torch.allclose(after, before)
        if "query" in where:
            untouched = slice(None, where["query"])
            torch.testing.assert_close(after[:, untouched], before[:, untouched], atol=1e-6, rtol=1e-5)
        assert torch.equal(model(SOURCE, TARGET), before), "the edit outlived its block"

    def test_a_knocked_out_head_says_nothing(self) -> None:
        """Weights of zero are the same as zeroing the head's columns of the output projection."""
        model = small()
        with record(model, "encoder.1.self") as seen:
            seen.edit("encoder.1.self", head=0, weights=0)
            edited = model(SOURCE, TARGET)
        with torch.no_grad():
            attention_layers(model)["encoder.1.self"].out.weight[:, :8] = 0
        torch.testing.assert_close(edited, model(SOURCE, TARGET), atol=1e-6, rtol=1e-5)

    def test_additive_scores_too(self) -> None:
        model = small(score="additive")
        before = model(SOURCE, TARGET)
        with record(model) as seen:
            seen.edit("encoder.0.self", head=1, weights=0)
            assert not torch.allclose(model(SOURCE, TARGET), before)

    def test_of_a_layer_that_is_not_recorded(self) -> None:
        model = small()
        before = model(SOURCE, TARGET)
        with record(model, "decoder.*") as seen:
            seen.edit("encoder.0.self", weights=0)
            after = model(SOURCE, TARGET)
        assert not torch.allclose(after, before)
        assert seen["encoder.0.self"].weights_BHQK.abs().sum() == 0
        assert listeners(model) == []

    def test_before_the_block_begins(self) -> None:
        model = small()
        before = model(SOURCE, TARGET)
        seen = record(model, "decoder.*")
        seen.edit("encoder.0.self", weights=0)
        assert torch.equal(model(SOURCE, TARGET), before)
        with seen:
            assert not torch.allclose(model(SOURCE, TARGET), before)

    def test_later_edits_win(self) -> None:
        model = small()
        with record(model, "encoder.0.self") as seen:
            seen.edit("encoder.0.self", weights=0)
            seen.edit("encoder.0.self", weights=1, key=2)
            model(SOURCE, TARGET)
        weights = seen["encoder.0.self"].weights_BHQK
        assert weights[..., 2].eq(1).all()
        assert weights.sum() == weights[..., 2].sum()

    def test_places_that_do_not_come_change_nothing(self) -> None:
        model = small()
        before = model(SOURCE, TARGET)
        with record(model) as seen:
            seen.edit("decoder.0.cross", weights=0, key=9)
            seen.edit("decoder.0.cross", weights=0, query=9)
            torch.testing.assert_close(model(SOURCE, TARGET), before, atol=1e-6, rtol=1e-5)

    @pytest.mark.parametrize("source", [SOURCE, SOURCE[:1]], ids=["padded", "unpadded"])
    def test_gradients_flow_through_edited_weights(self, source: Tensor) -> None:
        model = small()
        with record(model) as seen:
            seen.edit("decoder.0.cross", head=0, weights=0)
            model(source, TARGET[: len(source)]).square().sum().backward()
        grad = attention_layers(model)["decoder.0.cross"].in_weight.grad
        assert grad is not None
        assert grad[:8].abs().sum() == 0, "the queries of the head that was knocked out"
        assert grad[8:16].abs().sum() > 0

    @pytest.mark.parametrize("head", [2, -1])
    def test_unknown_head(self, head: int) -> None:
        with pytest.raises(ModelError, match=rf"decoder\.0\.cross has heads 0 to 1, not {head}"):
            record(small()).edit("decoder.0.cross", head=head, weights=0)

    @pytest.mark.parametrize("axis", ["query", "key"])
    def test_positions_count_from_zero(self, axis: str) -> None:
        with pytest.raises(ModelError, match=rf"{axis} -1: positions count from 0, from the first token on"):
            record(small()).edit("decoder.0.cross", weights=0, **{axis: -1})

    def test_of_a_layer_that_another_records(self) -> None:
        model = small()
        with record(model, "encoder.*") as first, record(model, "decoder.*") as second:
            with pytest.raises(ModelError, match=r"encoder\.0\.self is being recorded already"):
                second.edit("encoder.0.self", weights=0)
            model(SOURCE, TARGET)
            assert list(second) == [name for name in NAMES if name.startswith("decoder")]
        assert first["encoder.0.self"].weights_BHQK.sum() > 0
        assert listeners(model) == []
