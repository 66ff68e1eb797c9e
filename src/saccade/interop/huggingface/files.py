"""Weight files: safetensors, one or several with an index, and torch's own files without running what is in them."""

import json
import pickle
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from saccade.errors import DataError
from saccade.files import replacing

SAFE, OLD = "model.safetensors", "pytorch_model.bin"


def read_json(path: Path) -> dict[str, Any]:
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise DataError(f"{path} is missing: expected the folder of a Hugging Face model") from error
    except ValueError as error:
        raise DataError(f"{path} is not JSON ({error})") from error
    if not isinstance(read, dict):
        raise DataError(f"{path}: expected an object, got {type(read).__name__}")
    return read


def read_weights(folder: Path) -> dict[str, Tensor]:
    """Every tensor of the folder's weight files."""
    weights: dict[str, Tensor] = {}
    for file in _weight_files(folder):
        if not file.exists():
            raise DataError(f"{file} is missing, though the index names it")
        weights |= read_tensors(file)
    return weights


def read_tensors(file: Path) -> dict[str, Tensor]:
    """Every tensor of one file; of a training's file of torch's, those under ``state_dict`` or ``model``."""
    try:
        read = (
            load_file(file)
            if file.suffix == ".safetensors"
            else torch.load(file, map_location="cpu", weights_only=True)
        )
    except FileNotFoundError as error:
        raise DataError(f"{file}: no such file") from error
    except (SafetensorError, pickle.UnpicklingError, RuntimeError, EOFError, OSError) as error:
        raise DataError(f"{file} cannot be read as weights ({error})") from error
    if isinstance(read, dict):
        read = next((read[key] for key in ("state_dict", "model") if isinstance(read.get(key), dict)), read)
    if not isinstance(read, dict) or not all(isinstance(one, Tensor) for one in read.values()):
        raise DataError(f"{file} cannot be read as weights (expected a state dict, that is tensors by name)")
    return dict(read)


def write_weights(folder: Path, weights: Mapping[str, Tensor]) -> None:
    with replacing(folder / SAFE) as new:
        save_file({name: tensor.contiguous() for name, tensor in weights.items()}, new, metadata={"format": "pt"})


def _weight_files(folder: Path) -> Iterator[Path]:
    for name in (SAFE, OLD):
        index = folder / f"{name}.index.json"
        if (folder / name).exists():
            yield folder / name
            return
        if index.exists():
            shards = read_json(index).get("weight_map")
            if not isinstance(shards, dict):
                raise DataError(f"{index} has no weight_map, which says where each tensor lies")
            for shard in sorted(set(shards.values())):
                if Path(shard).name != shard:
                    raise DataError(f"{index} names {shard!r}: shards lie in the same folder")
                yield folder / shard
            return
    raise DataError(f"{folder} has no weights: expected {SAFE}, {OLD}, or an index of several such files")
