"""Training speed: real (non-padding) target tokens per second, the same model on the same batches of Multi30k.

Saccade is measured as its users run it, `saccade train`; the others by a plain loop with AdamW, gradient clipping and
label smoothing, on exactly the batches that Saccade makes (4,096 tokens, under 5 % padding). JoeyNMT makes its own.
With --data the pairs are Multi30k's English and German, without it those of scenes.
"""

import json
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import material
from measuring import Contender, in_turn, keep, load_first, medians, options, table

BOS, EOS = 1, 2
SHAPES = {
    "tiny": {"dim": 128, "heads": 4, "layers": 4, "ff_dim": 256},
    "small": {"dim": 256, "heads": 4, "layers": 3, "ff_dim": 1024},
    "base": {"dim": 512, "heads": 8, "layers": 6, "ff_dim": 2048},
}
WARM_UP = 3
DROPOUT = 0.1
PEAK_SIZE = 2048


def saccade(preset: str, sizes: list[str], place: Path, data: Path | None, steps: int) -> float:
    """The speed that the training's own log reports after its first steps."""
    run = place / f"run-{time.time_ns()}"
    done = subprocess.run(
        [
            *(sys.executable, "-m", "saccade", "train", preset, "--run", str(run)),
            *material.overrides(data),
            *sizes,
            *(f"train.batch_tokens={material.BATCH_TOKENS}", "train.log_every=1"),
            *(f"train.budget={WARM_UP + steps} steps", "train.metric=loss", "train.valid_sentences=1"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    rows = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    measured = [row for row in rows if row["kind"] == "train"]
    tokens = measured[-1]["tokens"] - measured[WARM_UP - 1]["tokens"]
    return float(tokens / sum(_seconds(measured)[WARM_UP:]))


def model_options(sizes: dict[str, int]) -> list[str]:
    layers = {f"{side}_layers": sizes["layers"] for side in ("encoder", "decoder")}
    numbers = {**layers, **{name: sizes[name] for name in ("dim", "heads", "ff_dim")}, "dropout": DROPOUT}
    return [f"model.{name}={number}" for name, number in numbers.items()]


def _seconds(rows: list[dict[str, Any]]) -> list[float]:
    """Of each step, from its tokens and its speed: what lies between steps, such as saving, is not counted."""
    before = [0, *(row["tokens"] for row in rows)]
    return [(row["tokens"] - tokens) / row["tokens_per_second"] for row, tokens in zip(rows, before, strict=False)]


def hugging_face_marian(shape: dict[str, int]) -> Callable[[Any, Any, Any], Any]:
    from transformers import MarianConfig, MarianMTModel

    model = MarianMTModel(
        MarianConfig(
            vocab_size=shape["vocab_size"],
            d_model=shape["dim"],
            encoder_layers=shape["layers"],
            decoder_layers=shape["layers"],
            encoder_attention_heads=shape["heads"],
            decoder_attention_heads=shape["heads"],
            encoder_ffn_dim=shape["ff_dim"],
            decoder_ffn_dim=shape["ff_dim"],
            activation_function="relu",
            dropout=DROPOUT,
            pad_token_id=0,
            eos_token_id=EOS,
            decoder_start_token_id=BOS,
        )
    ).train()

    def logits(source: Any, read: Any) -> Any:
        return model(input_ids=source, attention_mask=(source != 0).long(), decoder_input_ids=read).logits

    return step_of(list(model.parameters()), logits)


def torch_transformer(shape: dict[str, int]) -> Callable[[Any, Any, Any], Any]:
    from torch import nn

    embedding = nn.Embedding(shape["vocab_size"], shape["dim"])
    transformer = nn.Transformer(
        shape["dim"], shape["heads"], shape["layers"], shape["layers"], shape["ff_dim"], DROPOUT, batch_first=True
    ).train()

    def logits(source: Any, read: Any) -> Any:
        states = transformer(
            embedding(source),
            embedding(read),
            tgt_mask=nn.Transformer.generate_square_subsequent_mask(read.shape[1]),
            src_key_padding_mask=(source == 0).float().masked_fill(source == 0, float("-inf")),
            memory_key_padding_mask=(source == 0).float().masked_fill(source == 0, float("-inf")),
            tgt_is_causal=True,
        )
        return states @ embedding.weight.t()

    return step_of([*embedding.parameters(), *transformer.parameters()], logits)


def step_of(parameters: list[Any], logits: Callable[[Any, Any], Any]) -> Callable[[Any, Any, Any], Any]:
    import torch

    optimizer = torch.optim.AdamW(parameters, lr=1e-4)

    def step(source: Any, read: Any, written: Any) -> None:
        loss = torch.nn.functional.cross_entropy(
            logits(source, read).flatten(0, 1), written.flatten(), ignore_index=0, label_smoothing=0.1
        )
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    return step


def plain_loop(step: Callable[[Any, Any, Any], Any], place: Path, steps: int) -> float:
    seconds, tokens = 0.0, 0
    for number, batch in enumerate(material.batches(place)[: WARM_UP + steps]):
        source = material.padded(batch["source"], after=EOS)
        read, written = material.padded(batch["target"], before=BOS), material.padded(batch["target"], after=EOS)
        began = time.perf_counter()
        step(source, read, written)
        if number >= WARM_UP:
            seconds += time.perf_counter() - began
            tokens += int((written != 0).sum())
    return tokens / seconds


def joeynmt(shape: dict[str, int], place: Path, steps: int) -> float:
    """Trains on the same tokens, written as words; the speed is that of its own log."""
    home = place / "joeynmt"
    home.mkdir(exist_ok=True)
    for batch_range, name in (((0, None), "train"), ((0, 1), "dev")):
        for side, ending in (("source", "en"), ("target", "de")):
            rows = [row for batch in material.batches(place)[slice(*batch_range)] for row in batch[side]]
            (home / f"{name}.{ending}").write_text("".join(" ".join(map(str, row)) + "\n" for row in rows))
    words = ["<unk>", "<pad>", "<s>", "</s>", *map(str, range(4, shape["vocab_size"]))]
    (home / "vocabulary.txt").write_text("\n".join(words) + "\n")
    reading: dict[str, Any] = {"level": "word", "max_length": 250, "voc_file": str(home / "vocabulary.txt")}
    stack = {
        "type": "transformer",
        "num_layers": shape["layers"],
        "num_heads": shape["heads"],
        "embeddings": {"embedding_dim": shape["dim"], "scale": True},
        "hidden_size": shape["dim"],
        "ff_size": shape["ff_dim"],
        "dropout": DROPOUT,
    }
    config = {
        "name": "benchmark",
        "model_dir": str(home / f"model-{time.time_ns()}"),
        "use_cuda": False,
        "data": {
            "train": str(home / "train"),
            "dev": str(home / "dev"),
            "dataset_type": "plain",
            "src": {"lang": "en", **reading},
            "trg": {"lang": "de", **reading},
        },
        "testing": {"beam_size": 1, "eval_metrics": []},
        "training": {
            "optimizer": "adamw",
            "learning_rate": 1e-4,
            "scheduling": "noam",
            "learning_rate_warmup": 4000,
            "learning_rate_min": 0.0,
            "label_smoothing": 0.1,
            "loss": "crossentropy",
            "normalization": "tokens",
            "clip_grad_norm": 1.0,
            "batch_size": material.BATCH_TOKENS,
            "batch_type": "token",
            "logging_freq": 1,
            "validation_freq": 10_000,
            "epochs": 100,
            "updates": WARM_UP + steps,
        },
        "model": {
            "initializer": "xavier_uniform",
            "tied_embeddings": True,
            "tied_softmax": True,
            "encoder": stack,
            "decoder": stack,
        },
    }
    (home / "config.yaml").write_text(json.dumps(config))
    done = subprocess.run(
        [sys.executable, "-m", "joeynmt", "train", str(home / "config.yaml"), "--skip-test"],
        capture_output=True,
        text=True,
        check=False,
    )
    speeds = [float(found) for found in re.findall(r"Tokens per Sec: +(\d+)", done.stdout + done.stderr)]
    if len(speeds) < WARM_UP + 1:
        raise SystemExit(done.stdout[-2000:] + done.stderr[-4000:])
    return statistics.median(speeds[WARM_UP:])


def peak(threads: int) -> float:
    """FLOP/s of a large matrix product, the best of several."""
    import torch

    torch.set_num_threads(threads)
    one, other = torch.randn(PEAK_SIZE, PEAK_SIZE), torch.randn(PEAK_SIZE, PEAK_SIZE)
    seconds = []
    for _ in range(12):
        began = time.perf_counter()
        one @ other
        seconds.append(time.perf_counter() - began)
    return 2 * PEAK_SIZE**3 / min(seconds)


def flops_per_token(shape: dict[str, int], source_share: float) -> float:
    """Of forward and backward, per target token: 6 for each weight that multiplies it, attention itself left out."""
    square, ff = shape["dim"] ** 2, 2 * shape["dim"] * shape["ff_dim"]
    encoder = shape["layers"] * (4 * square + ff) * source_share
    decoder = shape["layers"] * (6 * square + ff + 2 * square * source_share)
    return 6 * (encoder + decoder + shape["dim"] * shape["vocab_size"])


def measure(name: str, shape: str, place: Path, data: Path | None, steps: int, threads: int) -> dict[str, Any]:
    sizes = {**SHAPES[shape], "vocab_size": material.vocabulary(place)}
    if name == "saccade":
        before = peak(threads)
        speed = saccade(f"transformer-{shape}", model_options(sizes), place, data, steps)
        batches = material.batches(place)
        source, target = (sum(len(row) + 1 for one in batches for row in one[side]) for side in ("source", "target"))
        reached = speed * flops_per_token(sizes, source / target)
        return {"tokens_per_second": speed, "share_of_peak": reached / max(before, peak(threads))}
    if name == "joeynmt":
        return {"tokens_per_second": joeynmt(sizes, place, steps)}
    load_first("torch")
    import torch

    torch.set_num_threads(threads)
    torch.manual_seed(1)
    build = hugging_face_marian if name == "hugging face marian" else torch_transformer
    return {"tokens_per_second": plain_loop(build(sizes), place, steps)}


def main() -> None:
    parser = options(__doc__ or "")
    parser.add_argument("--shape", choices=SHAPES, default="small")
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--alone", action="store_true", help="Saccade without its peers, for its share of the peak")
    asked = parser.parse_args()
    if asked.only:
        found = measure(asked.only, asked.shape, asked.place, asked.data, asked.steps, asked.threads)
        print(json.dumps(found))
        return
    contenders = [Contender("saccade")]
    if not asked.alone:
        contenders += [
            Contender("hugging face marian", asked.peers),
            Contender("torch.nn.Transformer", asked.peers),
            *([Contender("joeynmt", asked.joeynmt)] if asked.joeynmt else []),
        ]
    with TemporaryDirectory(prefix="saccade-bench-") as place:
        material.prepare(Path(place), asked.data)
        passed = [f"--{name}={getattr(asked, name)}" for name in ("shape", "steps", "threads")]
        passed += [f"--place={place}", *([f"--data={asked.data}"] if asked.data else [])]
        found = in_turn(__file__, contenders, passed, rounds=asked.rounds)
    speeds = medians(found, "tokens_per_second")
    share = statistics.median(one["share_of_peak"] for one in found["saccade"])
    print(table(f"training, transformer-{asked.shape}", "real target tokens/s", speeds, own="saccade"))
    print(f"  saccade reaches {share:.0%} of the machine's matrix-multiply peak")
    keep(
        asked.json,
        {
            "benchmark": "training",
            "shape": asked.shape,
            "data": "multi30k" if asked.data else "scenes",
            "tokens_per_second": speeds,
            "share_of_peak": share,
        },
    )


if __name__ == "__main__":
    main()
