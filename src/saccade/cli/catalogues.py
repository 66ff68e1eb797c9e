"""``saccade recipes`` and ``saccade models``: what there is."""

import json
from typing import Annotated

from typer import Argument, Option


def recipes(
    name: Annotated[
        str | None, Argument(help="Print this recipe in its resolved form, every key with its value.")
    ] = None,
    schema: Annotated[bool, Option("--schema", help="Print the JSON schema of recipes, for editors.")] = False,
    reference: Annotated[bool, Option("--reference", help="Print the reference of all keys as Markdown.")] = False,
    as_json: Annotated[bool, Option("--json", help="Print the list as JSON.")] = False,
) -> None:
    """List the recipes that come with Saccade, or print one, or the schema of them all.

    Examples:

      saccade recipes

      saccade recipes scenes-en-fr > mine.yaml && saccade train mine.yaml
    """
    from saccade.models import catalogue
    from saccade.recipe import json_schema, load, shipped, to_yaml
    from saccade.recipe import reference as write_reference

    if schema:
        print(json.dumps(json_schema(catalogue()), indent=2))
    elif reference:
        print(write_reference(catalogue()))
    elif name is not None:
        print(to_yaml(load(name, models=catalogue())), end="")
    elif as_json:
        print(json.dumps([{"name": one.name, "description": one.description} for one in shipped()], indent=2))
    else:
        for one in shipped():
            print(f"{one.name:<20} {one.description}")


def models(
    name: Annotated[str | None, Argument(help="Tell more about this preset: its paper and all its options.")] = None,
    as_json: Annotated[bool, Option("--json", help="Print as JSON.")] = False,
) -> None:
    """List the model presets, or tell all about one.

    Examples:

      saccade models

      saccade models transformer-base
    """
    from saccade.models import find_preset, presets

    chosen = presets() if name is None else [find_preset(name)]
    if as_json:
        rows = [{"name": p.name, "tasks": p.tasks, "doc": p.doc, "options": p.options.model_dump()} for p in chosen]
        print(json.dumps(rows, indent=2, ensure_ascii=False))
    elif name is None:
        for one in chosen:
            print(f"{one.name:<20} {one.tasks[0]:<22} {one.summary}")
    else:
        one = chosen[0]
        print(f"{one.name} ({', '.join(one.tasks)})\n\n{one.doc}\n")
        for key, info in type(one.options).model_fields.items():
            print(f"  model.{key:<18} {getattr(one.options, key)!s:<12} {info.description}")
