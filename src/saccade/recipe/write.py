"""A resolved recipe as YAML."""

from typing import Any

import yaml

from saccade.recipe.by_task import foreign_keys
from saccade.recipe.reading import plain_value
from saccade.recipe.schema import Recipe


def to_yaml(recipe: Recipe) -> str:
    """Every key that means something to the task with its value, in the schema's order.

    Loading the text gives an equal recipe.
    """
    values = recipe.model_dump(mode="json")
    for section, key in foreign_keys(recipe.task):
        del values[section][key]
    values = {key: value for key, value in values.items() if value != {}}
    return str(yaml.dump(values, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=2**16))


class _Dumper(yaml.SafeDumper):
    """Sections as blocks, lists in one line, texts quoted when this room or YAML 1.1 would read something else."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    # Line breaks other than \n survive only as escapes, which only double quotes have.
    style = '"' if not text.isprintable() else None if isinstance(plain_value(text), str) else "'"
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _list(dumper: yaml.SafeDumper, items: list[Any]) -> yaml.SequenceNode:
    return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=True)


_Dumper.add_representer(str, _text)
_Dumper.add_representer(list, _list)
