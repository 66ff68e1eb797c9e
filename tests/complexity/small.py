"""Sizes so small that everything is measured in a moment."""

from saccade.complexity import Plan

SMALL = Plan(
    lengths=(32, 64, 128),
    width=8,
    widths=(8, 16, 32),
    length=32,
    path_lengths=(8, 16),
    rows_of_lengths=1,
    rows_of_widths=2,
    window=4,
    repeats=1,
)
