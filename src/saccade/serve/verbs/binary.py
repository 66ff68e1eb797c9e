"""Attention as bytes: the length of a JSON header, the header, then the weights of all layers."""

import base64
import json
import struct
from typing import Any

OCTETS = "application/octet-stream"


def as_bytes(found: dict[str, Any]) -> bytes:
    """Four little-endian bytes say how long the header is; in it each layer says where its uint16 weights are."""
    layers, parts, offset = [], [], 0
    for layer in found["layers"]:
        weights = base64.b64decode(layer["weights"])
        place = {"offset": offset, "bytes": len(weights)}
        layers.append({**{key: value for key, value in layer.items() if key != "weights"}, **place})
        parts.append(weights)
        offset += len(weights)
    header = json.dumps({**found, "layers": layers}, ensure_ascii=False, allow_nan=False).encode()
    return b"".join((struct.pack("<I", len(header)), header, *parts))
