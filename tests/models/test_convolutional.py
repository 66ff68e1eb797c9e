import pytest
import torch
from pydantic import ValidationError

from saccade.attention import attention_layers, record
from saccade.errors import ModelError
from saccade.models import Seq2Seq, Vocabulary, build_model, catalogue

VOCABULARY = Vocabulary(source=50, target=50, shared=True)
SOURCE, TARGET = torch.tensor([[5, 6, 7, 2], [8, 9, 2, 0]]), torch.tensor([[1, 10, 11], [1, 12, 13]])


def small(name: str, **options: object) -> Seq2Seq:
    model = build_model(name, {"dim": 16, **options}, VOCABULARY)
    assert isinstance(model, Seq2Seq)
    return model.eval()


def test_every_layer_of_the_decoder_can_be_looked_at() -> None:
    model = small("conv-seq2seq", decoder_layers=3)
    assert list(attention_layers(model)) == ["decoder.0.cross", "decoder.1.cross", "decoder.2.cross"]
    with torch.no_grad(), record(model, "decoder.*.cross") as seen:
        model(SOURCE, TARGET)
    for layer in seen:
        assert [weights.shape for weights in seen[layer].calls] == [(2, 1, 3, 4)]
    first, last = seen["decoder.0.cross"].calls[0], seen["decoder.2.cross"].calls[0]
    assert not torch.allclose(first, last, atol=1e-3), "each layer asks a question of its own"


def test_there_is_no_attention_in_bytenet() -> None:
    assert attention_layers(small("bytenet")) == {}


def test_learned_positions_are_a_limit_that_others_do_not_have() -> None:
    model = small("conv-seq2seq", max_length=3)
    assert (model.max_source_length, model.max_target_length) == (3, 3)
    with pytest.raises(ModelError, match="4 positions asked, but the learned positions end at 3"):
        model(SOURCE, TARGET)
    for free in (small("conv-seq2seq", positions="sinusoidal"), small("bytenet")):
        assert (free.max_source_length, free.max_target_length) == (None, None)


@pytest.mark.parametrize(
    ("name", "option", "value", "kind"),
    [
        ("conv-seq2seq", "kernel", 1, "greater_than"),
        ("conv-seq2seq", "encoder_layers", 0, "greater_than"),
        ("conv-seq2seq", "heads", 4, "extra_forbidden"),
        ("conv-seq2seq", "score", "cosine", "literal_error"),
        ("bytenet", "dim", 1, "greater_than"),
        ("bytenet", "kernel", 1, "greater_than"),
        ("bytenet", "dilations", 0, "greater_than"),
        ("bytenet", "decoder_sets", 0, "greater_than"),
        ("bytenet", "unfold", 0.9, "greater_than_equal"),
        ("bytenet", "score", "dot", "extra_forbidden"),
    ],
)
def test_wrong_options_are_refused(name: str, option: str, value: object, kind: str) -> None:
    with pytest.raises(ValidationError) as refused:
        catalogue()[name].model_validate({option: value})
    assert [(error["loc"], error["type"]) for error in refused.value.errors()] == [((option,), kind)]


@pytest.mark.parametrize("name", ["conv-seq2seq", "bytenet"])
def test_a_source_without_tokens_cannot_be_decoded(name: str) -> None:
    with pytest.raises(ModelError, match="a source without any token cannot be read"):
        small(name).start(torch.tensor([[3, 4], [0, 0]]))
