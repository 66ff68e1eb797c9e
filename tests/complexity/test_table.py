import re
from dataclasses import replace

import pytest
from rich.console import Console
from rich.table import Table

from saccade.complexity import Complexity, Measured
from saccade.complexity.fitting import PowerLaw
from saccade.complexity.table import chain_text, growth_table, lecture_table, notes


@pytest.fixture
def found(measured: Complexity) -> Complexity:
    """With times that grow exactly as theory has it."""
    exact = [timed(each, each.in_length.theory or 1, each.in_width.theory or 1) for each in measured.measured]
    return replace(measured, measured=tuple(exact))


def timed(each: Measured, in_length: float, in_width: float) -> Measured:
    """The same with other exponents of time."""
    return replace(
        each,
        in_length=replace(each.in_length, seconds=PowerLaw(1.0, in_length)),
        in_width=replace(each.in_width, seconds=PowerLaw(1.0, in_width)),
    )


def rows(table: Table) -> list[list[str]]:
    """The cells of each line, as a terminal of the usual 80 columns shows them."""
    console = Console(width=80, highlight=False)
    with console.capture() as capture:
        console.print(table)
    return [re.split(" {2,}", line.strip()) for line in capture.get().splitlines()]


def test_the_lectures_table_has_theory_beside_measurement(found: Complexity) -> None:
    shown = rows(lecture_table(found))
    assert ["layer", "in theory", "measured", "operations", "at n = 16"] in shown
    assert ["self-attention", "O(n²·d)", "n^2.00 d^1.00", "O(1): 1", "O(1): 1"] in shown
    assert ["recurrent", "O(n·d²)", "n^1.00 d^2.00", "O(n): 3n + 3", "O(n): 15"] in shown
    assert ["convolutional", "O(k·n·d²)", "n^1.00 d^2.00", "O(1): 1"] in shown
    assert ["dilated", "O(log_k n): 3"] in shown
    assert ["contiguous", "O(n/k): 15"] in shown
    assert ["restricted", "O(r·n·d)", "n^1.00 d^1.00", "O(1): 9", "O(n/r): 4"] in shown


def test_growth_of_every_part(found: Complexity) -> None:
    shown = {cells[0]: cells[1:] for cells in rows(growth_table(found)) if len(cells) == 4}
    assert shown["self-attention"][:2] == ["n^2.00 d^1.00", "n^2.00 d^1.00"]
    assert shown["with weights held"][0] == "n^2.00 d^1.00"
    assert shown["with weights held"][2].startswith("n^2.00 ")
    assert shown["recurrent"][0] == "n^1.00 d^2.00"
    assert shown["restricted"][0] == "n^1.00 d^1.00"
    assert len(shown) == 1 + 6, "the header and what was measured, two of them with projections"


def test_falling_times_are_not_shown_as_growing(found: Complexity) -> None:
    odd = replace(found, measured=(timed(found.measured[0], -0.25, -0.004),))
    assert rows(growth_table(odd))[-2][2] == "n^-0.25 d^0.00"


def test_notes_say_where_the_term_of_theory_does_not_decide(found: Complexity) -> None:
    said = notes(found)
    assert len(said) == 5
    assert said[0] == (
        "Growth in n: one row of 32 to 128 positions of width 8. "
        "Growth in d: 2 rows of 32 positions of width 8 to 32. "
        "On one thread, the median of one round; k = 3, r = 4."
    )
    assert re.match(r"One pass over 2 rows of 32 positions of width 32 takes [\d.]+ ms \(self-attention\), ", said[2])
    assert "they are 33% of it at n = 32 and 11% at n = 128; at 32 positions of width 32 they are 67%." in said[3]
    assert "(n^2.00); the fused kernel never holds it" in said[4]


def test_a_time_beside_theory_is_named(found: Complexity) -> None:
    few = notes(replace(found, measured=(timed(found.measured[3], 1.2, 1.4), timed(found.measured[4], 1.1, 1.9))))
    assert len(few) == 4
    assert few[3].startswith("More than 0.15 beside theory in time: recurrent n^1.20, recurrent d^1.40. Less growth")


def test_no_word_about_types_that_were_not_measured(found: Complexity) -> None:
    only = replace(found, measured=found.measured[3:4], paths=found.paths[1:2])
    assert not any("attention" in note for note in notes(only))
    assert not any("attention" in cell for cells in rows(lecture_table(only)) for cell in cells)


def test_chains_in_words() -> None:
    assert chain_text((16, 32, 64), (9, 9, 9)) == "9"
    assert chain_text((16, 32, 64), (51, 99, 195)) == "3n + 3"
    assert chain_text((16, 32, 64), (15, 31, 63)) == "n − 1"
    assert chain_text((16, 32), (32, 64)) == "2n"
    assert chain_text((16, 32, 64), (4, 5, 6)) == "4 to 6"
    assert chain_text((16, 32, 64), (16, 32, 65)) == "16 to 65"
