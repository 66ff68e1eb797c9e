"""Our Transformer is Hugging Face's Marian when it has Marian's weights."""

import pytest
import torch
from torch import Tensor, nn
from transformers import MarianConfig, MarianMTModel

from saccade.attention import MultiHead, Positions
from saccade.layers.blocks import DecoderBlock, EncoderBlock
from saccade.models import Seq2Seq, Vocabulary, build_model

pytestmark = pytest.mark.parity

PAD, END, VOCABULARY = 99, 0, 100
SOURCE = torch.tensor([[5, 17, 42, 8, 23, 61, END], [7, 7, 30, END, PAD, PAD, PAD], [88, END, PAD, PAD, PAD, PAD, PAD]])


def marian() -> MarianMTModel:
    torch.manual_seed(4)
    model = MarianMTModel(
        MarianConfig(
            vocab_size=VOCABULARY,
            d_model=32,
            encoder_layers=2,
            decoder_layers=2,
            encoder_attention_heads=4,
            decoder_attention_heads=4,
            encoder_ffn_dim=64,
            decoder_ffn_dim=64,
            activation_function="swish",
            static_position_embeddings=True,
            scale_embedding=True,
            normalize_before=False,
            dropout=0.0,
            attention_dropout=0.0,
            activation_dropout=0.0,
            max_position_embeddings=64,
            pad_token_id=PAD,
            eos_token_id=END,
            bos_token_id=None,
            decoder_start_token_id=PAD,
            forced_eos_token_id=None,
        )
    ).eval()
    # As it comes, all weights are tiny and every sentence is translated alike, one word again and again.
    spread = {"q_proj.weight": 0.4, "k_proj.weight": 0.4, "fc": 1.0, "shared": 0.2, "": 0.1}
    for name, parameter in model.named_parameters():
        if "embed_positions" not in name:
            std = next(std for part, std in spread.items() if part in name)
            nn.init.normal_(parameter, mean=float("norm.weight" in name), std=std)
    return model


def copy_linear(theirs: nn.Linear, ours: nn.Linear) -> None:
    ours.load_state_dict(theirs.state_dict())


def copy_attention(theirs: nn.Module, ours: MultiHead) -> None:
    parts = (theirs.q_proj, theirs.k_proj, theirs.v_proj)
    ours.in_weight.copy_(torch.cat([part.weight for part in parts]))
    ours.in_bias.copy_(torch.cat([part.bias for part in parts]))
    copy_linear(theirs.out_proj, ours.out)


def copy_block(theirs: nn.Module, ours: EncoderBlock | DecoderBlock) -> None:
    copy_attention(theirs.self_attn, ours.self_attention)
    ours.self_residual.norm.load_state_dict(theirs.self_attn_layer_norm.state_dict())
    if isinstance(ours, DecoderBlock):
        copy_attention(theirs.encoder_attn, ours.cross_attention)
        ours.cross_residual.norm.load_state_dict(theirs.encoder_attn_layer_norm.state_dict())
    copy_linear(theirs.fc1, ours.feed_forward.inner)
    copy_linear(theirs.fc2, ours.feed_forward.outer)
    ours.ff_residual.norm.load_state_dict(theirs.final_layer_norm.state_dict())


def copy_positions(theirs: nn.Embedding, ours: Positions) -> None:
    assert ours.table is not None
    ours.table.weight.copy_(theirs.weight)


@torch.no_grad()
def our_own(theirs: MarianMTModel) -> Seq2Seq:
    ours = build_model(
        "transformer-base",
        {
            "dim": 32,
            "heads": 4,
            "encoder_layers": 2,
            "decoder_layers": 2,
            "ff_dim": 64,
            "norm": "post",
            "activation": "swish",
            "positions": "learned",
            "max_length": 64,
            "embeddings": "shared",
        },
        Vocabulary(source=VOCABULARY, target=VOCABULARY, shared=True, pad_id=PAD),
    )
    assert isinstance(ours, Seq2Seq)
    assert theirs.final_logits_bias.abs().sum() == 0
    ours.output.weight.copy_(theirs.lm_head.weight)
    for their_side, our_embedding, our_side in (
        (theirs.model.encoder, ours.source_embedding, ours.encoder),
        (theirs.model.decoder, ours.target_embedding, ours.decoder),
    ):
        copy_positions(their_side.embed_positions, our_embedding.positions)
        for their_layer, our_layer in zip(their_side.layers, our_side.layers, strict=True):
            copy_block(their_layer, our_layer)
    return ours.eval()


def greedy(model: Seq2Seq, source: Tensor, steps: int) -> list[list[int]]:
    """The best token at every step, from the padding token that Marian starts with to the end token."""
    state, tokens = model.start(source), torch.full((len(source),), PAD)
    written = []
    for _ in range(steps):
        tokens = model.step(tokens, state).argmax(-1)
        written.append(tokens)
    return [row[: row.index(END)] if END in row else row for row in torch.stack(written, 1).tolist()]


def test_the_logits_are_marians() -> None:
    theirs = marian()
    ours = our_own(theirs)
    target = torch.tensor([[PAD, 4, 9, 55], [PAD, 31, 2, 90], [PAD, 60, 61, 62]])
    with torch.no_grad():
        expected = theirs(input_ids=SOURCE, attention_mask=(SOURCE != PAD).long(), decoder_input_ids=target).logits
        found = ours.logits(ours(SOURCE, target))
    assert expected.std() > 0.5
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)


def test_greedy_decoding_writes_what_marian_writes() -> None:
    theirs = marian()
    ours = our_own(theirs)
    with torch.no_grad():
        generated = theirs.generate(
            input_ids=SOURCE,
            attention_mask=(SOURCE != PAD).long(),
            num_beams=1,
            do_sample=False,
            max_new_tokens=20,
        )
        found = greedy(ours, SOURCE, 20)
    expected = [row[1:] for row in generated.tolist()]
    expected = [row[: row.index(END)] if END in row else row for row in expected]
    assert found == expected
    assert len({tuple(row) for row in found}) == 3, "the sentences are translated alike: the test would see little"
    assert all(len(set(row)) > 3 for row in found)
