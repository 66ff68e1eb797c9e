import json
import re

from saccade.recipe import Models, json_schema, reference
from saccade.recipe.keys import SECTIONS
from saccade.recipe.schema import Recipe


def test_schema_describes_every_key() -> None:
    schema = json_schema()
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["required"] == ["task", "data", "model"]
    for section in SECTIONS.values():
        described = schema["$defs"][section.__name__]
        assert set(described["properties"]) == set(section.model_fields)
        assert all(field["description"] for field in described["properties"].values())
    json.dumps(schema)


def test_schema_of_amounts() -> None:
    budget = json_schema()["$defs"]["TrainSection"]["properties"]["budget"]
    assert budget["default"] == "30 epochs"
    assert re.search(budget["pattern"], "5e6 tokens")
    assert re.search(budget["pattern"], "2 hours")
    assert not re.search(budget["pattern"], "60 stepz")


def test_schema_knows_the_presets(models: Models) -> None:
    model = json_schema(models)["$defs"]["ModelSection"]
    assert model["properties"]["preset"]["enum"] == ["transformer-tiny", "rnn-attention"]
    tiny, rnn = model["allOf"]
    assert tiny["if"] == {"properties": {"preset": {"const": "transformer-tiny"}}, "required": ["preset"]}
    assert tiny["then"]["properties"]["norm"]["enum"] == ["pre", "post"]
    assert tiny["then"]["additionalProperties"] is False
    assert set(rnn["then"]["properties"]) == {"preset", "cell", "dim"}
    assert "enum" not in json_schema()["$defs"]["ModelSection"]["properties"]["preset"]


def test_reference_has_every_key(models: Models) -> None:
    page = reference(models)
    paths = [name for name in Recipe.model_fields if name not in SECTIONS]
    paths += [f"{section}.{name}" for section, schema in SECTIONS.items() for name in schema.model_fields]
    paths += [f"model.{name}" for options in models.values() for name in options.model_fields]
    assert all(f"| `{path}` |" in page for path in paths)
    assert "### Options of `rnn-attention`" in page
    assert "### Options" not in reference()


def test_reference_rows(models: Models) -> None:
    page = reference(models)
    assert "| `train.budget` | amount, such as `30 epochs` | `30 epochs` | Length of training" in page
    assert "| `train.clip` | number > 0 or null | `1.0` |" in page
    assert "| `train.betas` | list of 2, each number ≥ 0 and < 1 | `[0.9, 0.98]` |" in page
    assert "| `train.schedule` | `inverse-sqrt`, `linear`, `cosine`, `constant` | `inverse-sqrt` |" in page
    assert "| `data.train` | text or list, each text | required |" in page
    assert "| `tokenizer.shared` | true or false | `true` |" in page
    assert "| `tokenizer.shared` | true or false | `true` |" in page
    assert "| `model.dim` | whole number > 0 | `128` | Width. |" in page
