"""What attention costs beside recurrence and convolution: theory's table, measured."""

from saccade.complexity.measuring import Complexity, Measured, Paths, measure
from saccade.complexity.plan import QUICK, Plan, sizes_given, types_named
from saccade.complexity.theory import THEORY, TYPES, TypeName, longest_in_theory

__all__ = [
    "QUICK",
    "THEORY",
    "TYPES",
    "Complexity",
    "Measured",
    "Paths",
    "Plan",
    "TypeName",
    "longest_in_theory",
    "measure",
    "sizes_given",
    "types_named",
]
