"""One query worked out: every step against the recorded weights, for every kind of attention there is."""

import math

import pytest
import torch
from torch import nn

from saccade.attention import (
    Asked,
    Calculation,
    Choose,
    Edit,
    SingleHead,
    Watch,
    Written,
    attention_layers,
    record,
)
from saccade.data.examples import Pair
from saccade.errors import ModelError
from saccade.models import Seq2Seq, Vocabulary, build_model, presets
from saccade.tasks.forced import forced
from saccade.tasks.translator import DecodeSettings, Member, Tokenizers, Translator
from tasks.parts import PAIRS, tokenizers_for

TEXTS = ["the red star", "the blue tree ball", "the green"]
DECODE = DecodeSettings(beam=3, max_length=5)
KINDS = {
    "multi-head": ("transformer-tiny", {}),
    "additive heads": ("transformer-tiny", {"score": "additive"}),
    "unscaled": ("transformer-tiny", {"score": "dot"}),
    "local": ("transformer-tiny", {"window": 1}),
    "additive": ("rnn-additive", {}),
    "dot": ("rnn-dot", {}),
    "convolution": ("conv-seq2seq", {}),
    "lstmn": ("lstmn", {}),
    "self-rnn": ("rnn-self", {}),
}


@pytest.fixture(scope="module")
def tokenizers() -> Tokenizers:
    return tokenizers_for([text for pair in PAIRS for text in (pair.source, pair.target)])


def member(tokenizers: Tokenizers, preset: str, options: dict[str, object]) -> Member:
    torch.manual_seed(5)
    size = tokenizers.source.vocab_size
    sizes = {"dim": 16, "heads": 2, "ff_dim": 16, "encoder_layers": 1, "decoder_layers": 2, "layers": 2, "dropout": 0.0}
    vocabulary = Vocabulary(size, size, shared=True)
    fields = type(next(one for one in presets() if one.name == preset).options).model_fields
    chosen = {name: value for name, value in {**sizes, **options}.items() if name in fields}
    model = build_model(preset, chosen, vocabulary)
    assert isinstance(model, Seq2Seq)
    return Member(model.eval(), tokenizers)


def check(found: Calculation, recorded_K: torch.Tensor) -> None:
    """Each step by hand from the one before it."""
    keys = len(found.keys)
    raw = []
    for k_D in found.k_KD.tolist():
        pairs = list(zip(found.q_D.tolist(), k_D, strict=True))
        if found.score == "dot":
            raw.append(sum(q * k for q, k in pairs))
        else:
            assert found.combine_D is not None
            combine = found.combine_D.tolist()
            raw.append(sum(c * math.tanh(q + k) for c, (q, k) in zip(combine, pairs, strict=True)))
    torch.testing.assert_close(found.raw_K, torch.tensor(raw).view(keys), atol=1e-5, rtol=1e-5)
    scale = 1.0 if found.scale is None else found.scale
    torch.testing.assert_close(found.scaled_K, found.raw_K * scale)
    powers = [
        math.exp(score) if allowed else 0.0
        for score, allowed in zip(found.scaled_K.tolist(), found.allowed_K.tolist(), strict=True)
    ]
    soft = torch.tensor([power / (sum(powers) or 1.0) for power in powers]).view(keys)
    torch.testing.assert_close(found.softmax_K, soft, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(found.softmax_K, recorded_K[:keys], atol=1e-5, rtol=1e-5)
    assert float(recorded_K[keys:].abs().sum()) == 0
    torch.testing.assert_close(found.weights_K, recorded_K[:keys])
    torch.testing.assert_close(found.weighted_KV, found.weights_K[:, None] * found.v_KV)
    torch.testing.assert_close(found.context_V, found.weighted_KV.sum(0))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_while_a_beam_search_writes(kind: str, tokenizers: Tokenizers) -> None:
    one = member(tokenizers, *KINDS[kind])
    translator = Translator([one])
    plain = translator.translate(TEXTS, DECODE)
    for layer, module in attention_layers(one.model).items():
        head, query = module.heads - 1, 1
        asked = Asked((layer,), watch=Watch(layer, head, query))
        with asked.recorder(one.model) as seen:
            assert translator.translate(TEXTS, DECODE) == plain, "being watched changed the output"
        for number, attended in enumerate(seen[layer].attended):
            found = seen.calculation(number)
            assert (found.layer, found.head, found.query) == (layer, head, query)
            assert found.query_token == attended.queries[query]
            assert found.keys == attended.keys[: len(found.keys)]
            check(found, attended.weights_HQK[head, query])


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_while_a_text_is_forced(kind: str, tokenizers: Tokenizers) -> None:
    one = member(tokenizers, *KINDS[kind])
    pairs = [Pair("the red star", "star la red"), Pair("the blue", "la blue ici ici")]
    for layer in attention_layers(one.model):
        seen = forced(one, pairs, Asked((layer,), watch=Watch(layer, 0, 2)))
        for number, attended in enumerate(seen[layer].attended):
            check(seen.calculation(number), attended.weights_HQK[0, 2])


def test_what_was_used_stands_beside_what_was_computed(tokenizers: Tokenizers) -> None:
    one = member(tokenizers, "transformer-tiny", {})
    layer = "decoder.0.cross"
    watch = Watch(layer, 1, 0)
    asked = Asked((layer,), (Edit(layer, weights=0.0, key=1), Edit(layer, temperature=2.0, head=0)), watch)
    with asked.recorder(one.model) as seen:
        Translator([one]).translate(TEXTS[:1], DECODE)
    found = seen.calculation()
    assert float(found.softmax_K[1]) > 0
    assert float(found.weights_K[1]) == 0
    torch.testing.assert_close(found.weights_K[[0, 2, 3]], found.softmax_K[[0, 2, 3]])
    torch.testing.assert_close(found.context_V, (found.weights_K[:, None] * found.v_KV).sum(0))


def test_hard_attention_uses_one_key_of_those_it_weighed() -> None:
    layer = SingleHead(query_dim=4, memory_dim=4, dim=4, score="additive")
    layer.within = Choose()
    model = nn.Module()
    model.decoder = nn.Module()
    model.decoder.cross_attention = layer
    with torch.no_grad(), Asked(watch=Watch("decoder.cross", 0, 0)).recorder(model) as seen:
        seen.start()
        context_N1V = layer(torch.randn(2, 1, 4), layer.keys_values(torch.randn(2, 3, 4)))
        source = ("a", "b", "c")
        seen.gather([Written(n, n, (n,), source, target=("x",), read=("<s>",)) for n in range(2)])
    for number in range(2):
        found = seen.calculation(number)
        assert sorted(found.weights_K.tolist()) == [0, 0, 1]
        assert int(found.weights_K.argmax()) == int(found.softmax_K.argmax())
        assert 0 < float(found.softmax_K.max()) < 1
        torch.testing.assert_close(found.context_V, context_N1V[number, 0])


def test_what_cannot_be_told(tokenizers: Tokenizers) -> None:
    one = member(tokenizers, "transformer-tiny", {})
    with record(one.model) as seen:
        with pytest.raises(ModelError, match=r"no query is watched: name one with watch\(layer, head=…, query=…\)"):
            seen.calculation()
        for wrong, message in (
            ({"layer": "decoder.0.cros", "head": 0, "query": 0}, r"did you mean decoder\.0\.cross"),
            ({"layer": "decoder.0.cross", "head": 2, "query": 0}, r"decoder\.0\.cross has heads 0 to 1, not 2"),
            ({"layer": "decoder.0.cross", "head": 0, "query": -1}, "query -1: positions count from 0"),
        ):
            with pytest.raises(ModelError, match=message):
                seen.watch(**wrong)  # type: ignore[arg-type]
        seen.watch("encoder.0.self", head=0, query=9)
        with pytest.raises(ModelError, match=r"encoder\.0\.self was not used for sentence 0 since recording began"):
            seen.calculation()
        Translator([one]).translate(TEXTS[:1], DECODE)
        with pytest.raises(ModelError, match=r"encoder\.0\.self has queries 0 to 3 in this text, not 9"):
            seen.calculation()
        seen.watch("encoder.0.self", head=1, query=0)
        Translator([one]).translate(TEXTS[:1], DECODE)
        assert seen.calculation().query_token == "the"
