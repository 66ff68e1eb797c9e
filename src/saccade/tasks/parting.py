"""What is learned from and what is validated on: sources of their own, or a share of training that is held out.

A hash of each example decides what is held out, so that it is the same whatever else the data holds.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from saccade.data.cleaning import is_text_held_out
from saccade.data.sources import Split
from saccade.errors import DataError
from saccade.tasks.preparing import PartOnly, told
from saccade.tasks.spool import Writer

Example = TypeVar("Example")
Added = TypeVar("Added", contravariant=True)
Say = Callable[[str], None]
Read = Callable[[str, Split], Iterator[Example]]


@dataclass(frozen=True, kw_only=True)
class Sources:
    """Where the examples of a corpus come from. Where ``valid`` names nothing, a share of train is held out."""

    train: tuple[str, ...]
    valid: tuple[str, ...] = ()
    holdout: float = 0.02
    first: int | None = None
    """Only this many training examples of each source, for a quick look; None takes all."""


class Part(Protocol[Added]):
    """Takes the examples of one side, and counts them."""

    count: int

    def add(self, one: Added, /) -> None: ...


@dataclass(frozen=True)
class Spooled(Generic[Example]):
    """Examples of one kind: what one is called, how they lie on disk, and the text that decides what is held out."""

    name: str
    writer: Callable[[Path], Writer[Example]]
    read: Callable[[Path], Iterator[Example]]
    text: Callable[[Example], str]
    hint: str = ""
    """What else helps where too few are left."""
    least: int = 1
    """So many are needed on either side."""


def part(
    sources: Sources,
    read: Read[Example],
    text: Callable[[Example], str],
    *,
    train: Part[Example],
    valid: Part[Example],
    name: str,
    say: Say,
) -> bool:
    """Goes through all sources once and gives each example to its side; says whether that was a part of them only."""
    partly = False
    for spec in sources.train:
        found = read(spec, "train")
        for one in told(islice(found, sources.first), f"train: {spec}: read", f"{name}s", say):
            out = not sources.valid and is_text_held_out(text(one), sources.holdout)
            (valid if out else train).add(one)
        if next(found, None) is not None:
            partly = True
            say(PartOnly(f"train: {spec}: only the first {sources.first:,} {name}s were looked at; there are more"))
    for spec in sources.valid:
        for one in read(spec, "valid"):
            valid.add(one)
    return partly


def spool(train: Path, held: Path, sources: Sources, read: Read[Example], kind: Spooled[Example], say: Say) -> bool:
    """Writes the examples of both sides to disk; where the share catches too few, a larger one is held out.

    Says whether that was a part of them only.
    """
    with kind.writer(train) as kept, kind.writer(held) as valid:
        partly = part(sources, read, kind.text, train=kept, valid=valid, name=kind.name, say=say)
    share = sources.holdout
    while not sources.valid and valid.count < kind.least and share < 0.5:
        share *= 2
        rest, more = train.with_name("rest.jsonl"), held.with_name("more.jsonl")
        with kind.writer(rest) as kept, kind.writer(more) as valid:
            for one in chain(kind.read(held), kind.read(train)):
                (valid if is_text_held_out(kind.text(one), share) else kept).add(one)
        rest.replace(train)
        more.replace(held)
    say(f"train: {kept.count:,} {kind.name}s")
    say(f"valid: {valid.count:,} {kind.name}s{from_train(sources, share)}")
    check_some_left(kept.count, valid.count, sources, kind.name, kind.hint, least=kind.least)
    return partly


def from_train(sources: Sources, share: float | None = None) -> str:
    """Where the validation examples come from, to be said behind their number."""
    return "" if sources.valid else f" held out of train ({share or sources.holdout:.0%})"


def check_some_left(train: int, valid: int, sources: Sources, name: str, hint: str = "", *, least: int = 1) -> None:
    """Raises where one side is empty, or has fewer than ``least``."""
    for count, use, change in ((train, "train", "lower"), (valid, "validate on", "raise")):
        if count < least:
            left = f"no {name} is left" if least == 1 else f"fewer than {least} {name}s are left"
            raise DataError(
                f"{', '.join(sources.train)}: {left} to {use}: give more of them, {change} data.holdout "
                f"({sources.holdout:g}) or name a source in data.valid{hint}"
            )
