"""How many sentences are decoded side by side."""

from collections.abc import Iterable, Sequence
from itertools import islice


class Room:
    """Lets sentences in, in their order, as long as sentences × their longest source stays within a budget of tokens.

    It is best to have the longest ones first: then no late one finds its neighbours done.
    """

    def __init__(self, sizes: Sequence[int], budget: int) -> None:
        self._sizes = sizes
        self._budget = budget
        self._next = 0

    @classmethod
    def for_all(cls, sentences: int) -> "Room":
        return cls([0] * sentences, 0)

    def next(self, going: Iterable[int]) -> list[int]:
        """Those who may begin beside those who are going; where nobody is, at least one."""
        return self.take(self.fitting(going))

    def fitting(self, going: Iterable[int]) -> int:
        """How many may begin beside those who are going."""
        present = [self._sizes[sentence] for sentence in going]
        longest, count = max(present, default=0), len(present)
        for size in islice(self._sizes, self._next, None):
            longest = max(longest, size)
            if count and (count + 1) * longest > self._budget:
                break
            count += 1
        return count - len(present)

    def take(self, count: int) -> list[int]:
        """The next so many begin."""
        began, self._next = self._next, self._next + count
        return list(range(began, self._next))
