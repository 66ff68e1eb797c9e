"""YAML to plain values, with the line of every key.

Only what a recipe needs: mappings, lists and scalars after YAML 1.2's core schema, so that ``no`` is Norwegian and
``3e-4`` a number. Anchors and aliases are read; tags, repeated keys and aliases that multiply are refused.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

import yaml

from saccade.recipe.problems import KeyPath

Value = bool | int | float | str | list["Value"] | dict[str, "Value"] | None

MOST_DEPTH = 20
MOST_NODES = 10_000

_CONSTANTS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_WHOLE = re.compile(r"[-+]?[0-9]+(?:_[0-9]+)*")
_WHOLE_POWER = re.compile(r"([-+]?[0-9]+)[eE]\+?([0-9]{1,2})")
_DECIMAL = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_LARGEST = 2**63


class ReadingError(Exception):
    """The text cannot be read at all; line and column count from 1."""

    def __init__(self, message: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


@dataclass(frozen=True, slots=True)
class Repeated:
    """A key that stands twice in one mapping."""

    path: KeyPath
    line: int
    first_line: int


@dataclass(slots=True)
class Reading:
    """A text's value, the line of each key and list item (from 1), and the keys given twice (the first one counts).

    ``end`` is the character after the value: what follows can only be a comment.
    """

    value: Value = None
    lines: dict[KeyPath, int] = field(default_factory=dict)
    repeated: list[Repeated] = field(default_factory=list)
    end: int = 0


def plain_value(text: str) -> bool | int | float | str | None:
    """What an unquoted scalar means. Whole powers of ten such as ``5e6`` are whole numbers."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if len(text) > 40:
        return text
    if _WHOLE.fullmatch(text):
        return whole if abs(whole := int(text)) < _LARGEST else text
    if power := _WHOLE_POWER.fullmatch(text):
        whole = int(power[1]) * 10 ** int(power[2])
        return whole if abs(whole) < _LARGEST else float(text)
    if _DECIMAL.fullmatch(text) and math.isfinite(number := float(text)):
        return number
    return text


def read(text: str) -> Reading:
    """Read one YAML document; ``ReadingError`` when it is not one."""
    try:
        for event, depth in _with_depth(text):
            if (tag := getattr(event, "tag", None)) is not None:
                raise _refused(f"tags such as {tag} are refused", event.start_mark)
            if depth > MOST_DEPTH:
                raise _refused(f"nested deeper than {MOST_DEPTH} levels", event.start_mark)
        node = yaml.compose(text, Loader=yaml.BaseLoader)
    except yaml.MarkedYAMLError as error:
        raise _marked(error) from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise ReadingError(f"character U+{ord(text[error.position]):04X} is not allowed in YAML", line) from error
    return Reading() if node is None else _Builder().build(node)


def _with_depth(text: str) -> Iterator[tuple[yaml.Event, int]]:
    """Parser events before composing, which recurses and so must not meet a tower of brackets."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.BaseLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        yield event, depth


def _marked(error: yaml.MarkedYAMLError) -> ReadingError:
    message = f"not valid YAML: {error.problem or error.context}"
    if "'\\t'" in message:
        message += "; indent with spaces, not with tabs"
    return _refused(message, error.problem_mark or error.context_mark)


class _Mark(Protocol):
    """What PyYAML's own marks and its C library's have in common."""

    line: int
    column: int


def _refused(message: str, mark: _Mark | None) -> ReadingError:
    return ReadingError(message, mark.line + 1, mark.column + 1) if mark else ReadingError(message)


class _Builder:
    def __init__(self) -> None:
        self.reading = Reading()
        self.nodes = 0
        self.open: set[int] = set()

    def build(self, node: yaml.Node) -> Reading:
        self.reading.value = self._value(node, ())
        self.reading.end = node.end_mark.index
        return self.reading

    def _value(self, node: yaml.Node, path: KeyPath) -> Value:
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise _refused(f"more than {MOST_NODES:,} values, aliases included", node.start_mark)
        if len(self.open) > MOST_DEPTH:
            raise _refused(f"nested deeper than {MOST_DEPTH} levels, aliases included", node.start_mark)
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if id(node) in self.open:
            raise _refused("an alias stands inside its own anchor", node.start_mark)
        self.open.add(id(node))
        value = self._mapping(node, path) if isinstance(node, yaml.MappingNode) else self._list(node, path)
        self.open.remove(id(node))
        return value

    def _scalar(self, node: yaml.ScalarNode) -> Value:
        text = str(node.value)
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise _refused("half of a surrogate pair is not a character", node.start_mark)
        return plain_value(text) if node.style is None else text

    def _list(self, node: yaml.Node, path: KeyPath) -> Value:
        values: list[Value] = []
        for index, item in enumerate(node.value):
            self.reading.lines[(*path, index)] = item.start_mark.line + 1
            values.append(self._value(item, (*path, index)))
        return values

    def _mapping(self, node: yaml.Node, path: KeyPath) -> Value:
        values: dict[str, Value] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                raise _refused("expected a word as key, got a list or a mapping", key_node.start_mark)
            key = str(self._scalar(key_node)) if key_node.style is not None else str(key_node.value)
            here = (*path, key)
            if key in values:
                self.reading.repeated.append(Repeated(here, line, self.reading.lines[here]))
                continue
            self.reading.lines[here] = line
            values[key] = self._value(value_node, here)
        return values
