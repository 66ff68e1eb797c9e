"""Two parallel text files: line n of one says what line n of the other says."""

from collections.abc import Iterator

from saccade.data.examples import Pair
from saccade.data.sources.files import SourceFile
from saccade.data.sources.lines import count_lines, lines
from saccade.errors import DataError


def parallel_pairs(source: SourceFile, target: SourceFile) -> Iterator[Pair]:
    """The pairs of two files of equal length; the length is checked before the first pair is given."""
    if source.path == target.path:
        raise DataError(f"{source.shown} is named for both sides: expected two different files")
    source_count = count_lines(source)
    target_count = count_lines(target)
    if source_count != target_count:
        raise DataError(
            f"{source.shown} has {_lines(source_count)}, {target.shown} has {target_count:,}: "
            "parallel files must have equal length"
        )
    return _zipped(source, target)


def _zipped(source: SourceFile, target: SourceFile) -> Iterator[Pair]:
    for number, (left, right) in enumerate(zip(lines(source), lines(target), strict=True), start=1):
        yield Pair(left, right, source.where(number))


def _lines(count: int) -> str:
    return f"{count:,} line" if count == 1 else f"{count:,} lines"
