"""Training a small GPT on Tiny Shakespeare: ``saccade train`` against a plain loop in nanoGPT's setting for a CPU.

4 layers, 4 heads, dim 128, no bias, no dropout, rows of 64 characters, 12 rows a batch, weight decay 0.1. The plain
loop draws its rows by chance and learns with AdamW, betas 0.9 and 0.99, warmup of 100 steps to 1e-3, a cosine down to
1e-4 over 2,000 steps; ours learns as the recipe gpt-shakespeare says, with Muon. Both learn from the first nine tenths
of the text and are measured on all of the rest in the same way: the mean loss of a character in rows of 64, each read
for itself. Time counts from the first step, validations included.

Reported: the seconds until a validation loss of 1.886, and the best loss within the whole time of the plain loop.
"""

import argparse
import json
import math
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from measuring import Contender, in_turn, keep, load_first, options

CONTEXT, ROWS = 64, 12
LAYERS, HEADS, DIM = 4, 4, 128
LR, LEAST_LR, WARMUP = 1e-3, 1e-4, 100
GOAL = 1.886
TOGETHER = 128  # rows of a validation batch


def block_loss(states: Callable[[Any], Any], loss: Callable[[Any, Any], Any], ids: Any) -> float:
    """The mean loss of a token in rows of 64 of ``ids``; what does not fill a row is left out."""
    import torch

    whole = (len(ids) - 1) // CONTEXT * CONTEXT
    read, written = (ids[at : at + whole].view(-1, CONTEXT) for at in (0, 1))
    total = 0.0
    with torch.no_grad():
        for start in range(0, len(read), TOGETHER):
            rows = slice(start, start + TOGETHER)
            total += float(loss(states(read[rows]), written[rows]))
    return total / whole


class Plain:
    """The same model in torch's own words, learning in a plain loop."""

    def __init__(self, vocabulary: int) -> None:
        import torch
        from torch import nn

        def matrix(rows: int, columns: int, std: float = 0.02) -> Any:
            return nn.Parameter(std * torch.randn(rows, columns))

        smaller = 0.02 / math.sqrt(2 * LAYERS)
        self.tokens, self.places = matrix(vocabulary, DIM), matrix(CONTEXT, DIM)
        self.blocks = [
            {
                "attention norm": nn.Parameter(torch.ones(DIM)),
                "query key value": matrix(3 * DIM, DIM),
                "attention out": matrix(DIM, DIM, smaller),
                "inner norm": nn.Parameter(torch.ones(DIM)),
                "inner": matrix(4 * DIM, DIM),
                "outer": matrix(DIM, 4 * DIM, smaller),
            }
            for _ in range(LAYERS)
        ]
        self.norm = nn.Parameter(torch.ones(DIM))

    def parameters(self) -> list[Any]:
        return [self.tokens, self.places, self.norm, *(one for block in self.blocks for one in block.values())]

    def states(self, read: Any) -> Any:
        from torch.nn import functional as f

        x = f.embedding(read, self.tokens) + self.places[: read.shape[1]]
        for block in self.blocks:
            normed = f.layer_norm(x, (DIM,), block["attention norm"])
            parts = f.linear(normed, block["query key value"]).split(DIM, dim=-1)
            query, key, value = (part.unflatten(-1, (HEADS, DIM // HEADS)).transpose(1, 2) for part in parts)
            seen = f.scaled_dot_product_attention(query, key, value, is_causal=True)
            x = x + f.linear(seen.transpose(1, 2).flatten(2), block["attention out"])
            hidden = f.gelu(f.linear(f.layer_norm(x, (DIM,), block["inner norm"]), block["inner"]))
            x = x + f.linear(hidden, block["outer"])
        return f.layer_norm(x, (DIM,), self.norm)

    def loss(self, states: Any, written: Any, reduction: str = "sum") -> Any:
        from torch.nn import functional as f

        logits = f.linear(states, self.tokens)
        return f.cross_entropy(logits.flatten(0, 1), written.flatten(), reduction=reduction)


def plain_loop(asked: argparse.Namespace) -> list[dict[str, float]]:
    load_first("torch")
    import torch

    text = asked.text.read_text(encoding="utf-8")
    characters = {one: number for number, one in enumerate(sorted(set(text)))}
    ids = torch.tensor([characters[one] for one in text])
    train, valid = ids[: _cut(len(ids))], ids[_cut(len(ids)) :]
    torch.manual_seed(1)
    model = Plain(len(characters))
    groups = [
        {"params": [one for one in model.parameters() if one.ndim == 2], "weight_decay": 0.1},
        {"params": [one for one in model.parameters() if one.ndim == 1], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, lr=LR, betas=(0.9, 0.99), fused=True)
    curve, began = [], time.perf_counter()
    for step in range(asked.steps + 1):
        if step and step % asked.every == 0:
            loss = block_loss(model.states, model.loss, valid)
            curve.append({"step": step, "loss": loss, "seconds": time.perf_counter() - began})
        for group in optimizer.param_groups:
            group["lr"] = _rate(step, asked.steps)
        starts = torch.randint(len(train) - CONTEXT, (ROWS,))
        read, written = (torch.stack([train[at + more : at + more + CONTEXT] for at in starts]) for more in (0, 1))
        model.loss(model.states(read), written, reduction="mean").backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    return curve


def _rate(step: int, steps: int) -> float:
    if step < WARMUP:
        return LR * (step + 1) / (WARMUP + 1)
    done = min(1.0, (step - WARMUP) / max(1, steps - WARMUP))
    return LEAST_LR + (LR - LEAST_LR) * (1 + math.cos(math.pi * done)) / 2


def saccade(asked: argparse.Namespace) -> list[dict[str, float]]:
    """``saccade train``, but for the validation, which is that of the plain loop."""
    load_first("saccade")
    import torch

    from saccade.cli import train
    from saccade.tasks.base import Validation
    from saccade.tasks.language import LanguageTask

    def validate(self: Any, model: Any) -> Validation:
        text = "".join(document.text for document in self.corpus.valid)
        ids = torch.tensor(self.corpus.tokenizer.encode_batch([text])[0])

        def loss(states: Any, written: Any) -> Any:
            return model.loss(states.flatten(0, 1), written.flatten())

        return Validation(loss=block_loss(model, loss, ids), scores={}, samples=())

    LanguageTask.validate = validate  # type: ignore[method-assign]
    text = asked.text.read_text(encoding="utf-8")
    with TemporaryDirectory(prefix="saccade-bench-") as place:
        for name, part in (("train", text[: _cut(len(text))]), ("valid", text[_cut(len(text)) :])):
            (Path(place) / f"{name}.txt").write_text(part, encoding="utf-8")
        budget = f"{asked.seconds / 60} minutes" if asked.seconds else f"{asked.steps} steps"
        train(
            "gpt-shakespeare",
            [
                *(f"data.{name}={place}/{name}.txt" for name in ("train", "valid")),
                *("data.documents=file", f"train.budget={budget}", f"train.validate_every={asked.every} steps"),
                f"train.threads={asked.threads}",
                *asked.set,
            ],
            run=Path(place) / "run",
        )
        rows = map(json.loads, (Path(place) / "run" / "metrics.jsonl").read_text().splitlines())
        return [{key: row[key] for key in ("step", "loss", "seconds")} for row in rows if row["kind"] == "valid"]


def _cut(length: int) -> int:
    return int(0.9 * length)


def until(curve: list[dict[str, float]]) -> float | None:
    return next((one["seconds"] for one in curve if one["loss"] <= GOAL), None)


def main() -> None:
    parser = options(__doc__ or "")
    parser.add_argument("--text", type=Path, required=True, help="the file of Tiny Shakespeare")
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--every", type=int, default=250, help="steps between two validations")
    parser.add_argument("--set", action="append", default=[], help="a key of the recipe to change, for Saccade alone")
    parser.add_argument("--seconds", type=float, default=0, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.only:
        import torch

        torch.set_num_threads(asked.threads)
        curve = saccade(asked) if asked.only.startswith("saccade") else plain_loop(asked)
        print(json.dumps({"curve": curve}))
        return
    passed = [f"--threads={asked.threads}", f"--text={asked.text}", f"--every={asked.every}", f"--steps={asked.steps}"]
    passed += [f"--set={one}" for one in asked.set]
    equal = in_turn(__file__, [Contender("plain loop"), Contender("saccade")], passed, rounds=asked.rounds)
    whole = sorted(one["curve"][-1]["seconds"] for one in equal["plain loop"])[asked.rounds // 2]
    timed = in_turn(
        __file__, [Contender("saccade in the same time")], [*passed, f"--seconds={whole}"], rounds=asked.rounds
    )
    curves = {name: [one["curve"] for one in found] for name, found in {**equal, **timed}.items()}
    print(f"the plain loop's whole time: {whole:.1f} s")
    for name, each in curves.items():
        reached = [f"{seconds:.1f} s" if (seconds := until(curve)) else "never" for curve in each]
        best = [f"{min(one['loss'] for one in curve):.3f}" for curve in each]
        print(f"  {name:<26} loss {GOAL} after {', '.join(reached)}; best loss {', '.join(best)}")
    keep(asked.json, {"benchmark": "language model", "goal": GOAL, "plain_seconds": whole, "curves": curves})


if __name__ == "__main__":
    main()
