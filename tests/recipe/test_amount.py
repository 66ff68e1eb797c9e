import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from saccade.recipe import Amount


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("30 epochs", 30, "epochs"),
        ("1 epoch", 1, "epochs"),
        ("0.5 epochs", 0.5, "epochs"),
        ("60 steps", 60, "steps"),
        ("5e6 tokens", 5_000_000, "tokens"),
        ("5_000_000 tokens", 5_000_000, "tokens"),
        ("2e14 flops", 2e14, "flops"),
        ("2 hours", 120, "minutes"),
        ("1 hour", 60, "minutes"),
        ("  90minutes ", 90, "minutes"),
        ("3 Epochs", 3, "epochs"),
    ],
)
def test_reads(text: str, value: float, unit: str) -> None:
    amount = Amount.parse(text)
    assert (amount.value, amount.unit) == (value, unit)


@pytest.mark.parametrize("text", ["60 stepz", "60", "steps", "", "-3 epochs", "1,5 epochs", "3 epochs 2"])
def test_says_what_is_expected(text: str) -> None:
    with pytest.raises(ValueError, match="expected a number") as caught:
        Amount.parse(text)
    assert str(caught.value) == (
        f'"{text}": expected a number and a unit, one of epochs, steps, tokens, flops, minutes, such as "30 epochs"'
    )


@pytest.mark.parametrize("text", ["0 epochs", "1e999 steps"])
def test_refuses_nothing_and_without_end(text: str) -> None:
    with pytest.raises(ValueError, match="must be greater than 0 and finite"):
        Amount.parse(text)


def test_refuses_broken_steps() -> None:
    with pytest.raises(ValueError, match=r'"2.5 steps": steps are counted in whole numbers'):
        Amount.parse("2.5 steps")


def test_refuses_unknown_unit_from_code() -> None:
    with pytest.raises(ValueError, match='"3 weeks": expected a number and a unit'):
        Amount(3, "weeks")  # type: ignore[arg-type]


def test_is_written_as_text() -> None:
    written = {
        "1 epochs": "1 epoch",
        "5e6 tokens": "5000000 tokens",
        "0.25 epochs": "0.25 epochs",
        "2 hours": "120 minutes",
        "200000000000000 flops": "2e14 flops",
        "3e9 flops": "3e9 flops",
        "1234567890123 flops": "1234567890123 flops",
    }
    assert {text: str(Amount.parse(text)) for text in written} == written


def test_pydantic_takes_text_and_amounts_and_writes_text() -> None:
    adapter = TypeAdapter(Amount)
    amount = Amount(60, "steps")
    assert adapter.validate_python("60 steps") == adapter.validate_python(amount) == amount
    assert adapter.dump_python(amount, mode="json") == "60 steps"
    with pytest.raises(ValidationError, match="30: expected a number and a unit"):
        adapter.validate_python(30)


@pytest.mark.property
@given(st.floats(min_value=1e-300, max_value=1e300), st.sampled_from(["epochs", "minutes", "flops"]))
def test_text_and_back(value: float, unit: str) -> None:
    amount = Amount(value, unit)  # type: ignore[arg-type]
    assert Amount.parse(str(amount)) == amount
