"""Stories: little English texts about one scene, a sentence a line, in three splits that share none."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from saccade.data.examples import Document
from saccade.errors import DataError
from saccade.scenes.descriptions import PATIENCE, Split, distinct, hash_of, split_by
from saccade.scenes.spec import Draw, decide, read_options
from saccade.scenes.storybook import Lines, storybook


@dataclass(frozen=True, slots=True)
class Story:
    """The sentences of a story; ``fingerprint`` is a stable hash of its text."""

    lines: Lines
    fingerprint: int

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def tell(split: Split, size: int, seed: int) -> Iterator[Story]:
    """``size`` stories of the split, all different; the first n are the same for every size."""
    return distinct(_draws(split, Random(f"stories {split} {seed}")), size, patience=PATIENCE)


def read_documents(spec: str, split: str = "train", size: int | None = None, seed: int = 0) -> Iterator[Document]:
    """The stories of one split, a document each: ``read_documents("stories?size=5000&seed=3")``.

    Options in the spec go before the arguments. Without a size there are 20,000 stories to train on and 500 each to
    validate and to test. No story is in two splits, whatever the sizes and seeds. What is wrong with the request is
    said at once, not when the first story is taken.
    """
    name, _, _ = spec.partition("?")
    if name != "stories":
        raise DataError(f"scenes:{spec}: unknown text {name!r}; the running text of scenes is written scenes:stories")
    return _documents(decide(spec, read_options(spec), split=split, size=size, seed=seed))


def _documents(draw: Draw) -> Iterator[Document]:
    for number, story in enumerate(tell(draw.split, draw.size, draw.seed), start=1):
        yield Document(story.text, f"scenes:stories {draw.split} {number}")


def _draws(split: Split, rng: Random) -> Iterator[Story]:
    book = storybook()
    while True:
        lines = book.tell(rng)
        fingerprint = hash_of("\n".join(lines))
        if split_by(fingerprint) == split:
            yield Story(lines, fingerprint)
