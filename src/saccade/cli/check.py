"""``saccade check``."""

import json
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from saccade.cli.console import say

if TYPE_CHECKING:
    from saccade.tasks.base import Facts
    from saccade.training.preflight import Estimate


def check(
    recipe: Annotated[str, Argument(help="A recipe file, a shipped recipe's name, or a preset's name.")],
    overrides: Annotated[
        list[str] | None, Argument(help="Keys to set, as for `saccade train`.", metavar="[KEY=VALUE]...")
    ] = None,
    pairs: Annotated[
        int,
        Option(help="Look at the first so many pairs or documents of each source, or at so many pictures.", min=1),
    ] = 50_000,
    init_from: Annotated[Path | None, Option(help="A trained run to begin with, as for `saccade train`.")] = None,
    as_json: Annotated[bool, Option("--json", help="Print as JSON.")] = False,
) -> "Estimate":
    """Try everything that a training needs, in seconds, and write nothing.

    Reads the recipe and the data, shows encoded examples, runs the longest batch, and estimates time and memory. Of
    data larger than --pairs an epoch is one of the part that was looked at, and the estimate says so.

    Example:

      saccade check transformer-small "data.train=corpus/train.{en,de}" train.batch_tokens=8192

      saccade check glue-sst2 --init-from runs/minilm
    """
    from saccade.cli.beginning import beginning
    from saccade.recipe import to_yaml
    from saccade.tasks.preparing import PartOnly
    from saccade.training.crew import crew
    from saccade.training.folder import RunFolder
    from saccade.training.preflight import estimate
    from saccade.training.setup import cost_of, epoch_flops, prepare, use_machine, workers_here

    resolved, origin = beginning(recipe, overrides or [], init_from)
    say(f"recipe: {resolved.name}: every key is known and in its bounds")
    use_machine(resolved.train.threads)
    said: list[str] = []

    def hear(text: str) -> None:
        said.append(text)
        say(text)

    with TemporaryDirectory(prefix="saccade-check-") as place:
        folder = RunFolder.create(Path(place) / "run", to_yaml(resolved), init_from=origin)
        ready = prepare(resolved, folder, hear, first=pairs)
        task, model = ready.task, ready.model
        passing = epoch_flops(task, cost_of(resolved, ready.corpus, model))
        workers = workers_here(resolved.train, task, model)
        with crew(task, model, resolved, workers=workers, data=folder.data, tokenizers=folder.path) as everyone:
            found = estimate(task, model, resolved.train, everyone, epoch_flops=passing)
        parameters = sum(parameter.numel() for parameter in model.parameters())
        data = task.facts()
        facts: dict[str, Any] = {
            data.unit: data.examples,
            "valid": data.valid,
            "part_only": any(isinstance(text, PartOnly) for text in said),
            "vocabulary": list(data.vocabulary),
            "parameters": parameters,
            "batches": len(task.batches.epoch(0)),
            "padding": task.batches.padding_share(0),
            "flops": passing,
            "budget": str(resolved.train.budget),
            **asdict(found),
        }
    if as_json:
        print(json.dumps(facts | {"examples": data.shown}, indent=2, ensure_ascii=False))
    else:
        print("\n".join(_lines(facts, data, resolved.model.preset)))
    return found


def _lines(facts: dict[str, Any], data: "Facts", preset: str) -> list[str]:
    from saccade.training.progress import clock

    counted = f"target {data.counted}" if data.unit == "pairs" else data.counted
    of_part = " of the part that was looked at" if facts["part_only"] else ""
    longer = f"{of_part}; of all data more" if of_part and "epoch" in facts["budget"] else ""
    lines = ["examples, as the model reads them:"]
    for example in data.shown:
        lines += [*(f"  {'·'.join(pieces)}" for pieces in example.values()), ""]
    return [
        *lines,
        f"data:     {data.examples:,} training {data.unit}{of_part}, {data.valid:,} to validate on",
        f"model:    {preset}, {facts['parameters']:,} parameters",
        f"batches:  {facts['batches']:,} an epoch{of_part}, {_ran(facts, data)}",
        f"work:     {facts['flops']:.3g} floating-point operations an epoch{of_part}",
        f"speed:    about {facts['tokens_per_second']:,.0f} {counted}/s",
        f"memory:   {facts['memory'] / 2**30:.1f} GiB at the peak of these steps",
        f"time:     about {clock(facts['seconds'])} for {facts['budget']}{longer}, validation not counted",
    ]


def _ran(facts: dict[str, Any], data: "Facts") -> str:
    if data.counted == "pictures":
        return f"and one of {facts['longest_rows']:,} pictures ran"
    return (
        f"{facts['padding']:.1%} padding; the longest row has {facts['longest_tokens']:,} tokens and its batch of "
        f"{facts['longest_rows']:,} rows ran"
    )
