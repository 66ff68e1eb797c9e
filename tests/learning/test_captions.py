"""A captioner learns what scenes show, through the command line: not only how captions go, but of which picture."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from command import process
from saccade.runs import load
from saccade.tasks.caption_corpus import CaptionCorpus, open_caption_corpus
from saccade.tasks.views import Way
from saccade.tasks.vision import PictureRows
from saccade.training.kinds import KINDS

pytestmark = pytest.mark.learning

SCENES = 60
LEARNING = (
    f"data.train=scenes:captions?size={SCENES}&about=shapes",
    "data.valid=scenes:captions?size=20&about=shapes",
    "data.pixels=32",
    "model.dim=64",
    "model.heads=4",
    "model.ff_dim=128",
    "model.encoder_layers=1",
    "model.decoder_layers=2",
    "model.cnn_width=16",
    "model.dropout=0",
    "train.threads=1",
    "train.workers=1",
    "train.batch_tokens=512",
    "train.lr=4e-3",
    "train.warmup=30",
    "train.budget=180 steps",
    "train.validate_every=180 steps",
)


@dataclass(frozen=True)
class Exchanged:
    """Every picture is the one seven further on."""

    pictures: PictureRows

    @property
    def ways(self) -> Sequence[Way]:
        return self.pictures.ways

    def batch(self, numbers: Sequence[int], ways: Sequence[int] | None = None) -> Tensor:
        return self.pictures.batch([(number + 7) % SCENES for number in numbers], ways)


def test_sixty_scenes_are_learned_with_their_pictures(tmp_path: Path) -> None:
    """Nats a token of the training captions: few with their own pictures, many with those of others."""
    done = process("train", "caption-transformer", *LEARNING, "--run", "run", cwd=tmp_path, timeout=500)
    assert done.returncode == 0, done.stderr.decode()
    run = load(tmp_path / "run")
    corpus = open_caption_corpus(run.folder.data, run.folder.path)

    def loss(learned: CaptionCorpus) -> float:
        with torch.no_grad():
            found = KINDS["captioning"].make(run.recipe, learned).loss(run.model, np.arange(len(corpus.captions)))
        return found.total.item() / found.tokens

    own, others = loss(corpus), loss(replace(corpus, pictures=Exchanged(corpus.pictures)))
    assert own < 0.5
    assert others > own + 1
