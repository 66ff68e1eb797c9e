import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.complexity.fitting import fit_power_law
from saccade.errors import ModelError

pytestmark = pytest.mark.property


@given(factor=st.floats(1e-6, 1e6), exponent=st.floats(-3, 3), count=st.integers(2, 8))
def test_a_known_law_is_found_again(factor: float, exponent: float, count: int) -> None:
    sizes = [64 * 2**power for power in range(count)]
    law = fit_power_law(sizes, [factor * size**exponent for size in sizes])
    assert law.exponent == pytest.approx(exponent, abs=1e-9)
    assert law.factor == pytest.approx(factor, rel=1e-6)
    assert law.at(100) == pytest.approx(factor * 100**exponent, rel=1e-6)


def test_noise_on_both_sides_of_a_law_does_not_tilt_it() -> None:
    sizes = [1, 2, 4, 8]
    values = [size**2 * wobble for size, wobble in zip(sizes, (1.1, 1 / 1.1, 1 / 1.1, 1.1), strict=True)]
    assert fit_power_law(sizes, values).exponent == pytest.approx(2)


def test_the_line_is_that_of_least_squares() -> None:
    """By hand: slopes through (0, 0), (1, 1), (2, 4) in natural logarithms."""
    law = fit_power_law([1, math.e, math.e**2], [1, math.e, math.e**4])
    assert law.exponent == pytest.approx(2)
    assert math.log(law.factor) == pytest.approx(-1 / 3)


def test_what_no_law_goes_through() -> None:
    with pytest.raises(ModelError, match="values at two sizes or more, got 1 at 1"):
        fit_power_law([512], [0.1])
    with pytest.raises(ModelError, match="values at two sizes or more, got 2 at 1"):
        fit_power_law([512, 512], [0.1, 0.2])
    with pytest.raises(ModelError, match="above zero only"):
        fit_power_law([512, 1024], [0.0, 0.2])
