"""Scenes with what is said of them, in three splits that share no meaning."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Literal, Protocol, TypeVar, get_args

from saccade.errors import DataError
from saccade.scenes.plan import Statement, meaning
from saccade.scenes.planner import draw_statement
from saccade.scenes.sampler import sample_scene
from saccade.scenes.world import Scene

Split = Literal["train", "valid", "test"]
SPLITS: tuple[Split, ...] = get_args(Split)
DEFAULT_SIZES: dict[Split, int] = {"train": 20_000, "valid": 500, "test": 500}
PATIENCE = 100_000  # draws without a new sentence after which the world counts as told
TRIES = 8  # plans tried on a scene before another one is drawn


@dataclass(frozen=True, slots=True)
class Description:
    """A scene and one true statement about it; ``fingerprint`` is a stable hash of what the statement means."""

    scene: Scene
    statement: Statement
    fingerprint: int


class Marked(Protocol):
    """What knows a stable hash of itself, by which it is told from others and put into a split."""

    @property
    def fingerprint(self) -> int: ...


Drawn = TypeVar("Drawn", bound=Marked)


def split_of(statement: Statement) -> Split:
    """The split to which a statement belongs, by its meaning alone: four fifths train, one tenth each the others."""
    return split_by(_fingerprint(statement))


def describe(split: Split, size: int, seed: int) -> Iterator[Description]:
    """``size`` descriptions of the split, all different; the first n are the same for every size."""
    return distinct(_draws(split, Random(f"scenes {split} {seed}")), size, patience=PATIENCE)


def distinct(draws: Iterable[Drawn], size: int, *, patience: int) -> Iterator[Drawn]:
    """The first ``size`` different ones.

    A DataError when the draws end, or when ``patience`` of them in a row bring nothing new: then the world is told.
    """
    seen: set[int] = set()
    idle = 0
    for drawn in draws:
        if drawn.fingerprint in seen:
            idle += 1
            if idle == patience:
                break
            continue
        idle = 0
        seen.add(drawn.fingerprint)
        yield drawn
        if len(seen) == size:
            return
    raise DataError(
        f"scenes: {size:,} different sentences were asked for, but there are only {len(seen):,}: ask for a smaller size"
    )


def _draws(split: Split, rng: Random) -> Iterator[Description]:
    """Scenes, each with one statement; scenes about which the split has nothing to say are passed over."""
    while True:
        scene = sample_scene(rng)
        for _ in range(TRIES):
            statement = draw_statement(rng, scene)
            if statement is None:
                continue
            fingerprint = _fingerprint(statement)
            if split_by(fingerprint) == split:
                yield Description(scene, statement, fingerprint)
                break


def split_by(fingerprint: int) -> Split:
    """The split of whatever has this fingerprint."""
    bucket = fingerprint % 10
    return "valid" if bucket == 0 else "test" if bucket == 1 else "train"


def hash_of(text: str) -> int:
    """A hash that is the same in every process and on every machine."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())


def _fingerprint(statement: Statement) -> int:
    return hash_of(meaning(statement))
