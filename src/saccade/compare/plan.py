"""What is to be compared: recipes made alike in data, tokenizer and budget, and alike in nothing else."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from saccade.compare.yardstick import YARDSTICKS
from saccade.errors import RecipeError
from saccade.models import catalogue
from saccade.recipe import Amount, Recipe, load

UNITS = ("minutes", "tokens", "flops", "epochs")
SHARED = ("data", "tokenizer")


@dataclass(frozen=True)
class Plan:
    """The recipes as they will be trained, and what has to be said about how they were made alike."""

    budget: Amount
    recipes: tuple[Recipe, ...]
    remarks: tuple[str, ...]

    @property
    def test_set(self) -> str:
        test = self.recipes[0].data.test
        if test is None:
            raise RecipeError("no test set is named: add data.test=…, on which the systems are to be compared")
        return test


def make_plan(arguments: Sequence[str], budget: str) -> Plan:
    """Recipes, and among them KEY=VALUE for every recipe; what is shared is the first recipe's."""
    amount = read_budget(budget)
    overrides = [argument for argument in arguments if is_override(argument)]
    sources = [argument for argument in arguments if not is_override(argument)]
    if not sources:
        raise RecipeError(
            "no recipe is named: give the systems to compare, such as rnn-additive transformer-tiny, each a recipe "
            "file, a shipped recipe (`saccade recipes`) or a preset (`saccade models`)"
        )
    for override in overrides:
        if override.startswith("train.budget"):
            raise RecipeError(f"{override}: the budget is the same for every system; give it as --budget")
    overrides.append(f"train.budget={json.dumps(str(amount))}")
    first = load(sources[0], overrides, models=catalogue())
    recipes, remarks = [first], []
    own = [override for override in overrides if override.split(".")[0].strip() not in SHARED]
    for source in sources[1:]:
        recipes.append(load(source, [*own, *_shared_overrides(first)], models=catalogue()))
        differing = _differing(source, overrides, first)
        if differing:
            remarks.append(
                f"{recipes[-1].name}: {', '.join(differing)} as in {first.name}, not as its recipe says: "
                "all systems get the same data and tokenizer"
            )
    check_alike(recipes)
    if "tokenizer" in YARDSTICKS[first.task].shared and first.tokenizer.lowercase:
        remarks.append(
            "all systems write lower case (tokenizer.lowercase) and are scored against the references as they are, "
            "capitals included: give tokenizer.lowercase=false for cased translations"
        )
    return Plan(amount, tuple(recipes), tuple(remarks))


def is_override(argument: str) -> bool:
    """Whether an argument sets a key; a file that is there is a recipe, whatever its name."""
    return "=" in argument and not Path(argument).is_file()


def read_budget(text: str) -> Amount:
    expected = 'such as "20 minutes", "5e6 tokens" or "2e14 flops"'
    try:
        amount = Amount.parse(text)
    except ValueError as error:
        raise RecipeError(f"--budget {error}; expected a time, tokens or operations, {expected}") from error
    if amount.unit not in UNITS:
        raise RecipeError(
            f"--budget {text}: {amount.unit} are not comparable, each is as large as a system's own batch; "
            f"expected a time, tokens, flops or epochs, {expected}"
        )
    return amount


def check_alike(recipes: Sequence[Recipe]) -> None:
    """One task, for which there is a yardstick, and a name for each."""
    first = recipes[0]
    for recipe in recipes:
        if recipe.task != first.task:
            raise RecipeError(
                f"{first.name} is trained for {first.task}, {recipe.name} for {recipe.task}: "
                "only systems for the same task can be compared"
            )
    if first.task not in YARDSTICKS:
        raise RecipeError(
            f"{first.name} is trained for {first.task}: systems are compared by their translations, or by what they "
            "say of pictures; train others one by one with the same train.budget and compare what `saccade evaluate` "
            "says"
        )
    YARDSTICKS[first.task].check(recipes)
    names = [recipe.name for recipe in recipes]
    for name in names:
        if names.count(name) > 1:
            raise RecipeError(
                f"{name} is named twice: give each system once, or two recipe files with different names (key: name)"
            )


def _shared_overrides(first: Recipe) -> list[str]:
    """The first recipe's data and tokenizer, every key; JSON is YAML too."""
    sections = first.model_dump(mode="json", include=set(SHARED))
    return [
        f"{section}.{key}={json.dumps(value, ensure_ascii=False)}"
        for section, values in sections.items()
        for key, value in values.items()
    ]


def _differing(source: str, overrides: Sequence[str], first: Recipe) -> list[str]:
    """The keys of data and tokenizer that the recipe sets itself, and otherwise than the first one."""
    try:
        own = load(source, overrides, models=catalogue())
    except RecipeError:
        return []  # a preset names no data of its own; anything else that is wrong was told when it was loaded
    return [
        f"{section}.{key}"
        for section in SHARED
        for key in type(getattr(own, section)).model_fields
        if key in getattr(own, section).model_fields_set
        and getattr(getattr(own, section), key) != getattr(getattr(first, section), key)
    ]
