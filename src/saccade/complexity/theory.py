"""What theory says of a layer of each type (Vaswani et al. 2017, table 1).

n positions of width d, a kernel of k positions, a window of r positions to each side.
"""

from dataclasses import dataclass
from typing import Literal, get_args

TypeName = Literal["self-attention", "recurrent", "convolutional", "restricted"]
StackName = Literal["self-attention", "recurrent", "dilated", "contiguous", "restricted"]

TYPES: tuple[TypeName, ...] = get_args(TypeName)


@dataclass(frozen=True)
class Theory:
    """A row of the table. The number of operations grows like n^``in_length`` · d^``in_width``."""

    complexity: str
    in_length: int
    in_width: int
    sequential: str
    stacks: tuple[StackName, ...]


THEORY: dict[TypeName, Theory] = {
    "self-attention": Theory("O(n²·d)", 2, 1, "O(1)", ("self-attention",)),
    "recurrent": Theory("O(n·d²)", 1, 2, "O(n)", ("recurrent",)),
    "convolutional": Theory("O(k·n·d²)", 1, 2, "O(1)", ("dilated", "contiguous")),
    "restricted": Theory("O(r·n·d)", 1, 1, "O(1)", ("restricted",)),
}

PATHS: dict[StackName, str] = {
    "self-attention": "O(1)",
    "recurrent": "O(n)",
    "dilated": "O(log_k n)",
    "contiguous": "O(n/k)",
    "restricted": "O(n/r)",
}


def longest_in_theory(stack: StackName, length: int, *, kernel: int, window: int) -> int:
    """Steps between the two of ``length`` positions that lie farthest from each other, exactly.

    - self-attention: 1, since everybody looks at everybody;
    - recurrent: n − 1, one for each hand-over of the state;
    - dilated: L layers of causal kernels with gaps 1, k, k² … reach back k^L − 1 positions, so ⌈log_k n⌉;
    - contiguous: a centred kernel reaches ⌊k/2⌋ positions, so ⌈(n − 1) / ⌊k/2⌋⌉;
    - restricted: ⌈(n − 1) / r⌉.
    """
    match stack:
        case "self-attention":
            return min(1, length - 1)
        case "recurrent":
            return length - 1
        case "dilated":
            return next(layers for layers in range(length) if kernel**layers >= length)
        case "contiguous":
            return -(-(length - 1) // (kernel // 2))
        case "restricted":
            return -(-(length - 1) // window)
