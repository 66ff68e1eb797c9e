"""A document against the schema: every problem with its place, or a recipe with every key filled in."""

import json
from collections.abc import Iterable
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from saccade.recipe.by_task import lay_defaults, misfits
from saccade.recipe.document import Document
from saccade.recipe.keys import SECTIONS, Keys, Models, tasks_of
from saccade.recipe.messages import message, show
from saccade.recipe.problems import KeyPath, Problem, nearest, refuse
from saccade.recipe.reading import Value
from saccade.recipe.schema import ModelSection, Recipe

Schema = TypeVar("Schema", bound=BaseModel)


def check(document: Document, models: Models | None) -> Recipe:
    """The resolved recipe, or a ``RecipeError`` with every problem of the document at once.

    Without ``models`` the preset and its options are taken as they are.
    """
    for section in SECTIONS:
        # An absent section and one whose keys are all commented out are the same: empty.
        if document.values.get(section) is None:
            document.values[section] = {}
    lay_defaults(document.values)
    return _Checker(document, models).recipe()


class _Checker:
    def __init__(self, document: Document, models: Models | None) -> None:
        self.document = document
        self.models = models
        self.problems = list(document.problems)
        section = document.values["model"]
        self.model: dict[str, Value] = section if isinstance(section, dict) else {}
        preset = self.model.get("preset")
        self.preset = preset if isinstance(preset, str) else None
        self.options_class = (models or {}).get(self.preset or "")
        self.keys = Keys.of(self.options_class)

    def recipe(self) -> Recipe:
        recipe = self._validate(Recipe, self.document.values, ())
        options = self._options()
        if recipe is not None:
            for path, text in misfits(recipe):
                self._add(path, text)
            self._check_task(recipe.task)
        if self.problems or recipe is None:
            refuse(self.document.place, self.problems)
        if options is None:
            return recipe
        filled = options.model_dump(mode="json", include=set(type(options).model_fields))
        return recipe.model_copy(update={"model": ModelSection(preset=recipe.model.preset, **filled)})

    def _check_task(self, task: str) -> None:
        made_for = (task,) if self.options_class is None else tasks_of(self.options_class)
        if task not in made_for:
            self._add(("model", "preset"), f"{self.preset} is a model for task {' or '.join(made_for)}, not for {task}")

    def _options(self) -> BaseModel | None:
        """The preset's options, given and default; ``None`` when there is no class to check them against."""
        if self.models is None or self.preset is None:
            return None
        if self.options_class is None:
            self._add(("model", "preset"), _unknown_preset(self.preset, self.models))
            return None
        given = {key: value for key, value in self.model.items() if key != "preset"}
        for key in [key for key in given if key not in self.options_class.model_fields]:
            # Told here, because the class need not forbid what it does not know.
            self._add(("model", key), self.keys.unknown(("model", key)))
            del given[key]
        return self._validate(self.options_class, given, ("model",))

    def _validate(self, schema: type[Schema], values: dict[str, Value], prefix: KeyPath) -> Schema | None:
        try:
            # As JSON, because strictness then still takes a list for a tuple, yet never "4" or true for a number.
            return schema.model_validate_json(json.dumps(values), strict=True)
        except ValidationError as invalid:
            found: dict[KeyPath, list[str]] = {}
            for error in invalid.errors(include_url=False):
                path = (*prefix, *_given_part(error["loc"], values))
                found.setdefault(path, []).append(self._message(error, path))
            for path, messages in found.items():
                if prefix or not self._is_option(path):
                    self._add(path, "; or ".join(dict.fromkeys(messages)))
            return None

    def _is_option(self, path: KeyPath) -> bool:
        """Whether the preset's class speaks of this key, so that the recipe's own class need not."""
        return self.models is not None and path[:1] == ("model",) and len(path) > 1 and path[1] != "preset"

    def _message(self, error: ErrorDetails, path: KeyPath) -> str:
        if error["type"] == "extra_forbidden":
            return self.keys.unknown(path)
        if error["type"] == "missing" and isinstance(path[-1], str):
            return self.keys.missing(path)
        return message(error)

    def _add(self, path: KeyPath, text: str) -> None:
        self.problems.append(Problem(self.document.origin(path), path, text))


def _given_part(location: Iterable[str | int], values: Value) -> KeyPath:
    """Pydantic's location without the names it adds for the members of a union."""
    path: list[str | int] = []
    here: Value = values
    for part in location:
        if isinstance(here, dict) and isinstance(part, str):
            here = here.get(part)
        elif isinstance(here, list) and isinstance(part, int):
            here = here[part] if part < len(here) else None
        else:
            break
        path.append(part)
    return tuple(path)


def _unknown_preset(preset: str, models: Models) -> str:
    meant = nearest(preset, models)
    hint = f"did you mean {meant}?" if meant else f"presets: {', '.join(models)}"
    return f"unknown preset {show(preset)} ({hint})"
