import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import cross_entropy

from saccade.errors import ModelError
from saccade.tasks.surprise import surprise, windows
from tasks.texts import documents, language_model, text_tokenizer


@pytest.mark.property
@given(st.integers(1, 200), st.integers(1, 40))
def test_windows_count_every_token_once_with_half_a_window_before_it(length: int, context: int) -> None:
    found = list(windows(7, length, context))
    assert [i for one in found for i in range(one.first, one.end)] == list(range(length))
    assert all(one.document == 7 and len(one) <= context for one in found)
    assert all(one.start == 0 or one.first - one.start >= context // 2 for one in found)


def test_what_documents_cost() -> None:
    tokenizer = text_tokenizer()
    model = language_model(tokenizer)
    given = documents(6)
    ids = tokenizer.encode_batch([document.text for document in given])

    def expected(number: int, context: int) -> float:
        read, written = torch.tensor([1, *ids[number]]), torch.tensor([*ids[number], 2])
        total = 0.0
        for one in windows(0, len(written), context):
            states = model(read[one.start : one.end][None])[0][one.first - one.start :]
            total += cross_entropy(model.logits(states), written[one.first : one.end], reduction="sum").item()
        return total

    for context in (6, 64):
        found = surprise(model, tokenizer, given, context=context, batch_tokens=100)
        assert [one.nats for one in found] == pytest.approx([expected(i, context) for i in range(6)], rel=1e-5)
        assert [one.tokens for one in found] == [len(one) + 1 for one in ids]
        assert [one.characters for one in found] == [len(document.text) for document in given]
    assert surprise(model, tokenizer, documents(30)[29:], context=64, batch_tokens=100)[0].unknown == 1


def test_spoilt_weights() -> None:
    tokenizer = text_tokenizer()
    model = language_model(tokenizer)
    torch.nn.init.constant_(model.output.weight, torch.nan)
    with pytest.raises(ModelError, match="the loss of these texts is nan: the model's weights are spoilt"):
        surprise(model, tokenizer, documents(2), context=64, batch_tokens=100)
