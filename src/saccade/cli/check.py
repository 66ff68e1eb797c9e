"""``saccade check``."""

import json
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from saccade.cli.console import say

if TYPE_CHECKING:
    from saccade.tasks.corpus import Corpus
    from saccade.training.preflight import Estimate

EXAMPLES = 3


def check(
    recipe: Annotated[str, Argument(help="A recipe file, a shipped recipe's name, or a preset's name.")],
    overrides: Annotated[
        list[str] | None, Argument(help="Keys to set, as for `saccade train`.", metavar="[KEY=VALUE]...")
    ] = None,
    pairs: Annotated[int, Option(help="Look at the first so many training pairs of each source.", min=1)] = 50_000,
    as_json: Annotated[bool, Option("--json", help="Print as JSON.")] = False,
) -> "Estimate":
    """Try everything that a training needs, in seconds, and write nothing.

    Reads the recipe and the data, shows encoded examples, runs the longest batch, and estimates time and memory.

    Example:

      saccade check transformer-small "data.train=corpus/train.{en,de}" train.batch_tokens=8192
    """
    from dataclasses import replace

    from saccade.models import catalogue
    from saccade.recipe import load
    from saccade.tasks.corpus import open_corpus, prepare
    from saccade.training.crew import crew
    from saccade.training.preflight import estimate
    from saccade.training.setup import (
        corpus_settings,
        cost_of,
        epoch_flops,
        make_model,
        make_task,
        use_machine,
        workers_here,
    )

    resolved = load(recipe, overrides or [], models=catalogue())
    say(f"recipe: {resolved.name}: every key is known and in its bounds")
    use_machine(resolved.train.threads)
    with TemporaryDirectory(prefix="saccade-check-") as place:
        folder = Path(place)
        prepare(folder / "data", folder, replace(corpus_settings(resolved), first=pairs), say)
        corpus = open_corpus(folder / "data", folder)
        model = make_model(resolved, corpus.tokenizers)
        task = make_task(resolved, corpus)
        task.check_fits(model)
        passing = epoch_flops(task, cost_of(resolved, corpus, model))
        workers = workers_here(resolved.train, task)
        with crew(task, model, resolved, workers=workers, data=folder / "data", tokenizers=folder) as everyone:
            found = estimate(task, model, resolved.train, everyone, epoch_flops=passing)
        parameters = sum(parameter.numel() for parameter in model.parameters())
        facts: dict[str, Any] = {
            "pairs": len(corpus.source),
            "valid": len(corpus.valid),
            "vocabulary": [corpus.tokenizers.source.vocab_size, corpus.tokenizers.target.vocab_size],
            "parameters": parameters,
            "batches": len(task.batches.epoch(0)),
            "padding": task.batches.padding_share(0),
            "flops": passing,
            "budget": str(resolved.train.budget),
            **asdict(found),
        }
        examples = _examples(corpus)
    if as_json:
        print(json.dumps(facts | {"examples": examples}, indent=2, ensure_ascii=False))
    else:
        print("\n".join(_lines(facts, examples, resolved.model.preset)))
    return found


def _examples(corpus: "Corpus") -> list[dict[str, list[str]]]:
    source, target = corpus.tokenizers.source, corpus.tokenizers.target
    return [
        {"source": source.pieces(corpus.source[i]), "target": target.pieces(corpus.target[i])}
        for i in range(min(EXAMPLES, len(corpus.source)))
    ]


def _lines(facts: dict[str, Any], examples: list[dict[str, list[str]]], preset: str) -> list[str]:
    from saccade.training.progress import clock

    lines = ["examples, as the model reads them:"]
    for example in examples:
        lines += [f"  {'·'.join(example['source'])}", f"  {'·'.join(example['target'])}", ""]
    return [
        *lines,
        f"data:     {facts['pairs']:,} training pairs, {facts['valid']:,} to validate on",
        f"model:    {preset}, {facts['parameters']:,} parameters",
        f"batches:  {facts['batches']:,} an epoch, {facts['padding']:.1%} padding; the longest pair has "
        f"{facts['longest_tokens']:,} tokens and its batch of {facts['longest_rows']:,} rows ran",
        f"work:     {facts['flops']:.3g} floating-point operations an epoch",
        f"speed:    about {facts['tokens_per_second']:,.0f} target tokens/s",
        f"memory:   {facts['memory'] / 2**30:.1f} GiB at the peak of these steps",
        f"time:     about {clock(facts['seconds'])} for {facts['budget']}, validation not counted",
    ]
