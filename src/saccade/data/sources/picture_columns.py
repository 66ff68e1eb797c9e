"""Which columns or keys of a file hold the picture and what is said of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from saccade.data.sources.near import did_you_mean
from saccade.errors import DataError

# What is looked for where nobody names a column, the first that is there.
PICTURES = ("image", "img", "picture", "photo", "file_name", "filename", "path")
CAPTIONS = ("caption", "captions", "sentence", "sentences", "text")
LABELS = ("label", "labels", "class")


@dataclass(frozen=True)
class PictureColumns:
    """The names asked for, ``None`` where none was given; ``said`` is the caption's or the label's."""

    picture: str | None = None
    said: str | None = None

    def __post_init__(self) -> None:
        if self.picture is not None and self.picture == self.said:
            raise DataError(f'the column "{self.picture}" is asked for twice: one is the picture, the other not')


@dataclass(frozen=True)
class PictureWanted:
    """What a file is read for: the columns, the customary names of what is said, and whether it has to be there."""

    columns: PictureColumns
    customary: tuple[str, ...]
    needs_said: bool = True


@dataclass(frozen=True)
class PictureChosen:
    """The columns to read; ``said`` is None where nothing is said and nothing has to be."""

    picture: str
    said: str | None


def choose_picture(wanted: PictureWanted, present: Sequence[str], where: str) -> PictureChosen:
    """The columns asked for, or those with a customary name where none was asked for, of those that are present."""
    picture = _one(wanted.columns.picture, PICTURES, present, where)
    said = wanted.columns.said
    if not wanted.needs_said and not set(wanted.customary if said is None else [said]) & set(present):
        return PictureChosen(picture, None)
    return PictureChosen(picture, _one(said, wanted.customary, present, where))


def _one(asked: str | None, customary: tuple[str, ...], present: Sequence[str], where: str) -> str:
    there = f"(there are: {', '.join(name[:40] for name in present) or 'none'})"
    found = asked if asked is not None else next((name for name in customary if name in present), None)
    how = f"name the two columns behind the file, as in {where.partition(':')[0]}:{{photo,{customary[0]}}}"
    if found is None:
        listed = f"{', '.join(customary[:-1])} or {customary[-1]}"
        raise DataError(f"{where}: no column such as {listed} {there}; {how}")
    if found not in present:
        raise DataError(f'{where}: no column or key "{found}"{did_you_mean(found, present)} {there}; {how}')
    if present.count(found) > 1:
        raise DataError(f'{where}: the column "{found}" is there {present.count(found)} times: give each its own name')
    return found
