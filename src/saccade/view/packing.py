"""Weights for a page: little-endian uint16 in base64, where 65535 stands for ``scale``."""

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray


def packed(weights: NDArray[np.floating[Any]]) -> dict[str, object]:
    """``scale`` is 1 unless edited weights go above it; rounding is then off by less than 1e-5."""
    scale = max(1.0, float(weights.max()))
    steps = np.rint(weights.astype(np.float64) / scale * 65535).astype("<u2")
    return {"scale": scale, "weights": base64.b64encode(steps.tobytes()).decode("ascii")}
