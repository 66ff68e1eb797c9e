"""Python's own reference text, which comes with Python: real prose without a file or a network."""

from collections.abc import Iterator
from hashlib import blake2b

from saccade.data.examples import Document
from saccade.data.sources.read import Split
from saccade.errors import DataError

SHARE = 0.1  # of the topics for validation, and as many for test


def read_topics(rest: str, split: Split) -> Iterator[Document]:
    """The topics of ``pydoc_data.topics``, one document each, in the order of their names.

    The hash of its name puts a topic into train, valid or test. Which topics there are depends on Python's version.
    """
    if rest != "topics":
        raise DataError(f'python:{rest}: Python comes with one text, "topics": write python:topics')
    return _of(split)


def _of(split: Split) -> Iterator[Document]:
    from pydoc_data.topics import topics

    for name in sorted(topics):
        if _split_of(name) == split:
            yield Document(topics[name].strip("\n"), f"python:topics/{name}")


def _split_of(name: str) -> Split:
    share = int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "big") / 2**64
    return "valid" if share < SHARE else "test" if share < 2 * SHARE else "train"
