import pytest

from saccade.complexity import QUICK, TYPES, Plan, sizes_given, types_named
from saccade.errors import ModelError


def test_the_plans_that_come_along_are_sound() -> None:
    for plan in (Plan(), QUICK):
        assert plan.types == TYPES
        assert min(plan.lengths) >= 4 * plan.width, "the projections are a third at most"


def test_types_in_the_order_of_the_table() -> None:
    assert types_named("restricted, self-attention,restricted") == ("self-attention", "restricted")
    assert types_named(",".join(TYPES)) == TYPES


def test_unknown_types() -> None:
    with pytest.raises(ModelError, match=r"no type of layer 'recurent' \(did you mean recurrent\?\); known are self-a"):
        types_named("self-attention,recurent")
    with pytest.raises(ModelError, match="no type of layer 'xyz'; known are"):
        types_named("xyz")
    with pytest.raises(ModelError, match="no type of layer is named"):
        Plan(types=types_named(" , "))


def test_sizes() -> None:
    assert sizes_given("1024, 512,1_536,512", name="lengths") == (512, 1024, 1536)


@pytest.mark.parametrize("text", ["", "512,", "a,b", "0,512", "-1,5", "512;1024", "1.5,2"])
def test_what_is_not_a_list_of_sizes(text: str) -> None:
    with pytest.raises(ModelError, match=r"lengths: .* is not a list of sizes: give numbers from 1 up, such as 512,10"):
        sizes_given(text, name="lengths")


def test_plans_that_cannot_be_measured() -> None:
    with pytest.raises(ModelError, match="lengths: 512 is too little to see growth: give two sizes or more"):
        Plan(lengths=(512,))
    with pytest.raises(ModelError, match="widths: nothing is too little to see growth"):
        Plan(widths=())
    with pytest.raises(ModelError, match="are numbers from 1 up"):
        Plan(threads=0)
    with pytest.raises(ModelError, match="a kernel of 4 positions has no centre to stand on: give 3, 5, 7"):
        Plan(kernel=4)
    with pytest.raises(ModelError, match="a kernel of 1 positions has no centre"):
        Plan(kernel=1)
    with pytest.raises(ModelError, match="a window of 0 to each side does not restrict attention in 128 positions"):
        Plan(window=0)
    with pytest.raises(ModelError, match="in 100 positions: give one from 1 to 49, or greater lengths"):
        Plan(window=50, lengths=(100, 200))
    with pytest.raises(ModelError, match=r"a length of 65,536 needs a table of 4 × 65,536² weights, .* at most 16,384"):
        Plan(lengths=(512, 65_536))
    with pytest.raises(ModelError, match=r"a table of 16 × 10,000² weights, .* at most 8,192"):
        Plan(length=10_000)


def test_limits_hold_only_for_the_types_that_are_measured() -> None:
    assert Plan(types=("recurrent",), window=500, lengths=(512, 65_536)).lengths[-1] == 65_536
    assert Plan(window=49, lengths=(100, 200)).window == 49
