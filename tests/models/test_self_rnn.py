"""What an encoder shows that looks back at its own words."""

import pytest
import torch

from saccade.attention import record
from saccade.data.examples import Pair
from saccade.models import Seq2Seq, Vocabulary, build_model
from saccade.tasks.forced import forced_attention
from saccade.tasks.translator import DecodeSettings, Member, Translator
from tasks.parts import PAIRS, tokenizers_for


@pytest.fixture(params=["rnn-self", "lstmn"])
def member(request: pytest.FixtureRequest) -> Member:
    tokenizers = tokenizers_for([text for pair in PAIRS for text in (pair.source, pair.target)])
    size = tokenizers.source.vocab_size
    torch.manual_seed(1)
    model = build_model(request.param, {"dim": 8}, Vocabulary(source=size, target=size, shared=True))
    assert isinstance(model, Seq2Seq)
    return Member(model.eval(), tokenizers)


def test_every_word_looks_at_the_words_before_it(member: Member) -> None:
    pairs = [Pair("the red star", "star la red ici"), Pair("tree", "tree ici")]
    for pair, seen in zip(pairs, forced_attention(member, pairs), strict=True):
        assert list(seen) == ["encoder.0.self", "decoder.0.cross"]
        looked = seen["encoder.0.self"]
        words = (*pair.source.split(), "</s>")
        assert looked.queries == looked.keys == words
        weights = looked.weights_HQK[0]
        assert weights.shape == (len(words), len(words))
        assert weights[0].sum() == 0
        torch.testing.assert_close(weights[1:].sum(-1), torch.ones(len(words) - 1))
        assert torch.equal(weights, weights.tril(-1))


def test_the_same_is_seen_while_a_beam_is_searched(member: Member) -> None:
    forced = forced_attention(member, PAIRS)
    with record(member.model, "encoder.*") as seen:
        Translator([member]).translate([pair.source for pair in PAIRS], DecodeSettings(beam=2, max_length=4))
    for found, expected in zip(seen["encoder.0.self"].attended, forced, strict=True):
        torch.testing.assert_close(found.weights_HQK, expected["encoder.0.self"].weights_HQK)
