"""Which columns or keys of a labelled file hold the text, the second text and the label."""

from collections.abc import Sequence
from dataclasses import dataclass

from saccade.data.sources.near import did_you_mean
from saccade.errors import DataError

# What is looked for where nobody names a column, the first that is there; pairs come before single texts.
PAIRS = (
    ("sentence1", "sentence2"),
    ("question1", "question2"),
    ("premise", "hypothesis"),
    ("question", "sentence"),
    ("text1", "text2"),
)
TEXTS = ("text", "sentence")
LABELS = ("label", "gold_label", "class", "score")

HOW = "name the columns with text, second and label"
NUMBERS = "a table without a header needs their numbers, counted from 1, as in text=1 label=2"


@dataclass(frozen=True)
class Columns:
    """The names asked for, ``None`` where none was given. Numbers, counted from 1, are for a table without a header."""

    text: str | None = None
    second: str | None = None
    label: str | None = None

    def __post_init__(self) -> None:
        for name in self.given:
            if self.given.count(name) > 1:
                raise DataError(
                    f'the column "{name}" is asked for twice: text, second and label must be different ones'
                )

    @property
    def given(self) -> tuple[str, ...]:
        return tuple(name for name in (self.text, self.second, self.label) if name is not None)

    @property
    def numbered(self) -> bool:
        return self.text is not None and all(name.isdecimal() for name in self.given)


@dataclass(frozen=True)
class Chosen:
    """The columns to read: one text or two, and the label if there is one."""

    text: str
    second: str | None
    label: str | None

    @property
    def names(self) -> list[str]:
        return [name for name in (self.text, self.second, self.label) if name is not None]


def choose(columns: Columns, present: Sequence[str], where: str, *, needs_label: bool) -> Chosen:
    """The columns asked for, or those with a customary name where none was asked for, of those that are present."""
    text, second = columns.text, columns.second
    if text is None:
        text, second = _customary(columns, present, where)
    label = columns.label
    if label is None:
        label = _first([name for name in LABELS if name not in (text, second)], present)
    if label is None and needs_label:
        raise DataError(f"{where}: no column for the label, such as {_or(LABELS)} ({_there(present)}); {HOW}")
    if label not in present and not needs_label:
        label = None
    chosen = Chosen(text, second, label)
    for name in chosen.names:
        if name not in present:
            near = did_you_mean(name, present)
            raise DataError(f'{where}: no column or key "{name}"{near} ({_there(present)}); {HOW}')
        if present.count(name) > 1:
            raise DataError(
                f'{where}: the column "{name}" is there {present.count(name)} times: give each its own name'
            )
    return chosen


def _customary(columns: Columns, present: Sequence[str], where: str) -> tuple[str, str | None]:
    if columns.second is None:
        for pair in PAIRS:
            if set(pair) <= set(present):
                return pair
    text = _first([name for name in TEXTS if name not in columns.given], present)
    if text is None:
        pairs = _or([f"{one} with {other}" for one, other in PAIRS])
        raise DataError(
            f"{where}: no column for the text, such as {_or(TEXTS)}, or {pairs} ({_there(present)}); {HOW}; {NUMBERS}"
        )
    return text, columns.second


def _first(names: Sequence[str], present: Sequence[str]) -> str | None:
    return next((name for name in names if name in present), None)


def _or(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"


def _there(present: Sequence[str]) -> str:
    return f"there are: {', '.join(name[:40] for name in present) or 'none'}"
