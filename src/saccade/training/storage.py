"""Tensors on disk: safetensors with a checksum of their bytes in the header, so that one flipped bit is noticed."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from saccade.errors import RunError
from saccade.files import replacing


def save_tensors(path: Path, tensors: Mapping[str, Tensor]) -> None:
    plain = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    with replacing(path) as new:
        try:
            save_file(plain, new, metadata={"sha256": _checksum(plain)})
        except SafetensorError as error:  # the library's word for a full disk, among others
            raise OSError(str(error)) from error


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
