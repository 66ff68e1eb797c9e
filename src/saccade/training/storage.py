"""Files that are either whole or not there: written beside their place, fsynced, then renamed into it.

Tensors are kept as safetensors with a checksum of their bytes in the header, so that one flipped bit is noticed.
"""

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from saccade.errors import RunError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A new place to write to: when the block ends well it becomes ``path``, otherwise ``path`` stays as it was."""
    new = path.with_name(f"{path.name}.new")
    try:
        yield new
        with new.open("rb+") as file:
            os.fsync(file.fileno())
        new.replace(path)
        _sync_folder(path.parent)
    except (OSError, SafetensorError) as error:
        new.unlink(missing_ok=True)
        raise RunError(f"{path} could not be written ({error}); what was saved before is untouched") from error


def write_text(path: Path, text: str) -> None:
    with replacing(path) as new:
        new.write_text(text, encoding="utf-8")


def save_tensors(path: Path, tensors: Mapping[str, Tensor]) -> None:
    plain = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    with replacing(path) as new:
        save_file(plain, new, metadata={"sha256": _checksum(plain)})


def load_tensors(path: Path) -> dict[str, Tensor]:
    """The tensors of a file, after their checksum was found right."""
    if not path.exists():
        raise RunError(f"{path} is missing")
    try:
        with safe_open(path, framework="pt") as file:
            said = (file.metadata() or {}).get("sha256")
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (safe_open is no mapping)
    except (SafetensorError, OSError, ValueError) as error:
        raise RunError(f"{path} is damaged or only half written ({error})") from error
    if said != _checksum(tensors):
        raise RunError(f"{path} is damaged: its contents do not agree with their checksum")
    return tensors


def _checksum(tensors: Mapping[str, Tensor]) -> str:
    digest = hashlib.sha256()
    for name in sorted(tensors):
        tensor = tensors[name]
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        digest.update(tensor.contiguous().reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
