"""What is to be measured, and at which sizes."""

from dataclasses import dataclass
from difflib import get_close_matches

from saccade.complexity.theory import TYPES, TypeName
from saccade.errors import ModelError

LARGEST_TABLE = 2**30  # weights of rows × n × n: 4 GiB, beyond which a machine of the usual size may not follow


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The growth in n is measured over ``lengths`` at ``width``, that in d over ``widths`` at ``length``.

    The defaults lie where theory's term outweighs what surrounds it: great lengths at a small width, and great widths
    with so many rows that a step of the recurrence multiplies longer than it waits for its weights from memory. Paths
    are followed at ``path_lengths``.
    """

    types: tuple[TypeName, ...] = TYPES
    lengths: tuple[int, ...] = (1024, 1536, 2048, 3072, 4096)
    width: int = 128
    rows_of_lengths: int = 4
    widths: tuple[int, ...] = (384, 512, 768, 1024)
    length: int = 128
    rows_of_widths: int = 16
    path_lengths: tuple[int, ...] = (16, 32, 64, 128, 256)
    kernel: int = 3
    window: int = 32
    repeats: int = 7
    threads: int = 1

    def __post_init__(self) -> None:
        if not self.types:
            raise ModelError(f"no type of layer is named; known are {', '.join(TYPES)}")
        for name, sizes in (("lengths", self.lengths), ("widths", self.widths)):
            if len(set(sizes)) < 2:
                raise ModelError(f"{name}: {_listed(sizes)} is too little to see growth: give two sizes or more")
        counts = (self.width, self.rows_of_lengths, self.rows_of_widths, self.repeats, self.threads)
        if min(*self.lengths, *self.widths, self.length, *counts) < 1:
            raise ModelError("lengths, widths, rows, repeats and threads are numbers from 1 up")
        if self.kernel < 3 or self.kernel % 2 == 0:
            raise ModelError(f"a kernel of {self.kernel} positions has no centre to stand on: give 3, 5, 7 …")
        shortest = min(*self.lengths, self.length)
        if self.window < 1 or ("restricted" in self.types and 2 * self.window + 1 >= shortest):
            raise ModelError(
                f"a window of {self.window} to each side does not restrict attention in {shortest} positions: "
                f"give one from 1 to {max(1, (shortest - 2) // 2)}, or greater lengths"
            )
        for rows, length in ((self.rows_of_lengths, max(self.lengths)), (self.rows_of_widths, self.length)):
            if "self-attention" in self.types and rows * length**2 > LARGEST_TABLE:
                raise ModelError(
                    f"a length of {length:,} needs a table of {rows} × {length:,}² weights, more than fits: "
                    f"give at most {int((LARGEST_TABLE / rows) ** 0.5):,}"
                )


QUICK = Plan(lengths=(512, 1024, 2048), width=64, widths=(256, 384, 512, 768), path_lengths=(8, 16, 32, 64), repeats=3)


def types_named(names: str) -> tuple[TypeName, ...]:
    """``recurrent,self-attention`` in the order of the table, each once."""
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    for name in wanted:
        if name not in TYPES:
            near = get_close_matches(name, TYPES, n=1)
            hint = f" (did you mean {near[0]}?)" if near else ""
            raise ModelError(f"no type of layer {name!r}{hint}; known are {', '.join(TYPES)}")
    return tuple(name for name in TYPES if name in wanted)


def sizes_given(text: str, *, name: str) -> tuple[int, ...]:
    """``512,1024,2048`` as numbers, in order, each once."""
    parts = [part.strip().replace("_", "") for part in text.split(",")]
    if not all(part.isdecimal() and int(part) for part in parts):
        raise ModelError(f"{name}: {text!r} is not a list of sizes: give numbers from 1 up, such as 512,1024,2048")
    return tuple(sorted({int(part) for part in parts}))


def _listed(sizes: tuple[int, ...]) -> str:
    return ", ".join(map(str, sizes)) or "nothing"
