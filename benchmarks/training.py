"""Training speed: real target tokens per second of one training step, same shape, same batch, same optimiser settings.

The default is a small Transformer (3+3 layers, dim 256, ff 1,024, vocabulary 8,000) on 128 pairs of 16 tokens without
padding, so that every contender does exactly the same work.
"""

import json
import statistics
import time
from collections.abc import Callable
from typing import Any

from measuring import in_turn, keep, load_first, medians, options, table

CONTENDERS = ["saccade", "hugging face marian", "torch.nn.Transformer"]
SHAPES = {
    "tiny": {"dim": 128, "heads": 4, "layers": 4, "ff_dim": 256, "vocab": 10_000},
    "small": {"dim": 256, "heads": 4, "layers": 3, "ff_dim": 1024, "vocab": 8_000},
    "base": {"dim": 512, "heads": 8, "layers": 6, "ff_dim": 2048, "vocab": 8_000},
}
WARM_UP, STEPS = 4, 12
DROPOUT = 0.1


def saccade(shape: dict[str, int], source: Any, target: Any) -> Callable[[], None]:
    import torch

    from saccade.machine import keep_memory
    from saccade.models import Vocabulary, build_model

    keep_memory()
    options = {name: shape[name] for name in ("dim", "heads", "ff_dim")}
    layers = {"encoder_layers": shape["layers"], "decoder_layers": shape["layers"], "dropout": DROPOUT}
    model: Any = build_model(
        "transformer-small", {**options, **layers}, Vocabulary(shape["vocab"], shape["vocab"], True)
    )
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)

    def step() -> None:
        loss = model.loss(model(source, target).flatten(0, 1), target.flatten(), label_smoothing=0.1)
        (loss / target.numel()).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    return step


def hugging_face_marian(shape: dict[str, int], source: Any, target: Any) -> Callable[[], None]:
    import torch
    from transformers import MarianConfig, MarianMTModel

    model = MarianMTModel(
        MarianConfig(
            vocab_size=shape["vocab"],
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
            eos_token_id=2,
            decoder_start_token_id=1,
        )
    ).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)

    def step() -> None:
        logits = model(input_ids=source, decoder_input_ids=target).logits
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), target.flatten(), label_smoothing=0.1)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    return step


def torch_transformer(shape: dict[str, int], source: Any, target: Any) -> Callable[[], None]:
    import torch
    from torch import nn

    embedding = nn.Embedding(shape["vocab"], shape["dim"])
    transformer = nn.Transformer(
        shape["dim"], shape["heads"], shape["layers"], shape["layers"], shape["ff_dim"], DROPOUT, batch_first=True
    ).train()
    parameters = [*embedding.parameters(), *transformer.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=1e-4)
    mask = nn.Transformer.generate_square_subsequent_mask(target.shape[1])

    def step() -> None:
        states = transformer(embedding(source), embedding(target), tgt_mask=mask, tgt_is_causal=True)
        logits = states @ embedding.weight.t()
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), target.flatten(), label_smoothing=0.1)
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    return step


BUILDERS = dict(zip(CONTENDERS, (saccade, hugging_face_marian, torch_transformer), strict=True))


def measure(name: str, shape: dict[str, int], rows: int, length: int, threads: int) -> dict[str, Any]:
    load_first("saccade" if name == "saccade" else "torch")
    import torch

    torch.set_num_threads(threads)
    torch.manual_seed(1)
    source = torch.randint(4, shape["vocab"], (rows, length))
    target = torch.randint(4, shape["vocab"], (rows, length))
    step = BUILDERS[name](shape, source, target)
    for _ in range(WARM_UP):
        step()
    seconds = []
    for _ in range(STEPS):
        began = time.perf_counter()
        step()
        seconds.append(time.perf_counter() - began)
    return {"tokens_per_second": rows * length / statistics.median(seconds)}


def main() -> None:
    parser = options(__doc__ or "")
    parser.add_argument("--shape", choices=SHAPES, default="small")
    parser.add_argument("--rows", type=int, default=128)
    parser.add_argument("--length", type=int, default=16)
    asked = parser.parse_args()
    if asked.only:
        print(json.dumps(measure(asked.only, SHAPES[asked.shape], asked.rows, asked.length, asked.threads)))
        return
    passed = [f"--{name}={getattr(asked, name)}" for name in ("shape", "rows", "length", "threads")]
    found = medians(in_turn(__file__, CONTENDERS, passed, rounds=asked.rounds), "tokens_per_second")
    print(
        table(f"training step, {asked.shape}, {asked.rows} × {asked.length}", "target tokens/s", found, own="saccade")
    )
    keep(asked.json, {"benchmark": "training", "shape": SHAPES[asked.shape], "tokens_per_second": found})


if __name__ == "__main__":
    main()
