"""Made-up systems to put side by side, without any training."""

from typing import Any

from saccade.compare.comparison import Comparison, side_by_side
from saccade.compare.measured import Measured
from saccade.compare.plan import Plan, make_plan
from saccade.data.examples import Pair
from saccade.evaluation.translation import score_translations

SCENES = (
    "data.train=scenes:en-fr",
    "data.valid=scenes:en-fr",
    "data.test=scenes:en-fr?size=200",
    "tokenizer.kind=words",
)
NAMES = ("rnn-seq2seq", "rnn-additive", "rnn-dot", "transformer-tiny")


def plan_of(*names: str, budget: str = "2 minutes") -> Plan:
    return make_plan([*names, *SCENES], budget)


def sentences(count: int = 200) -> list[Pair]:
    """From 3 to 28 words; the target is the source in capitals."""
    texts = [" ".join(f"w{(n * 7 + place) % 50}" for place in range(3 + n % 26)) for n in range(count)]
    return [Pair(text, text.upper()) for text in texts]


def measured(name: str, pairs: list[Pair], *, wrong: int, **changes: Any) -> Measured:
    """A system that gets every word beyond the first ``wrong`` of a sentence wrong."""
    texts = [" ".join(w if n < wrong else "x" for n, w in enumerate(pair.target.split())) for pair in pairs]
    scores = score_translations(texts, [pair.target for pair in pairs], resamples=200)
    facts: dict[str, Any] = {
        "name": name,
        "preset": name,
        "run": f"runs/compare-1/systems/{name}",
        "parameters": 1_234_567,
        "steps": 100,
        "epochs": 1.5,
        "tokens": 50_000,
        "flops": 2 * 10**12,
        "seconds": 125.0,
        "memory": 500 * 2**20,
        "bleu": scores.bleu,
        "chrf": scores.chrf,
        "decode": {"beam": 5},
        "decoding_seconds": 4.0,
        "alignment": {"error_rate": 0.25, "precision": 0.8, "recall": 0.7, "read_from": "decoder.0.cross, head 0"},
        "machine": {"cpu": "A", "cores": 2, "gpu": None, "torch": "2", "threads": 2},
        "date": "2026-01-01T00:00:00+00:00",
        "translations": tuple(texts),
    }
    return Measured(**{**facts, **changes})


def comparison_of(*systems: Measured, budget: str = "2 minutes") -> Comparison:
    names = [system.name for system in systems]
    return side_by_side(plan_of(*names, budget=budget), systems, sentences(), command="saccade compare …")
