import random
from pathlib import Path

import pytest
import torch
from torch import Tensor

from saccade.errors import RunError
from saccade.training.storage import load_tensors, save_tensors


@pytest.fixture
def tensors() -> dict[str, Tensor]:
    torch.manual_seed(0)
    return {"a/step": torch.tensor(3.0), "b": torch.randn(5, 4), "c": torch.randn(7).bfloat16(), "d": torch.arange(9)}


def test_round_trip(tmp_path: Path, tensors: dict[str, Tensor]) -> None:
    save_tensors(tmp_path / "t.safetensors", tensors)
    found = load_tensors(tmp_path / "t.safetensors")
    assert found.keys() == tensors.keys()
    assert all(torch.equal(found[name], tensors[name]) for name in tensors)
    assert [path.name for path in tmp_path.iterdir()] == ["t.safetensors"]


def test_a_flipped_bit_in_any_byte_is_noticed(tmp_path: Path, tensors: dict[str, Tensor]) -> None:
    path = tmp_path / "t.safetensors"
    save_tensors(path, tensors)
    whole = path.read_bytes()
    dice = random.Random(3)
    for place in range(len(whole)):  # length of the header, header, padding of the header, contents: all of it
        damaged = bytearray(whole)
        damaged[place] ^= 1 << dice.randrange(8)
        path.write_bytes(damaged)
        with pytest.raises(RunError, match=r"t.safetensors is damaged"):
            load_tensors(path)


def test_flipped_bits_in_a_real_model(tmp_path: Path, translator: Path) -> None:
    whole = (translator / "model.safetensors").read_bytes()
    header = 8 + int.from_bytes(whole[:8], "little")
    path = tmp_path / "model.safetensors"
    dice = random.Random(5)
    places = [dice.randrange(header) for _ in range(40)] + [dice.randrange(header, len(whole)) for _ in range(40)]
    for place in places:
        damaged = bytearray(whole)
        damaged[place] ^= 1 << dice.randrange(8)
        path.write_bytes(damaged)
        with pytest.raises(RunError, match=r"model.safetensors is damaged"):
            load_tensors(path)


def test_a_cut_file(tmp_path: Path, tensors: dict[str, Tensor]) -> None:
    path = tmp_path / "t.safetensors"
    save_tensors(path, tensors)
    whole = path.read_bytes()
    for length in (0, 4, 50, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(RunError, match=r"t.safetensors is damaged or only half written"):
            load_tensors(path)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"gone.safetensors is missing"):
        load_tensors(tmp_path / "gone.safetensors")


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="could not be written"):
        save_tensors(tmp_path / "nowhere" / "t.safetensors", {"a": torch.ones(2)})
