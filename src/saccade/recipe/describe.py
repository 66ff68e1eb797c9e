"""The JSON schema for editors and the reference page, both generated from the schema's fields."""

import json
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema

from saccade.recipe.amount import Amount
from saccade.recipe.keys import SECTIONS, Models
from saccade.recipe.schema import Recipe

JsonSchema = dict[str, Any]

_WORDS = {"integer": "whole number", "number": "number", "string": "text", "boolean": "true or false", "null": "null"}
_BOUNDS = {"exclusiveMinimum": ">", "minimum": "≥", "exclusiveMaximum": "<", "maximum": "≤"}


class _Generator(GenerateJsonSchema):
    """Defaults as a recipe has them; pydantic would write an amount as its two fields."""

    def encode_default(self, dft: Any) -> Any:
        return str(dft) if isinstance(dft, Amount) else super().encode_default(dft)


def json_schema(models: Models | None = None) -> JsonSchema:
    """The JSON schema of a recipe file; with ``models`` it knows the presets and the options of each."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Recipe.model_json_schema(schema_generator=_Generator),
    }
    if models is None:
        return schema
    model = schema["$defs"]["ModelSection"]
    model["properties"]["preset"]["enum"] = list(models)
    model["allOf"] = []
    for preset, options in models.items():
        own = options.model_json_schema(ref_template=f"#/$defs/{preset}.{{model}}")
        schema["$defs"] |= {f"{preset}.{name}": inner for name, inner in own.get("$defs", {}).items()}
        chosen = {"const": preset}
        allowed = {"properties": {"preset": chosen, **own["properties"]}, "additionalProperties": False}
        model["allOf"].append({"if": {"properties": {"preset": chosen}, "required": ["preset"]}, "then": allowed})
    return schema


def reference(models: Models | None = None) -> str:
    """A Markdown page of every key with its type, default and description; with ``models`` the presets' options too."""
    parts = ["# Recipe reference", "## Top level", _table(Recipe, "", leave_out=frozenset(SECTIONS))]
    for name, section in SECTIONS.items():
        parts += [f"## `{name}`", str(Recipe.model_fields[name].description), _table(section, f"{name}.")]
        if name == "model":
            for preset, options in (models or {}).items():
                parts += [f"### Options of `{preset}`", _table(options, "model.")]
    return "\n\n".join(parts) + "\n"


def _table(section: type[BaseModel], prefix: str, leave_out: frozenset[str] = frozenset()) -> str:
    schema = section.model_json_schema(schema_generator=_Generator)
    required = schema.get("required", [])
    rows = ["| key | type | default | description |", "|---|---|---|---|"]
    for name, field in schema.get("properties", {}).items():
        if name not in leave_out:
            default = "required" if name in required else f"`{_yaml_scalar(field.get('default'))}`"
            cells = (f"`{prefix}{name}`", _type(field, schema), default, field.get("description", ""))
            rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows)


def _yaml_scalar(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _type(field: JsonSchema, root: JsonSchema) -> str:
    """A field's JSON schema in words: ``whole number ≥ 1 or null``."""
    if "$ref" in field:
        return _type(root["$defs"][field["$ref"].rsplit("/", 1)[-1]], root)
    if "anyOf" in field:
        return " or ".join(dict.fromkeys(_type(member, root) for member in field["anyOf"]))
    if "const" in field:
        return f"`{_yaml_scalar(field['const'])}`"
    if "enum" in field:
        return ", ".join(f"`{_yaml_scalar(choice)}`" for choice in field["enum"])
    if field.get("format") == "amount":
        return "amount, such as `30 epochs`"
    if field.get("type") == "array":
        inner = field.get("prefixItems") or [field.get("items", {})]
        count = f" of {len(inner)}" if "prefixItems" in field else ""
        return f"list{count}, each {_type(inner[0], root)}"
    bounds = [f"{sign} {field[name]:,}" for name, sign in _BOUNDS.items() if name in field]
    return " ".join([_WORDS.get(field.get("type", ""), "any value"), " and ".join(bounds)]).strip()
