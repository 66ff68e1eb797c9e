"""Small captioned pictures, their boxes, and small random captioners to test tasks with."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from PIL import Image, ImageDraw
from safetensors.torch import save_file

from saccade.data.images.reading import Fit
from saccade.interop.backbones import find_backbone
from saccade.models import Captioner, Vocabulary, build_model
from saccade.tasks.caption_corpus import CaptionCorpus, CaptionSettings, open_caption_corpus, prepare_captions
from saccade.tasks.captioning import CaptionTask
from saccade.tasks.equalizing import Equalizing
from saccade.tasks.features import Eye
from saccade.tasks.reward import RewardSettings
from saccade.tasks.translator import DecodeSettings
from saccade.tasks.vision import Vision

CNN = {"cnn_width": 8, "cnn_stages": 2, "cnn_patch": 4}
SMALL: dict[str, dict[str, Any]] = {
    "caption-rnn": {"dim": 16, **CNN},
    "caption-soft": {"dim": 16, **CNN},
    "caption-hard": {"dim": 16, **CNN},
    "caption-transformer": {"dim": 16, "heads": 2, "encoder_layers": 1, "ff_dim": 32, **CNN},
    "caption-vit": {"dim": 16, "heads": 2, "encoder_layers": 1, "ff_dim": 32, "patch": 8},
}
WHO = ("woman", "man", "dog")
COLOURS = ("red", "blue", "green", "orange")
WIDTH, HEIGHT = 40, 30
PIXELS = 16


@dataclass(frozen=True)
class Drawn:
    """A folder of pictures, the file with their captions and that with the boxes of what stands on the left."""

    folder: Path
    captions: str
    regions: str
    files: tuple[Path, ...]


def draw(folder: Path, count: int = 12, *, boxless: int = 0) -> Drawn:
    """Somebody on the left half of a coloured picture, twice described; the first ``boxless`` ones have no boxes."""
    folder.mkdir(parents=True, exist_ok=True)
    rows, boxes, files = ["image,caption"], [], []
    for number in range(count):
        who, colour = WHO[number % len(WHO)], COLOURS[number % len(COLOURS)]
        picture = Image.new("RGB", (WIDTH, HEIGHT), colour)
        ImageDraw.Draw(picture).rectangle((2, 2, 17, 8 + number), fill=("white", "black", "gray")[number % len(WHO)])
        files.append(folder / f"{number}.png")
        picture.save(files[-1])
        texts = (f"a {who} before a {colour} wall number {number}", f"the {colour} wall and a {who} .")
        rows += [f"{files[-1].name},{text}" for text in texts]
        phrases = [{"chain": "1", "start": text.index(f"a {who}"), "end": text.index(who) + len(who)} for text in texts]
        boxes.append(
            {
                "file": files[-1].name,
                "width": WIDTH,
                "height": HEIGHT,
                "sentences": [{"text": text, "phrases": [one]} for text, one in zip(texts, phrases, strict=True)],
                "boxes": {} if number < boxless else {"1": [[1, 1, 20, HEIGHT]]},
            }
        )
    captions, regions = folder / "captions.csv", folder / "regions.jsonl"
    captions.write_text("\n".join(rows) + "\n", encoding="utf-8")
    regions.write_text("".join(json.dumps(one) + "\n" for one in boxes), encoding="utf-8")
    return Drawn(folder, str(captions), str(regions), tuple(files))


def settings_for(drawn: Drawn, **changes: Any) -> CaptionSettings:
    given = {"valid": (drawn.captions,), "vision": Vision(PIXELS, "squash"), "lowercase": True}
    return CaptionSettings(train=(drawn.captions,), **{**given, **changes})


@dataclass(frozen=True)
class Prepared:
    corpus: CaptionCorpus
    said: list[str]


def prepared(folder: Path, settings: CaptionSettings) -> Prepared:
    """The corpus, and what was said while it was made."""
    said: list[str] = []
    folder.mkdir(parents=True, exist_ok=True)
    prepare_captions(folder / "data", folder, settings, said.append)
    return Prepared(open_caption_corpus(folder / "data", folder), said)


def captioner_for(
    corpus: CaptionCorpus, preset: str = "caption-soft", *, seed: int = 1, pixels: int = PIXELS, **options: Any
) -> Captioner:
    torch.manual_seed(seed)
    size = corpus.tokenizer.vocab_size
    vocabulary = Vocabulary(source=size, target=size, shared=True, picture=Vision(pixels).shape)
    built = build_model(preset, {**SMALL[preset], "dropout": 0.0, **options}, vocabulary)
    assert isinstance(built, Captioner)
    for parameter in built.parameters():
        if parameter.ndim == 2:  # fresh weights hardly look at the picture
            torch.nn.init.normal_(parameter, std=0.5)
    return built.eval()


def task_for(
    corpus: CaptionCorpus,
    *,
    equalizing: Equalizing | None = None,
    label_smoothing: float = 0.1,
    valid_pictures: int = 20,
    reward: RewardSettings | None = None,
    guide: float = 0.0,
) -> CaptionTask:
    return CaptionTask(
        corpus,
        batch_tokens=64,
        seed=3,
        label_smoothing=label_smoothing,
        decode=DecodeSettings(max_length=12),
        valid_pictures=valid_pictures,
        device=torch.device("cpu"),
        equalizing=equalizing,
        reward=reward,
        guide=guide,
    )


def write_backbone(path: Path, *, seed: int = 1) -> str:
    """A file with random weights of an efficientnet-lite0, the smallest of the backbones."""
    torch.manual_seed(seed)
    save_file(find_backbone("efficientnet-lite0").build(0).state_dict(), path)
    return str(path)


def small_eye(folder: Path, *, seed: int = 1, fit: Fit = "squash") -> Eye:
    """A resnet18 of few channels, for pictures of 64 pixels, with random weights in a file."""

    def build(labels: int) -> Any:
        return build_model("resnet18", {"width": 4}, Vocabulary(source=0, target=0, shared=True, labels=labels))

    torch.manual_seed(seed)
    small = replace(find_backbone("resnet18"), build=build, size=64, grid=2, channels=32)
    save_file(build(0).state_dict(), folder / f"small-{seed}.safetensors")
    return Eye(small, folder / f"small-{seed}.safetensors", fit, small.size)
