"""GPT: its published sizes, its first weights, and that it is Hugging Face's GPT-2 when it has GPT-2's weights."""

import math
from typing import Any

import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel

from saccade.attention import record
from saccade.errors import ModelError
from saccade.layers import TransformerStack
from saccade.models import LanguageModel, Vocabulary, build_model

SMALL: dict[str, Any] = {"dim": 32, "heads": 4, "layers": 3, "max_length": 48, "dropout": 0.0, "attention_dropout": 0.0}
TEXT = torch.randint(0, 61, (3, 20), generator=torch.Generator().manual_seed(3))


def built(preset: str = "gpt2", vocabulary: int = 61, **options: Any) -> LanguageModel:
    torch.manual_seed(1)
    model = build_model(preset, options, Vocabulary(vocabulary, vocabulary, shared=True))
    assert isinstance(model, LanguageModel)
    return model.eval()


@pytest.mark.parametrize(
    ("preset", "parameters"),
    [
        ("gpt2", 124_439_808),
        ("gpt2-medium", 354_823_168),
        ("gpt2-large", 774_030_080),
        ("gpt2-xl", 1_557_611_200),
    ],
)
def test_the_published_sizes(preset: str, parameters: int) -> None:
    with torch.device("meta"):
        model = built(preset, 50_257)
    assert sum(parameter.numel() for parameter in model.parameters()) == parameters
    assert model.max_length == 1024


def test_nanogpts_size_without_bias() -> None:
    """4 layers of 12·dim² and two norms, the last norm, 65 characters and 64 positions."""
    model = built("gpt-mini", 65, bias=False, max_length=64)
    assert sum(p.numel() for p in model.parameters()) == 4 * (12 * 128**2 + 2 * 128) + 128 + (65 + 64) * 128
    assert not [name for name, _ in model.named_parameters() if "bias" in name]


def test_first_weights() -> None:
    model = built(dim=128, heads=4, layers=8, max_length=512)
    for name, parameter in model.named_parameters():
        if parameter.ndim > 1:
            expected = 0.02 / math.sqrt(16) if name.endswith(("out.weight", "outer.weight")) else 0.02
            assert parameter.std().item() == pytest.approx(expected, rel=0.05), name
        else:
            assert torch.equal(parameter, torch.full_like(parameter, float(name.endswith("norm.weight")))), name
    assert model.output.weight is model.embedding.tokens.weight
    assert model.embedding.scale == 1.0


def test_heads_divide_the_width() -> None:
    with pytest.raises(ModelError, match=r"model.dim 32 is not divisible by 5 heads"):
        built(dim=32, heads=5)


def test_what_is_seen_while_a_text_is_written_is_what_is_seen_of_the_whole() -> None:
    """The prompt in one call, by position, also where prompts differ in length; then a call for each step."""
    model, lengths = built(**SMALL), (9, 4, 6)
    with torch.no_grad(), record(model) as seen:
        model(TEXT[:, :13])
    whole = {layer: seen[layer].weights_BHQK for layer in seen}
    assert list(whole) == ["decoder.0.self", "decoder.1.self", "decoder.2.self"]
    with torch.no_grad(), record(model) as seen:
        state = model.start(TEXT[:, :9], torch.tensor(lengths))
        for t in range(3):
            model.step(torch.stack([TEXT[row, length + t] for row, length in enumerate(lengths)]), state)
    for layer, weights in whole.items():
        prompt, *steps = seen[layer].calls
        for row, length in enumerate(lengths):
            torch.testing.assert_close(prompt[row, :, :length, :length], weights[row, :, :length, :length])
            for t, step in enumerate(steps):
                place = length + t
                torch.testing.assert_close(step[row, :, 0, : place + 1], weights[row, :, place, : place + 1])
                assert not step[row, :, 0, place + 1 :].any()


def like_hugging_face(theirs: GPT2LMHeadModel, **options: Any) -> LanguageModel:
    ours, stack = built(**SMALL, **options), theirs.transformer
    assert isinstance(ours.decoder, TransformerStack)
    weights = {"embedding.tokens.weight": stack.wte.weight, "embedding.positions.table.weight": stack.wpe.weight}
    weights["output.weight"] = stack.wte.weight
    parts = {
        "self_residual.norm": "ln_1",
        "self_attention.in_": "attn.c_attn",
        "self_attention.out": "attn.c_proj",
        "ff_residual.norm": "ln_2",
        "feed_forward.inner": "mlp.c_fc",
        "feed_forward.outer": "mlp.c_proj",
    }
    for number, block in enumerate(stack.h):
        for our, their in parts.items():
            part = block.get_submodule(their)
            weight = part.weight if "ln" in their else part.weight.t()
            joint = "" if our.endswith("_") else "."
            weights[f"decoder.layers.{number}.{our}{joint}weight"] = weight
            weights[f"decoder.layers.{number}.{our}{joint}bias"] = part.bias
    weights.update({f"decoder.norm.{name}": tensor for name, tensor in stack.ln_f.state_dict().items()})
    ours.load_state_dict(weights)
    return ours


@pytest.mark.parity
def test_it_is_hugging_faces_gpt2() -> None:
    torch.manual_seed(2)
    config = GPT2Config(vocab_size=61, n_positions=48, n_embd=32, n_layer=3, n_head=4, eos_token_id=None)
    theirs = GPT2LMHeadModel(config).eval()
    for parameter in theirs.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    ours = like_hugging_face(theirs)
    with torch.no_grad():
        expected = theirs(TEXT).logits
        torch.testing.assert_close(ours.logits(ours(TEXT)), expected, atol=2e-4, rtol=1e-4)
        state = ours.start(TEXT[:, :11])
        for t in range(11, 20):
            torch.testing.assert_close(ours.step(TEXT[:, t], state), expected[:, t], atol=2e-4, rtol=1e-4)
