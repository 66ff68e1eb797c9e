"""Decoding speed: sentences per second with identical weights in every engine.

First fixed work: transformer-small with random weights, which hardly ever end a sentence, so that every engine writes
16 tokens for each of 64 sources of 8 to 24 tokens. Then a whole test file, text to text, with a transformer-small that
was trained for a minute: that of Multi30k with --data, of scenes without. Hugging Face gets batches of 64 texts of
like length, and only every fourth of them, since it would take minutes for all. The model has post-norm and learned
positions, so that Hugging Face's Marian can hold it too.
"""

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import material
from measuring import Contender, in_turn, keep, load_first, medians, options, table

ENGINES = ["saccade", "hugging face generate", "ctranslate2 float32", "ctranslate2 int8"]
LENGTH, POSITIONS, BATCH = 16, 128, 64
LONGEST = 60  # tokens of a translation, the same for all: engines have different ideas of when to give up
SHAPE = {"norm": "post", "positions": "learned", "max_length": POSITIONS}
FIXED = {
    "greedy, batch 1": (1, 1),
    "greedy, batch 64": (1, 64),
    "beam 5, batch 1": (5, 1),
    "beam 5, batch 64": (5, 64),
}
FILE = {"greedy, whole file": 1, "beam 5, whole file": 5}


@dataclass(frozen=True)
class Engine:
    """``batch`` writes exactly 16 tokens for each source of one batch; ``file`` translates texts."""

    batch: Callable[[list[list[int]], int], None]
    file: Callable[[list[str], int], list[str]]


def random_model() -> Any:
    import torch

    from saccade.layers import by_column
    from saccade.models import Vocabulary, build_model

    torch.manual_seed(1)
    vocabulary = Vocabulary(material.VOCABULARY, material.VOCABULARY, True)
    model = build_model("transformer-small", {**SHAPE, "dropout": 0.0}, vocabulary).eval()
    by_column(model)  # as every run is that is opened
    return model


def saccade(run: Any) -> Engine:
    from saccade.tasks.translator import DecodeSettings, Member, Tokenizers, Translator

    words = words_tokenizer()
    translator = Translator([Member(random_model(), Tokenizers(words, words))])

    def batch(sources: list[list[int]], beam: int) -> None:
        texts = [" ".join(f"w{number}" for number in ids) for ids in sources]
        translator.translate(texts, DecodeSettings(beam=beam, max_length=LENGTH))

    return Engine(batch, lambda texts, beam: written(run, texts, beam))


def words_tokenizer() -> Any:
    """For the model with random weights: w0, w1 and so on are its words."""
    from saccade.data.tokenizers import train_tokenizer

    words = (f"w{number}" for number in range(material.VOCABULARY))
    return train_tokenizer(words, kind="words", size=material.VOCABULARY)


def written(run: Any, texts: list[str], beam: int) -> list[str]:
    return [one.text for one in run.translate(texts, beam=beam, max_length=LONGEST)]


def hugging_face(run: Any) -> Engine:
    import torch

    from saccade.data.batches import pad

    fixed, trained = marian(random_model()), marian(run.model)

    def generate(model: Any, sources: list[list[int]], beam: int, length: int) -> Any:
        ids = pad(sources, 0, suffix=[2])
        with torch.no_grad():
            return model.generate(
                input_ids=ids,
                attention_mask=(ids != 0).long(),
                num_beams=beam,
                max_new_tokens=length,
                do_sample=False,
                early_stopping=True,
            )

    def file(texts: list[str], beam: int) -> list[str]:
        encoded = run.tokenizers.source.encode_batch(texts)
        order = sorted(range(len(texts)), key=lambda i: -len(encoded[i]))
        found = [""] * len(texts)
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            texts_of = generate(trained, [encoded[i] for i in rows], beam, LONGEST).tolist()
            for row, ids in zip(rows, texts_of, strict=True):
                found[row] = run.tokenizers.target.decode([token for token in ids if token > 2])
        return found

    return Engine(lambda sources, beam: generate(fixed, sources, beam, LENGTH), file)


def ctranslate2(run: Any, precision: Literal["float32", "int8"], threads: int) -> Engine:
    import ctranslate2 as library

    from saccade.interop.ctranslate2 import export_ctranslate2
    from saccade.runs import EngineRun

    tokenizer = words_tokenizer()
    with TemporaryDirectory() as place:
        export_ctranslate2(random_model(), tokenizer, tokenizer, Path(place), precision=precision)
        engine = library.Translator(place, compute_type=precision, intra_threads=threads, inter_threads=1)
    trained = EngineRun(run, precision)

    def batch(sources: list[list[int]], beam: int) -> None:
        tokens = [[str(number) for number in ids] for ids in sources]
        engine.translate_batch(tokens, beam_size=beam, max_decoding_length=LENGTH)

    return Engine(batch, lambda texts, beam: written(trained, texts, beam))


def marian(ours: Any) -> Any:
    """Hugging Face's Marian with our weights."""
    import torch
    from transformers import MarianConfig, MarianMTModel

    first = ours.encoder.layers[0]
    theirs = MarianMTModel(
        MarianConfig(
            vocab_size=len(ours.output.weight),
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


def measure(name: str, place: Path, threads: int) -> dict[str, Any]:
    load_first({"saccade": "saccade", "hugging face generate": "torch"}.get(name, "ctranslate2"))
    import torch

    from saccade.runs import load_translator

    run = load_translator(place / "run")
    torch.set_num_threads(threads)
    if name == "saccade":
        engine = saccade(run)
    elif name == "hugging face generate":
        engine = hugging_face(run)
    else:
        engine = ctranslate2(run, "int8" if name.endswith("int8") else "float32", threads)
    dice = random.Random(2)
    sources = [[dice.randrange(4, material.VOCABULARY) for _ in range(dice.randint(8, 24))] for _ in range(BATCH)]
    sources.sort(key=len)
    found: dict[str, Any] = {}
    for title, (beam, size) in FIXED.items():
        batches = [sources] * 3 if size == BATCH else [[source] for source in sources[::4]]
        engine.batch(batches[0], beam)
        began = time.perf_counter()
        for one in batches:
            engine.batch(one, beam)
        found[title] = sum(map(len, batches)) / (time.perf_counter() - began)
    texts = json.loads((place / "texts.json").read_text())
    if name == "hugging face generate":
        texts = every_fourth_batch(texts, run.tokenizers.source.encode_batch(texts))
    for title, beam in FILE.items():
        engine.file(texts[:BATCH], beam)
        began = time.perf_counter()
        translations = engine.file(texts, beam)
        found[title] = len(texts) / (time.perf_counter() - began)
        found[f"{title}: texts"] = dict(zip(texts, translations, strict=True))
    return found


def every_fourth_batch(texts: list[str], encoded: list[list[int]]) -> list[str]:
    """Of the batches of like length, the longest first, the third, the seventh and so on."""
    order = sorted(range(len(texts)), key=lambda i: -len(encoded[i]))
    batches = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
    return [texts[i] for batch in batches[2::4] for i in batch]


def prepare(place: Path, data: Path | None, minutes: float) -> None:
    """Trains the model that translates the file, and writes the file."""
    subprocess.run(
        [
            *(sys.executable, "-m", "saccade", "train", "transformer-small", "--run", str(place / "run")),
            *material.overrides(data),
            *(f"model.{name}={value}" for name, value in SHAPE.items()),
            *("data.max_length=60", f"train.budget={minutes} minutes", "train.batch_tokens=1024", "train.warmup=50"),
            *("train.schedule=linear", "train.validate_every=100 epochs", "train.valid_sentences=1"),
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    from saccade.runs import load

    test = f"{data}/test_2016_flickr.{{en,de}}" if data is not None else "scenes:en-de?size=1000"
    run: Any = load(place / "run")
    texts = [pair.source for pair in run.pairs(test)]
    (place / "texts.json").write_text(json.dumps(texts))


def main() -> None:
    parser = options(__doc__ or "")
    parser.add_argument("--minutes", type=float, default=1, help="how long the model of the file is trained")
    asked = parser.parse_args()
    if asked.only:
        print(json.dumps(measure(asked.only, asked.place, asked.threads)))
        return
    with TemporaryDirectory(prefix="saccade-bench-") as place:
        prepare(Path(place), asked.data, asked.minutes)
        contenders = [Contender(name, sys.executable if name == "saccade" else asked.peers) for name in ENGINES]
        passed = [f"--threads={asked.threads}", f"--place={place}"]
        found = in_turn(__file__, contenders, passed, rounds=asked.rounds)
    result = {title: medians(found, title) for title in (*FIXED, *FILE)}
    for title, values in result.items():
        print(table(title, "sentences/s", values, own="saccade"))
    own = found["saccade"][0]
    equal = {
        name: {title: _equal(own[f"{title}: texts"], found[name][0][f"{title}: texts"]) for title in FILE}
        for name in ENGINES[1:]
    }
    print("texts of the whole file that equal ours:")
    for name, each in equal.items():
        print(f"  {name:<24} " + ", ".join(f"{title.split(',')[0]} {share:.1%}" for title, share in each.items()))
    keep(
        asked.json,
        {
            "benchmark": "decoding",
            "data": "multi30k" if asked.data else "scenes",
            "sentences_per_second": result,
            "equal_texts": equal,
        },
    )


def _equal(ours: dict[str, str], theirs: dict[str, str]) -> float:
    return sum(ours[text] == written for text, written in theirs.items()) / len(theirs)


if __name__ == "__main__":
    main()
