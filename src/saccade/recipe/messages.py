"""Pydantic's errors in the house's words."""

import json

from pydantic_core import ErrorDetails

from saccade.recipe.problems import nearest

_EXPECTED = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "int_parsing_size": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "string_type": "a text",
    "tuple_type": "a list",
    "list_type": "a list",
    "model_type": "a section (keys with values)",
    "dict_type": "a section (keys with values)",
    "none_required": "null",
}
_BOUNDS = {
    "greater_than": ("gt", "greater than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
    "multiple_of": ("multiple_of", "a multiple of"),
}


def message(error: ErrorDetails) -> str:
    """What was expected and what was given, in one line."""
    kind, given, context = error["type"], error.get("input"), error.get("ctx", {})
    if kind in _EXPECTED:
        hint = " (put it in quotes)" if kind == "string_type" and isinstance(given, bool | int | float) else ""
        return f"expected {_EXPECTED[kind]}, got {show(given)}{hint}"
    if kind in _BOUNDS:
        name, words = _BOUNDS[kind]
        return f"must be {words} {float(context[name]):.12g}, got {show(given)}"
    if kind in ("literal_error", "enum"):
        return _choice(str(context["expected"]), given)
    if kind == "string_too_short":
        return "expected a text, got an empty one"
    if kind in ("too_short", "too_long"):
        return f"expected {'at least' if kind == 'too_short' else 'at most'} " + (
            f"{context.get('min_length', context.get('max_length'))} values, got {context['actual_length']}"
        )
    if kind == "missing" and error["loc"] and isinstance(error["loc"][-1], int):
        return f"missing; got {show(given)}"
    # The reasons of validators, ours and the options', come with or without pydantic's own prefix.
    return str(context["error"]) if kind == "value_error" else error["msg"]


def show(given: object) -> str:
    """A value as YAML's flow style has it, cut when long."""
    text = json.dumps(given, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _choice(expected: str, given: object) -> str:
    names = [name.strip("'") for name in expected.replace(" or ", ", ").split(", ")]
    meant = nearest(given, names) if isinstance(given, str) else None
    hint = f" (did you mean {meant}?)" if meant else ""
    if len(names) == 1:
        return f"expected {names[0]}, got {show(given)}{hint}"
    return f"expected one of {', '.join(names)}, got {show(given)}{hint}"
