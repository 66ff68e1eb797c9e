import re

import pytest
import torch
from torch import nn

from saccade.errors import ModelError
from saccade.models import Seq2Seq, Vocabulary, build_model, find_preset

SIZES = {"dim": 16, "heads": 2, "ff_dim": 32, "encoder_layers": 1, "decoder_layers": 1}
ONE = Vocabulary(source=50, target=50, shared=True)
TWO = Vocabulary(source=40, target=50, shared=False)


def small(vocabulary: Vocabulary = ONE, **options: object) -> Seq2Seq:
    model = build_model("transformer-tiny", {**SIZES, **options}, vocabulary)
    assert isinstance(model, Seq2Seq)
    return model


@pytest.mark.parametrize(
    ("name", "vocabulary", "parameters", "published"),
    [
        ("transformer-tiny", 10_000, 2_605_568, 2.6e6),
        ("transformer-small", 8_000, 7_578_624, None),
        ("transformer-base", 37_000, 63_082_496, 65e6),
        ("transformer-big", 37_000, 214_245_376, 213e6),
        ("transformer-moe", 8_000, 4_780_800, None),
        ("transformer-local", 8_000, 2_413_056, None),
    ],
)
def test_parameter_counts(name: str, vocabulary: int, parameters: int, published: float | None) -> None:
    with torch.device("meta"):
        model = build_model(name, {}, Vocabulary(source=vocabulary, target=vocabulary, shared=True))
    count = sum(p.numel() for p in model.parameters())
    doc = find_preset(name).doc
    assert count == parameters
    assert f"{count:,}" in doc, "the docstring tells another number"
    assert f"shared vocabulary of {vocabulary:,}" in doc
    said = re.search(r"Published ([\d.]+) M parameters", doc)
    assert (None if said is None else float(said[1]) * 1e6) == published
    if published is not None:
        assert count == pytest.approx(published, rel=0.04)


def test_the_count_by_hand() -> None:
    """V·E; an encoder layer 4E² + 4E, 2EF + F + E, two norms; a decoder layer twice the attention, three norms."""
    V, E, F = 50, 16, 32
    attention, feed_forward, norm = 4 * E * E + 4 * E, 2 * E * F + F + E, 2 * E
    expected = V * E + (attention + feed_forward + 2 * norm) + (2 * attention + feed_forward + 3 * norm)
    assert sum(p.numel() for p in small(norm="post").parameters()) == expected
    assert sum(p.numel() for p in small(norm="pre").parameters()) == expected + 2 * norm


def test_the_count_of_experts_by_hand() -> None:
    """M experts of 2EF without biases, and a gate of 2M rows, in place of each feed-forward layer."""
    E, F, M = 16, 32, 4
    added = M * 2 * E * F + 2 * M * E - (2 * E * F + F + E)
    counts = [sum(p.numel() for p in small(**options).parameters()) for options in ({}, {"experts": M})]
    assert counts[1] - counts[0] == 2 * added


def test_using_every_expert_is_no_choice() -> None:
    with pytest.raises(ModelError, match=r"3 of 3 experts is no choice: set fewer than model\.experts"):
        small(experts=3, experts_used=3)


def test_shared_embeddings_are_one() -> None:
    model = small(embeddings="shared")
    assert model.source_embedding.tokens.weight is model.target_embedding.tokens.weight is model.output.weight


def test_tied_embeddings_are_two() -> None:
    model = small(TWO, embeddings="tied")
    assert model.target_embedding.tokens.weight is model.output.weight
    assert model.source_embedding.tokens.weight is not model.output.weight
    assert model.source_embedding.tokens.weight.shape == (40, 16)
    assert model.output.weight.shape == (50, 16)


def test_separate_embeddings_are_three() -> None:
    model = small(embeddings="separate")
    matrices = (model.source_embedding.tokens.weight, model.target_embedding.tokens.weight, model.output.weight)
    assert len({m.data_ptr() for m in matrices}) == 3
    assert not torch.equal(matrices[1], matrices[2])


@pytest.mark.parametrize("embeddings", ["shared", "tied", "separate"])
def test_one_step_moves_what_is_shared_together(embeddings: str) -> None:
    model = small(embeddings=embeddings)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    states = model(torch.tensor([[3, 4]]), torch.tensor([[1, 5]]))
    nn.functional.cross_entropy(model.logits(states).flatten(0, 1), torch.tensor([5, 6])).backward()
    optimizer.step()
    source, target, output = (
        model.source_embedding.tokens.weight,
        model.target_embedding.tokens.weight,
        model.output.weight,
    )
    assert torch.equal(target, output) == (embeddings != "separate")
    assert torch.equal(source, target) == (embeddings == "shared")


def test_new_logits_have_about_unit_variance() -> None:
    model = build_model("transformer-tiny", {}, Vocabulary(source=2000, target=2000, shared=True)).eval()
    tokens = torch.randint(3, 2000, (4, 20))
    with torch.no_grad():
        assert 0.5 < model.logits(model(tokens, tokens.roll(1, 1))).std().item() < 2


@pytest.mark.parametrize("positions", ["sinusoidal", "none"])
def test_no_limit_without_learned_positions(positions: str) -> None:
    model = small(positions=positions, max_length=7)
    assert model.max_source_length is None
    assert model.max_target_length is None


def test_learned_positions_are_a_limit() -> None:
    model = small(positions="learned", max_length=7)
    assert (model.max_source_length, model.max_target_length) == (7, 7)
    with pytest.raises(ModelError, match="8 positions asked, but the learned positions end at 7"):
        model(torch.ones(1, 8, dtype=torch.long), torch.ones(1, 2, dtype=torch.long))


def test_without_positions_the_source_is_a_set() -> None:
    source, target = torch.tensor([[3, 4, 5, 6]]), torch.tensor([[1, 7]])
    for positions, same in (("none", True), ("sinusoidal", False)):
        model = small(positions=positions).eval()
        found = model(source, target), model(source.flip(1), target)
        assert torch.allclose(*found, atol=1e-5) == same


def test_a_source_without_tokens_cannot_be_decoded() -> None:
    with pytest.raises(ModelError, match="a source without any token cannot be read: leave empty sentences out"):
        small().start(torch.tensor([[3, 4], [0, 0]]))


def test_shared_embeddings_need_one_vocabulary() -> None:
    with pytest.raises(
        ModelError,
        match=r"model\.embeddings shared needs one vocabulary for both languages: "
        r"set tokenizer\.shared=true, or model\.embeddings=tied",
    ):
        small(TWO, embeddings="shared")


def test_nothing_cannot_be_concatenated() -> None:
    with pytest.raises(ModelError, match=r"there are no positions to concatenate: model.positions is none"):
        small(combine="concatenate", embeddings="separate", positions="none")
