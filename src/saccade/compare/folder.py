"""The folder of a comparison: the plan, the data that all systems share, a run folder for each, what was measured.

==================  ==================================================================================
``plan.json``       budget and resolved recipes: with it the folder is a comparison, and only of these
``data/``           the prepared corpus, beside it ``tokenizer.json`` and the like; every run gets a copy
``systems/NAME/``   the run folder of a system
``measured/``       a file for each system that is trained and evaluated
``compare.json``    the result; ``compare.png``, ``attention.png``, both as SVG, and ``report.html`` show it
==================  ==================================================================================
"""

import json
import shutil
from pathlib import Path
from typing import Any

from saccade.compare.plan import Plan
from saccade.errors import RunError
from saccade.files import write_text
from saccade.recipe import Recipe, to_yaml
from saccade.training.folder import RunFolder, belongings, next_run

FORMAT = 1
NAME = "compare"


class CompareFolder:
    """The paths of one comparison."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.new = False
        """Whether nobody had it before."""
        self.plan = path / "plan.json"
        self.data = path / "data"
        self.systems = path / "systems"
        self.measured = path / "measured"
        self.result = path / "compare.json"
        self.picture = path / "compare.png"
        self.drawing = path / "compare.svg"
        self.looks = path / "attention.png"
        self.drawn_looks = path / "attention.svg"
        self.report = path / "report.html"

    @classmethod
    def make(cls, path: Path, plan: Plan) -> "CompareFolder":
        """A new folder for the plan, or the one that was begun with it."""
        folder = cls(path)
        if folder.plan.exists():
            folder._check_same(plan)
            return folder
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise RunError(f"{path} exists and holds no comparison: choose another --folder, or move it away")
        folder.systems.mkdir(parents=True, exist_ok=True)
        folder.measured.mkdir(exist_ok=True)
        folder.new = True
        write_text(folder.plan, json.dumps({"format": FORMAT, **_facts(plan)}, indent=1, ensure_ascii=False) + "\n")
        return folder

    def leave(self) -> None:
        """Removes a folder that was made now and in which nothing was begun, so that its name is free again."""
        if self.new and not (self.data / "prepared.json").exists():
            shutil.rmtree(self.path)

    def run(self, recipe: Recipe) -> RunFolder:
        """The run folder of a system, with the shared data in it; made if it is not there, or not whole."""
        path = self.systems / recipe.name
        if not RunFolder(path).mark.exists():
            shutil.rmtree(path, ignore_errors=True)
            RunFolder.create(path, to_yaml(recipe))
        run = RunFolder.open(path)
        if not run.data.exists():
            for file in (*belongings(self.path), *self.path.glob("labels.json")):
                shutil.copyfile(file, path / file.name)
            copy = path / "data.new"
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(self.data, copy)
            copy.rename(run.data)
        return run

    def measured_file(self, recipe: Recipe) -> Path:
        return self.measured / f"{recipe.name}.json"

    def _check_same(self, plan: Plan) -> None:
        said = _read(self.plan)
        if said.get("format") != FORMAT:
            raise RunError(f"{self.plan} has format {said.get('format')!r}, this Saccade reads {FORMAT}")
        different = _difference(said, _facts(plan))
        if different:
            raise RunError(
                f"{self.path} holds another comparison: {different}. Give the command it was begun with, or another "
                "--folder"
            )


def find_folder(plan: Plan, parent: Path = Path("runs")) -> Path:
    """The place of this very comparison if it was begun and not finished, else the first free ``runs/compare-n``."""
    for path in sorted(parent.glob(f"{NAME}-*")):
        folder = CompareFolder(path)
        if folder.plan.exists() and not folder.result.exists() and not _difference(_read(folder.plan), _facts(plan)):
            return path
    return next_run(NAME, parent)


def _facts(plan: Plan) -> dict[str, Any]:
    return {
        "budget": str(plan.budget),
        "systems": [recipe.name for recipe in plan.recipes],
        "recipes": {recipe.name: to_yaml(recipe) for recipe in plan.recipes},
    }


def _difference(begun: dict[str, Any], asked: dict[str, Any]) -> str | None:
    if begun["budget"] != asked["budget"]:
        return f"its budget is {begun['budget']}, not {asked['budget']}"
    if begun["systems"] != asked["systems"]:
        return f"its systems are {', '.join(begun['systems'])}, not {', '.join(asked['systems'])}"
    for name, recipe in asked["recipes"].items():
        before, now = begun["recipes"][name].splitlines(), recipe.splitlines()
        changed = next((pair for pair in zip(before, now, strict=False) if pair[0] != pair[1]), None)
        if changed:
            return f"its recipe of {name} says `{changed[0].strip()}`, not `{changed[1].strip()}`"
    return None


def _read(path: Path) -> dict[str, Any]:
    try:
        said: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RunError(f"{path} is damaged ({error}): choose another --folder") from error
    return said
