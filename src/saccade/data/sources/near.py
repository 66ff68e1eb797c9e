"""The nearest known word, for messages."""

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(word: str, known: Iterable[str], *, before: str = "") -> str:
    """`` (did you mean train.en?)``, or nothing when no known word is near; ``before`` is put before the word."""
    near = get_close_matches(word, list(known), n=1)
    return f" (did you mean {before}{near[0]}?)" if near else ""
