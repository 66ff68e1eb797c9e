"""How many sentences are decoded side by side."""

from collections.abc import Iterable, Sequence


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
        present = [self._sizes[sentence] for sentence in going]
        longest, count = max(present, default=0), len(present)
        new: list[int] = []
        while self._next < len(self._sizes):
            longest = max(longest, self._sizes[self._next])
            if count and (count + 1) * longest > self._budget:
                break
            new.append(self._next)
            self._next += 1
            count += 1
        return new
