"""A recipe as it was written: values from a file or a preset, overrides laid over them, and where each came from."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from saccade.recipe.overrides import Override
from saccade.recipe.problems import KeyPath, Origin, Problem, dotted, refuse
from saccade.recipe.reading import ReadingError, Value, read

_QUOTES = "an override with braces or spaces needs quotes around it in a shell"


@dataclass(slots=True)
class Document:
    """Unchecked values with the origin of every key; ``place`` is the file's or preset's name for messages.

    ``opened`` are the sections that exist only because an override set a key in them: it is to blame for their name,
    not for the keys that they lack.
    """

    place: str
    values: dict[str, Value]
    origins: dict[KeyPath, Origin] = field(default_factory=dict)
    opened: dict[KeyPath, Origin] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    @classmethod
    def of_text(cls, text: str, place: str) -> Self:
        """Read a YAML text; a text that cannot be read at all is refused here, alone."""
        try:
            reading = read(text)
        except ReadingError as error:
            refuse(place, [Problem(Origin(place, error.line, error.column), (), str(error))])
        if not isinstance(reading.value, dict):
            given = "nothing" if reading.value is None else "a list" if isinstance(reading.value, list) else "a text"
            message = f"expected a mapping such as task: translation, got {given}"
            refuse(place, [Problem(Origin(place, 1), (), message)])
        document = cls(place, reading.value, {path: Origin(place, line) for path, line in reading.lines.items()})
        for again in reading.repeated:
            message = f"given twice (first on line {again.first_line})"
            document.problems.append(Problem(Origin(place, again.line), again.path, message))
        return document

    def exchange(self, section: str, values: Mapping[str, Value], free: Collection[str]) -> None:
        """``values`` take the place of a section, but for its keys that are ``free``."""
        written = self.values.get(section, {})
        if isinstance(written, dict):
            self.values[section] = {**values, **{key: value for key, value in written.items() if key in free}}

    def override(self, overrides: Sequence[str]) -> None:
        """Lay each ``key.key=value`` over the values; what is wrong joins the problems.

        A key given twice is refused: a shell makes two overrides of ``data.train=train.{en,de}`` without quotes.
        """
        seen: dict[KeyPath, str] = {}
        for text in overrides:
            try:
                override = Override.parse(text)
                if (first := seen.setdefault(override.keys, text)) is not text:
                    raise ReadingError(f"{dotted(override.keys)} given twice, first as {first}; {_QUOTES}")
                self._lay(override)
            except ReadingError as error:
                self.problems.append(Problem(Origin(text, is_override=True), (), str(error)))

    def origin(self, path: KeyPath) -> Origin:
        """Where the value at ``path`` came from, or else the nearest section around it."""
        if path in self.opened:
            return self.opened[path]
        for length in range(len(path), 0, -1):
            if path[:length] in self.origins:
                return self.origins[path[:length]]
        return Origin(self.place)

    def _lay(self, override: Override) -> None:
        keys, origin = override.keys, Origin(override.text, is_override=True)
        section = self.values
        for depth, key in enumerate(keys[:-1], start=1):
            inner = section.get(key)
            if inner is None:
                inner = section[key] = {}
                self.opened[keys[:depth]] = origin
            if not isinstance(inner, dict):
                raise ReadingError(f"{dotted(keys[:depth])} is a single value and has no key {keys[depth]}")
            section = inner
        section[keys[-1]] = override.value
        for path in [path for path in self.origins if path[: len(keys)] == keys]:
            del self.origins[path]
        self.origins[keys] = origin
