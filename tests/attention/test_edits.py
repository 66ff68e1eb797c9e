"""Edits by temperature; those by value are tested with the recorder."""

import pytest
import torch

from attention.translator import SOURCE, TARGET, small
from saccade.attention import Dot, Edit, Mask, attend, attention_weights, record
from saccade.attention.edits import edited
from saccade.errors import ModelError


class Taking:
    """Uses what the edits make of the weights."""

    def __init__(self, *edits: Edit) -> None:
        self.edits = edits
        self.used = torch.empty(0)

    def see(self, weights_NHQK: torch.Tensor) -> torch.Tensor:
        self.used = edited(weights_NHQK, self.edits, first=0)
        return self.used


@pytest.mark.parametrize("temperature", [0.25, 1.0, 3.0])
def test_a_temperature_is_that_of_divided_scores(temperature: float) -> None:
    query, key, value = (torch.randn(2, 3, 4, 8) for _ in range(3))
    mask = Mask(causal=True, keys_BK=torch.tensor([[True] * 4, [True, True, True, False]]))
    listener = Taking(Edit("layer", temperature=temperature))
    context = attend(query, key, value, mask=mask, listener=listener)
    expected = attention_weights(query / temperature, key, score=Dot(), mask=mask)
    torch.testing.assert_close(listener.used, expected)
    torch.testing.assert_close(context, expected @ value)


def test_one_head_and_one_query_and_rows_without_weight() -> None:
    weights = torch.tensor([0.8, 0.2, 0.0]).expand(1, 2, 3, 3).clone()
    weights[0, 1, 2] = 0.0
    found = edited(weights, [Edit("layer", temperature=0.5, head=1)], first=0)
    assert torch.equal(found[:, 0], weights[:, 0])
    torch.testing.assert_close(found[0, 1, 0], torch.tensor([0.64, 0.04, 0.0]) / 0.68)
    assert float(found[0, 1, 2].abs().sum()) == 0
    found = edited(weights, [Edit("layer", temperature=0.5, query=6)], first=5)
    assert torch.equal(found[:, :, 0], weights[:, :, 0])
    assert not torch.equal(found[:, :, 1], weights[:, :, 1])


def test_edits_follow_one_another() -> None:
    weights = torch.tensor([0.5, 0.5]).expand(1, 1, 1, 2)
    cut = Edit("layer", weights=0.0, key=0)
    found = edited(weights, [cut, Edit("layer", temperature=2.0)], first=0)
    torch.testing.assert_close(found[0, 0, 0], torch.tensor([0.0, 1.0]))  # temperature makes the row whole again


def test_a_recorder_sees_what_the_temperature_made() -> None:
    model = small()
    with record(model, "encoder.0.self") as seen:
        seen.edit("encoder.0.self", temperature=1000.0)
        model(SOURCE, TARGET)
    torch.testing.assert_close(seen["encoder.0.self"].weights_BHQK[0], torch.full((2, 4, 4), 0.25), atol=1e-3, rtol=0)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({}, "an edit of layer gives either weights or a temperature, one of them"),
        ({"weights": 0.0, "temperature": 2.0}, "an edit of layer gives either weights or a temperature, one of them"),
        ({"temperature": 0.0}, "a temperature is a number above 0, got 0.0"),
        ({"temperature": float("inf")}, "a temperature is a number above 0, got inf"),
        ({"temperature": 2.0, "key": 1}, "a temperature is one of whole rows: leave key out"),
    ],
)
def test_edits_that_say_nothing(wrong: dict[str, float], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Edit("layer", **wrong)  # type: ignore[arg-type]
