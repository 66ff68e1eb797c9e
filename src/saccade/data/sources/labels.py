"""The set of labels a model learns to tell apart, found in its training data, and the numbers of a regression."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from saccade.data.examples import Labelled, Pictured, Tagged
from saccade.data.sources.conll import OUTSIDE, TagKind
from saccade.data.sources.near import did_you_mean
from saccade.errors import DataError

SHOWN = 20  # labels in a message


@dataclass(frozen=True)
class LabelSet:
    """The names of the classes; the place of a name is the number that the model gives the class."""

    names: tuple[str, ...]

    def number(self, label: str | None, where: str) -> int:
        """The number of a label; one that training has not seen is an error that lists the known ones."""
        if label is None:
            raise DataError(f"{where}: has no label: expected one of {self.shown}")
        try:
            return self.names.index(label)
        except ValueError:
            near = did_you_mean(label, self.names)
            raise DataError(f'{where}: unknown label "{label}"{near}; the known ones are {self.shown}') from None

    @property
    def shown(self) -> str:
        more = f" and {len(self.names) - SHOWN:,} more" if len(self.names) > SHOWN else ""
        return ", ".join(self.names[:SHOWN]) + more


def found_labels(examples: Iterable[Labelled | Pictured], shown: str) -> LabelSet:
    """The labels of the training data ``shown``, whole numbers in their order, all others by the alphabet."""
    counts: Counter[str] = Counter()
    for example in examples:
        if example.label is None:
            raise DataError(f"{example.where}: has no label: every example to learn from needs one")
        counts[example.label] += 1
    names = sorted(counts)
    if len(names) == 1:
        raise DataError(
            f'{shown}: all of {counts.total():,} examples have the label "{names[0]}": a classifier needs two classes '
            "at least; is it the right column?"
        )
    if all(name.removeprefix("-").isdecimal() for name in names):
        names.sort(key=int)
    return LabelSet(tuple(names))


def found_tags(sentences: Iterable[Tagged], shown: str, *, tags: TagKind = "entities") -> LabelSet:
    """O, then B- and I- of every type of entity in the training data ``shown``, types by the alphabet.

    Tags that are ``plain`` stand for themselves: those that were found, by the alphabet.
    """
    found = {tag for sentence in sentences for tag in sentence.tags}
    if tags == "plain":
        if len(found) == 1:
            raise DataError(
                f'{shown}: every tag is "{found.pop()}": a tagger needs two tags at least; is the last column the tag?'
            )
        return LabelSet(tuple(sorted(found)))
    types = {tag[2:] for tag in found if tag != OUTSIDE}
    if not types:
        raise DataError(f"{shown}: every tag is {OUTSIDE}: a tagger needs entities to learn from")
    return LabelSet((OUTSIDE, *(f"{mark}-{kind}" for kind in sorted(types) for mark in "BI")))


def number_of(example: Labelled) -> float:
    """The label as the number that a regression is to find."""
    label = example.label
    try:
        number = math.nan if label is None else float(label)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        given = "has no label" if label is None else f'the label is "{label}"'
        raise DataError(f"{example.where}: {given}: a regression expects a number, such as 3.5")
    return number
