"""Each shipped recipe's resolved form is kept in tests/golden/recipes; ``pytest --update-golden`` writes it anew."""

import re
from pathlib import Path

import pytest

from saccade.models import catalogue
from saccade.recipe import load, shipped, to_yaml

GOLDEN = Path(__file__).parent.parent / "golden" / "recipes"
NAMES = [recipe.name for recipe in shipped()]


def test_shipped_recipes_are_described() -> None:
    assert {"multi30k-en-de", "multi30k-en-fr", "scenes-en-de", "scenes-en-es", "scenes-en-fr"} <= set(NAMES)
    assert sorted(NAMES) == NAMES
    assert {"multi30k-zero-shot", "scenes-zero-shot"} <= set(NAMES)
    assert {"gpt-python", "gpt-shakespeare", "python-lstmn", "python-rnn", "python-self-rnn"} <= set(NAMES)
    captioning = [one for one in shipped() if one.description.startswith("Captions of ")]
    kinds = ("hard", "rnn", "soft", "transformer", "vit")
    assert [one.name for one in captioning] == [
        *(f"flickr8k-{kind}" for kind in kinds),
        *(f"scenes-caption-{kind}" for kind in kinds),
    ]
    translating = [one for one in shipped() if one.name.startswith(("multi30k", "scenes-")) and one not in captioning]
    assert all(re.match(r"(English|German) to (French|German|Spanish)\b", one.description) for one in translating)
    assert all(len(one.description) > 20 for one in shipped())


@pytest.mark.parametrize("name", NAMES)
def test_resolved_form_is_golden(name: str, request: pytest.FixtureRequest) -> None:
    resolved = to_yaml(load(name, models=catalogue()))
    golden = GOLDEN / f"{name}.yaml"
    if request.config.getoption("--update-golden"):
        golden.write_text(resolved, encoding="utf-8")
    assert golden.is_file(), f"no golden file: pytest --update-golden {Path(__file__).name} writes it"
    assert resolved == golden.read_text(encoding="utf-8"), (
        f"what {name} means has changed; if that is meant, run pytest --update-golden and look at the difference"
    )


def test_no_golden_file_is_left_over() -> None:
    assert sorted(file.stem for file in GOLDEN.glob("*.yaml")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_golden_file_loads_to_the_same_recipe(name: str) -> None:
    models = catalogue()
    assert load(GOLDEN / f"{name}.yaml", models=models) == load(name, models=models)
