"""One JSON object a line."""

import json
from collections.abc import Iterator

from saccade.data.examples import Pair
from saccade.data.sources.files import SourceFile
from saccade.data.sources.lines import lines
from saccade.data.sources.wanted import Wanted, pair_of
from saccade.errors import DataError


def jsonl_pairs(file: SourceFile, wanted: Wanted) -> Iterator[Pair]:
    """The pairs of the objects; a blank line is a blank pair."""
    for number, line in enumerate(lines(file), start=1):
        where = file.where(number)
        if line.strip():
            yield pair_of(json_object(line, where), wanted, where)
        else:
            yield Pair("", "", where)


def json_object(line: str, where: str) -> dict[str, object]:
    """The object that stands on one line."""
    try:
        value = json.loads(line)
    except json.JSONDecodeError as error:
        raise DataError(f"{where}: broken JSON: {error.msg} at column {error.colno}") from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits; thousands of brackets
        raise DataError(f"{where}: broken JSON: {error}") from None
    if not isinstance(value, dict):
        raise DataError(f"{where}: expected a JSON object with its texts, found {type(value).__name__}")
    return value
