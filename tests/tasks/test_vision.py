from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from saccade.data.images.tensors import to_tensor
from saccade.errors import ModelError
from saccade.models import GridShape, PixelShape
from saccade.tasks.captioned import picture_file, told_pictures
from saccade.tasks.vision import GridRows, ReadRows, Vision, centred
from tasks.captions import draw, write_backbone


def test_pixels_go_from_black_to_white() -> None:
    pixels = np.zeros((1, 2, 2, 3), dtype=np.uint8)
    pixels[0, 0, 1] = (255, 0, 51)
    found = centred(to_tensor(pixels))
    assert found.shape == (1, 3, 2, 2)
    torch.testing.assert_close(found[0, :, 0, 1], torch.tensor([1.0, -1.0, -0.6]))
    assert (found[0, :, 0, 0] == -1).all()


def test_a_picture_is_read_when_it_is_asked_for(tmp_path: Path) -> None:
    drawn = draw(tmp_path, 3)
    vision = Vision(16, "squash")
    assert (vision.shape, vision.size, vision.eye()) == (PixelShape(16), 16, None)
    pictures = [picture_file(str(file)) for file in drawn.files]
    rows = vision.rows(pictures)
    assert isinstance(rows, ReadRows)
    batch = rows.batch([2, 0])
    assert batch.shape == (2, 3, 16, 16)
    assert torch.equal(batch[1], centred(to_tensor(pictures[0].pixels(16, "squash")[None]))[0])
    assert not torch.equal(batch[1], Vision(16, "crop").rows(pictures).batch([0])[0])


def test_scenes_are_drawn_in_the_size_that_is_read() -> None:
    (scene,) = told_pictures("scenes:captions?size=1&pixels=32", split="train")
    assert Vision(24).rows([scene]).batch([0]).shape == (1, 3, 24, 24)


def test_a_backbone_gives_its_grid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACCADE_CACHE", str(tmp_path / "cache"))
    drawn, said = draw(tmp_path, 3), list[str]()
    vision = Vision(
        fit="squash", backbone="efficientnet-lite0", weights=write_backbone(tmp_path / "weights.safetensors")
    )
    assert (vision.shape, vision.size) == (GridShape(7, 1280), 224)
    rows = vision.rows([picture_file(str(file)) for file in drawn.files], said.append)
    assert isinstance(rows, GridRows)
    batch = rows.batch([2, 0, 2])
    assert batch.shape == (3, 49, 1280)
    assert batch.dtype == torch.float32
    assert torch.equal(batch[0], batch[2])
    assert not torch.equal(batch[0], batch[1])
    assert len(said) == 1


def test_a_larger_picture_gives_a_backbone_a_finer_grid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACCADE_CACHE", str(tmp_path / "cache"))
    picture = picture_file(str(draw(tmp_path, 1).files[0]))
    own = Vision(fit="squash", backbone="efficientnet-lite0", weights=write_backbone(tmp_path / "weights.safetensors"))
    larger = replace(own, pixels=256)
    assert (larger.shape, larger.size) == (GridShape(8, 1280), 256)
    assert larger.rows([picture]).batch([0]).shape == (1, 64, 1280)
    assert own.rows([picture]).batch([0]).shape == (1, 49, 1280), "the two share no cache"
    with pytest.raises(ModelError) as told:
        _ = replace(own, pixels=240).shape
    assert str(told.value) == (
        "efficientnet-lite0 makes pictures 32 times smaller, and 240 pixels are no multiple of that: give "
        "data.pixels as a multiple of 32"
    )
