"""Decoding speed: sentences per second, greedy and beam 5, with identical weights in every engine.

The model is transformer-small with post-norm and random weights, which Hugging Face's Marian can hold too. Random
weights hardly ever end a sentence, so every engine writes ``--length`` tokens for each. Sources have 8 to 24 tokens.
"""

import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from measuring import in_turn, keep, load_first, medians, options, table

CONTENDERS = ["saccade", "hugging face generate", "ctranslate2 float32", "ctranslate2 int8"]
FIRST = dict(zip(CONTENDERS, ("saccade", "torch", "ctranslate2", "ctranslate2"), strict=True))
VOCABULARY, POSITIONS = 8_000, 64
SHAPE = {"norm": "post", "positions": "learned", "max_length": POSITIONS, "dropout": 0.0}
SETTINGS = {
    "greedy, batch 1": (1, 1),
    "greedy, batch 64": (1, 64),
    "beam 5, batch 1": (5, 1),
    "beam 5, batch 64": (5, 64),
}

Decode = Callable[[list[list[int]], int], None]


def our_model() -> Any:
    import torch

    from saccade.models import Vocabulary, build_model

    torch.manual_seed(1)
    return build_model("transformer-small", SHAPE, Vocabulary(VOCABULARY, VOCABULARY, True)).eval()


def saccade(model: Any, length: int, threads: int) -> Decode:  # noqa: ARG001
    import torch

    from saccade.data.batches import pad
    from saccade.decoding import BeamSettings, ModelSteps, beam_search

    def decode(sources: list[list[int]], beam: int) -> None:
        with torch.no_grad():
            steps = ModelSteps(model, pad(sources, 0, suffix=[2]))
            limits = [length] * len(sources)
            beam_search(steps, limits, BeamSettings(beam), bos_id=1, eos_id=2, device=torch.device("cpu"))

    return decode


def hugging_face(model: Any, length: int, threads: int) -> Decode:  # noqa: ARG001
    import torch

    from saccade.data.batches import pad

    peer = marian(model)

    def decode(sources: list[list[int]], beam: int) -> None:
        ids = pad(sources, 0, suffix=[2])
        with torch.no_grad():
            peer.generate(
                input_ids=ids,
                attention_mask=(ids != 0).long(),
                num_beams=beam,
                max_new_tokens=length,
                do_sample=False,
                early_stopping=True,
            )

    return decode


def ctranslate2(model: Any, length: int, threads: int, precision: str) -> Decode:
    import ctranslate2 as library

    from saccade.data.tokenizers import train_tokenizer
    from saccade.interop.ctranslate2 import export_ctranslate2

    words = (f"w{number}" for number in range(VOCABULARY))
    tokenizer = train_tokenizer(words, kind="words", size=VOCABULARY)
    with TemporaryDirectory() as place:
        export_ctranslate2(model, tokenizer, tokenizer, Path(place), precision=precision)
        engine = library.Translator(place, compute_type=precision, intra_threads=threads, inter_threads=1)

    def decode(sources: list[list[int]], beam: int) -> None:
        tokens = [[str(number) for number in ids] for ids in sources]
        engine.translate_batch(tokens, beam_size=beam, max_decoding_length=length)

    return decode


def marian(ours: Any) -> Any:
    """Hugging Face's Marian with our weights."""
    import torch
    from transformers import MarianConfig, MarianMTModel

    first = ours.encoder.layers[0]
    theirs = MarianMTModel(
        MarianConfig(
            vocab_size=VOCABULARY,
            d_model=first.self_attention.dim,
            encoder_layers=len(ours.encoder.layers),
            decoder_layers=len(ours.decoder.layers),
            encoder_attention_heads=first.self_attention.heads,
            decoder_attention_heads=first.self_attention.heads,
            encoder_ffn_dim=first.feed_forward.inner.out_features,
            decoder_ffn_dim=first.feed_forward.inner.out_features,
            activation_function="relu",
            scale_embedding=True,
            max_position_embeddings=POSITIONS,
            pad_token_id=0,
            eos_token_id=2,
            forced_eos_token_id=None,
            decoder_start_token_id=1,
        )
    ).eval()
    with torch.no_grad():
        theirs.model.shared.weight.copy_(ours.output.weight)
        for side, embedding, blocks in (
            (theirs.model.encoder, ours.source_embedding, ours.encoder.layers),
            (theirs.model.decoder, ours.target_embedding, ours.decoder.layers),
        ):
            side.embed_positions.weight.copy_(embedding.positions.table.weight)
            for layer, block in zip(side.layers, blocks, strict=True):
                pairs = [(layer.self_attn, block.self_attention)]
                norms = [
                    (layer.self_attn_layer_norm, block.self_residual.norm),
                    (layer.final_layer_norm, block.ff_residual.norm),
                ]
                if hasattr(block, "cross_attention"):
                    pairs.append((layer.encoder_attn, block.cross_attention))
                    norms.append((layer.encoder_attn_layer_norm, block.cross_residual.norm))
                for their, our in pairs:
                    for part, weight, bias in zip(
                        (their.q_proj, their.k_proj, their.v_proj),
                        our.in_weight.chunk(3),
                        our.in_bias.chunk(3),
                        strict=True,
                    ):
                        part.weight.copy_(weight)
                        part.bias.copy_(bias)
                    their.out_proj.load_state_dict(our.out.state_dict())
                for their_norm, our_norm in norms:
                    their_norm.load_state_dict(our_norm.state_dict())
                layer.fc1.load_state_dict(block.feed_forward.inner.state_dict())
                layer.fc2.load_state_dict(block.feed_forward.outer.state_dict())
    return theirs


def measure(name: str, length: int, threads: int) -> dict[str, Any]:
    load_first(FIRST[name])
    import torch

    from saccade.machine import keep_memory

    torch.set_num_threads(threads)
    model = our_model()
    if name == "saccade":
        keep_memory()
        decode = saccade(model, length, threads)
    elif name == "hugging face generate":
        decode = hugging_face(model, length, threads)
    else:
        decode = ctranslate2(model, length, threads, name.split()[-1])
    dice = random.Random(2)
    sources = [[dice.randrange(4, VOCABULARY) for _ in range(dice.randint(8, 24))] for _ in range(64)]
    sources.sort(key=len)
    found = {}
    for title, (beam, batch) in SETTINGS.items():
        batches = [sources] * 3 if batch == 64 else [[source] for source in sources[::4]]
        decode(batches[0], beam)
        began = time.perf_counter()
        for one in batches:
            decode(one, beam)
        found[title] = sum(map(len, batches)) / (time.perf_counter() - began)
    return found


def main() -> None:
    parser = options(__doc__ or "")
    parser.add_argument("--length", type=int, default=16)
    asked = parser.parse_args()
    if asked.only:
        print(json.dumps(measure(asked.only, asked.length, asked.threads)))
        return
    passed = [f"--length={asked.length}", f"--threads={asked.threads}"]
    found = in_turn(__file__, CONTENDERS, passed, rounds=asked.rounds)
    result = {title: medians(found, title) for title in SETTINGS}
    for title, values in result.items():
        print(table(title, "sentences/s", values, own="saccade"))
    keep(asked.json, {"benchmark": "decoding", "length": asked.length, "sentences_per_second": result})


if __name__ == "__main__":
    main()
