"""The keys that a recipe may have, and which one was meant by a key that it may not have."""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from saccade.recipe.problems import KeyPath, dotted, nearest
from saccade.recipe.schema import Recipe

Models = Mapping[str, type[BaseModel]]
"""For each preset's name the class of its options, with their defaults; ``tasks`` of the class says what it is for."""

SECTIONS: dict[str, type[BaseModel]] = {
    name: field.annotation
    for name, field in Recipe.model_fields.items()
    if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)
}


def tasks_of(options: type[BaseModel]) -> tuple[str, ...]:
    """The tasks of a preset, first the one that is meant when nobody says; one that has none translates."""
    return tuple(getattr(options, "tasks", ("translation",)))


@dataclass(frozen=True, slots=True)
class Keys:
    """Every key by its path; with the options of a preset if ``options`` is given."""

    fields: Mapping[KeyPath, FieldInfo]

    @classmethod
    def of(cls, options: type[BaseModel] | None) -> "Keys":
        fields: dict[KeyPath, FieldInfo] = {(name,): field for name, field in Recipe.model_fields.items()}
        for section, schema in SECTIONS.items():
            fields |= {(section, name): field for name, field in schema.model_fields.items()}
        if options is not None:
            fields |= {("model", name): field for name, field in options.model_fields.items()}
        return cls(fields)

    def missing(self, path: KeyPath) -> str:
        """The message for a key that must be given."""
        field = self.fields.get(path)
        examples = field.examples if field is not None else None
        return f"missing (give it, such as {dotted(path)}={examples[0]})" if examples else "missing"

    def unknown(self, path: KeyPath) -> str:
        """The message for a key that does not exist, with the one that was most likely meant."""
        key, section = str(path[-1]), path[:-1]
        if key == "<<":
            return "merge keys are not read; write the keys out"
        if (inner := tuple(key.split("."))) in self.fields and not section:
            return f"unknown key (write {inner[-1]} inside the section {inner[0]})"
        if meant := self._meant(key, section):
            return f"unknown key (did you mean {meant}?)"
        here = f"{dotted(section)} has" if section else "a recipe has"
        names = ", ".join(str(known[-1]) for known in self.fields if known[:-1] == section)
        return f"unknown key ({here}: {names})" if names else "unknown key"

    def _meant(self, key: str, section: KeyPath) -> str | None:
        elsewhere = [
            dotted(path) for path in self.fields if path[-1] == key and path not in {(name,) for name in SECTIONS}
        ]
        if elsewhere:
            return " or ".join(elsewhere)
        close = nearest(key, [str(path[-1]) for path in self.fields if path[:-1] == section])
        if close is not None:
            return dotted((*section, close))
        names = {str(path[-1]): path for path in self.fields}
        close = nearest(key, names)
        return dotted(names[close]) if close is not None else None
