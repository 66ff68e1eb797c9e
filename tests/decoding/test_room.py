from hypothesis import given
from hypothesis import strategies as st

from saccade.decoding import Room


def test_the_longest_source_counts_for_all() -> None:
    room = Room([10, 10, 10, 4, 4, 4, 4, 4], budget=20)
    assert room.next([]) == [0, 1]
    assert room.next([0, 1]) == []
    assert room.next([1]) == [2]
    assert room.next([2]) == [3]
    assert room.next([3]) == [4, 5, 6, 7]
    assert room.next([]) == []


def test_a_sentence_that_fits_nowhere_goes_alone() -> None:
    room = Room([100, 1, 1], budget=10)
    assert room.next([]) == [0]
    assert room.next([0]) == []
    assert room.next([]) == [1, 2]


def test_who_may_begin_need_not() -> None:
    room = Room([4, 4, 4, 2, 2], budget=8)
    assert (room.fitting([]), room.take(1)) == (2, [0])
    assert (room.fitting([0]), room.take(1)) == (1, [1])
    assert room.fitting([0, 1]) == 0
    assert (room.fitting([]), room.next([])) == (2, [2, 3])


def test_room_for_all() -> None:
    assert Room.for_all(5).next([]) == [0, 1, 2, 3, 4]


@given(st.lists(st.integers(1, 30), min_size=1, max_size=40), st.integers(1, 60), st.data())
def test_everybody_gets_in_once_and_the_budget_holds(sizes: list[int], budget: int, data: st.DataObject) -> None:
    room, going, seen = Room(sizes, budget), [], []
    while len(seen) < len(sizes):
        new = room.next(going)
        assert new or going
        going += new
        seen += new
        assert len(going) == 1 or len(going) * max(sizes[one] for one in going) <= budget
        left = data.draw(st.integers(0, len(going) - 1))
        going = going[len(going) - left :]
    assert seen == list(range(len(sizes)))
