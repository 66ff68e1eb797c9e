"""From what a user names, a file, a shipped recipe or a preset, to a checked recipe."""

import os
from collections.abc import Collection, Sequence
from pathlib import Path

from saccade.errors import RecipeError
from saccade.recipe.check import check
from saccade.recipe.document import Document
from saccade.recipe.keys import Models, tasks_of
from saccade.recipe.problems import nearest
from saccade.recipe.schema import ModelSection, Recipe
from saccade.recipe.shipped import shipped, shipped_text

MOST_BYTES = 1_000_000
_ENDINGS = (".yaml", ".yml")


def load(
    source: str | Path,
    overrides: Sequence[str] = (),
    *,
    models: Models | None = None,
    model_of: ModelSection | None = None,
    free: Collection[str] = (),
) -> Recipe:
    """The recipe in the YAML file ``source``, or shipped by that name, or else made of the preset of that name.

    ``overrides`` such as ``train.lr=3e-4`` go over what the file says. ``models`` gives for each preset the class of
    its options: with it they are checked, and the recipe has every one of them filled in. ``model_of`` is the model of
    a trained run, whose weights this one is to begin with: it takes the place of the recipe's own, of which only the
    options that are ``free`` still count. ``RecipeError`` tells every problem at once.
    """
    document = _document(source, models)
    if model_of is not None:
        document.exchange("model", {"preset": model_of.preset, **model_of.options}, free)
    document.override(overrides)
    return check(document, models)


def load_text(
    text: str,
    overrides: Sequence[str] = (),
    *,
    name: str = "recipe",
    place: str = "recipe.yaml",
    models: Models | None = None,
) -> Recipe:
    """The same for YAML already in memory; ``name`` is the recipe's unless it has one, ``place`` is for messages."""
    document = _named(text, name, place)
    document.override(overrides)
    return check(document, models)


def _document(source: str | Path, models: Models | None) -> Document:
    name = os.fspath(source)
    path = Path(source)
    if _is_file(path):
        return _named(_read(path), path.stem, name)
    if (text := shipped_text(name)) is not None:
        return _named(text, name, f"{name}.yaml")
    if models is not None and name in models:
        return Document(name, {"name": name, "task": tasks_of(models[name])[0], "model": {"preset": name}})
    raise RecipeError(_not_found(path, name, models or {}))


def _named(text: str, name: str, place: str) -> Document:
    document = Document.of_text(text, place)
    document.values.setdefault("name", name)
    return document


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError as error:
        raise RecipeError(f"{path} cannot be read: {error.strerror}") from error


def _read(path: Path) -> str:
    if path.suffix not in _ENDINGS:
        raise RecipeError(
            f"{path} is not a recipe, which ends in {' or '.join(_ENDINGS)}; "
            f"to train on it, name a preset: saccade train transformer-tiny data.train={path}"
        )
    try:
        if (size := path.stat().st_size) > MOST_BYTES:
            raise RecipeError(f"{path} has {size:,} bytes, a recipe at most {MOST_BYTES:,}; is it a data file?")
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = path.read_bytes().count(b"\n", 0, error.start) + 1
        raise RecipeError(f"{path}:{line}: not UTF-8 text; save the recipe as UTF-8") from error
    except OSError as error:
        raise RecipeError(f"{path} cannot be read: {error.strerror}") from error


def _not_found(path: Path, name: str, models: Models) -> str:
    if path.is_dir():
        inside = path / "recipe.yaml"
        hint = f"; did you mean {inside}?" if inside.is_file() else ", expected a recipe file"
        return f"{name} is a folder{hint}"
    recipes = [recipe.name for recipe in shipped()]
    folder = path.parent
    nearby = sorted(str(file) for file in folder.glob("*") if file.suffix in _ENDINGS) if folder.is_dir() else []
    message = f'no recipe "{name}": neither a file, nor a shipped recipe, nor a preset'
    if meant := nearest(name, [*recipes, *models, *nearby]):
        return f"{message} (did you mean {meant}?)"
    return f"{message}\nshipped recipes: {', '.join(recipes)}\npresets: {', '.join(models) or 'none given'}"
