"""Saying what a picture shows, as a task: −log p(label), pictures varied and mixed in training only.

For the training loop one picture is one token. Shapes: B pictures, S their side in pixels, L labels.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, one_hot

from saccade.data.batches import Placed, Position, RowBatches, Rows
from saccade.data.images.mixing import Cutmix, Mixed, Mixup
from saccade.data.images.tensors import to_tensor
from saccade.data.images.variation import VariationName, batch_generator, variation
from saccade.errors import DataError, ModelError
from saccade.evaluation.classification import class_metrics
from saccade.models import PictureModel
from saccade.tasks.base import LEAST_BATCHES, Facts, Loss, Sample, Validation
from saccade.tasks.picture_corpus import PictureCorpus
from saccade.tasks.seeing import seen

BATCH_PICTURES, LEAST_PICTURES = 128, 8  # in a batch where the recipe does not say, of much data and of little
SAMPLES = 5
EXAMPLES = 3
FEW = 2  # pictures of the batch whose operations are counted: one alone has no deviation for a batch norm


class PictureTask:
    """The mean loss of a batch's pictures, times their number; accuracy on held-out pictures."""

    def __init__(
        self,
        corpus: PictureCorpus,
        *,
        batch_pictures: int | None,
        seed: int,
        label_smoothing: float,
        augment: VariationName,
        mix: float,
        device: torch.device,
    ) -> None:
        self.corpus = corpus
        self.label_smoothing = label_smoothing
        self.variation = variation(augment, pixels=corpus.sight.pixels)
        self.mix = mix
        self.device = device
        self.epoch_tokens = len(corpus.train)
        fitting = min(BATCH_PICTURES, max(LEAST_PICTURES, self.epoch_tokens // LEAST_BATCHES))
        self.batches = RowBatches(self.epoch_tokens, batch_rows=batch_pictures or fitting, seed=seed)

    def stream(self, start: Position) -> Iterator[Placed]:
        return self.batches.stream(start)

    def loss(self, model: nn.Module, rows: Rows) -> Loss:
        generator = batch_generator()
        pictures_B3SS = to_tensor(self.corpus.train.pictures.batch(rows))
        normal_B3SS = self.variation(pictures_B3SS, self.corpus.sight.channels.normalise, generator)
        labels_B = torch.from_numpy(self.corpus.train.labels_N[rows])
        mixed = self._mixed(normal_B3SS, labels_B, generator)
        # With channels last a ResNet's training step takes four fifths of the time.
        pictures_B3SS = mixed.pictures_BCHW.to(self.device, memory_format=torch.channels_last)
        scores_BL = picture_model(model).scores(pictures_B3SS).float()
        mean = cross_entropy(scores_BL, mixed.targets_BK.to(self.device), label_smoothing=self.label_smoothing)
        return Loss(mean * len(rows), len(rows))

    def tokens(self, rows: Rows) -> int:
        return len(rows)

    def lengths(self, rows: Rows) -> Rows:
        return np.ones_like(rows)

    def work(self, rows: Rows) -> Sequence[int]:
        """B: all pictures are of one size."""
        return (len(rows),)

    def probes(self) -> Sequence[Rows]:
        return [np.arange(min(FEW, self.epoch_tokens))]

    def describe(self, rows: Rows) -> Sequence[str]:
        train, names = self.corpus.train, self.corpus.sight.labels
        return [f"{train.names[row]} ({names[train.labels_N[row]]})" for row in rows]

    def validate(self, model: nn.Module) -> Validation:
        valid, names = self.corpus.valid, self.corpus.sight.labels
        pixels = (valid.pictures[number] for number in range(len(valid)))
        scores_NL = torch.from_numpy(seen(picture_model(model), self.corpus.sight, pixels).scores_NL)
        truth, said = [names[n] for n in valid.labels_N], [names[n] for n in scores_NL.argmax(dim=1)]
        return Validation(
            loss=cross_entropy(scores_NL, torch.from_numpy(valid.labels_N)).item(),
            scores={name: one.value for name, one in class_metrics(truth, said, names).items()},
            samples=tuple(Sample(*three) for three in zip(valid.names[:SAMPLES], truth, said, strict=False)),
            per="answer",
        )

    def check_fits(self, model: nn.Module) -> None:
        """Shows the model one grey picture."""
        pixels = self.corpus.sight.pixels
        try:
            with torch.no_grad():
                picture_model(model).eval().scores(torch.zeros(1, 3, pixels, pixels, device=self.device))
        except ModelError as error:
            raise DataError(f"data.pixels is {pixels}, which does not fit the model: {error}") from error

    def facts(self) -> Facts:
        shown = self.describe(np.arange(min(EXAMPLES, self.epoch_tokens)))
        return Facts(
            examples=self.epoch_tokens,
            valid=len(self.corpus.valid),
            unit="pictures",
            vocabulary=(),
            shown=tuple({"picture": [one]} for one in shown),
            counted="pictures",
        )

    def _mixed(self, pictures_B3SS: Tensor, labels_B: Tensor, generator: torch.Generator) -> Mixed:
        targets_BL = one_hot(labels_B, len(self.corpus.sight.labels)).float()
        drawn, coin = torch.rand(2, generator=generator).tolist()
        if drawn >= self.mix:
            return Mixed(pictures_B3SS, targets_BL)
        return (Mixup() if coin < 0.5 else Cutmix())(pictures_B3SS, targets_BL, generator)


def picture_model(model: nn.Module) -> PictureModel:
    if not isinstance(model, PictureModel):
        raise ModelError(f"pictures need a model that looks at pictures, got {type(model).__name__}")
    return model
