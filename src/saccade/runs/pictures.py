"""A run that says what pictures show: classify, look inside, be scored on held-out pictures.

Shapes: N pictures, S their side in pixels, L labels, T = 1 + h·w the class token and the patches.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from PIL import Image

from saccade.attention import EVERYTHING, Asked, Written
from saccade.data.examples import Pictured, PictureRef
from saccade.data.images.reading import Pixels, read_picture
from saccade.data.images.store import Pictures
from saccade.data.sources import LabelSet, PictureColumns, read_pictured
from saccade.errors import DecodingError
from saccade.evaluation.classification import class_metrics
from saccade.evaluation.measured import scored
from saccade.evaluation.results import Result, append_result
from saccade.evaluation.translation import Score
from saccade.models import PictureModel
from saccade.recipe import Recipe
from saccade.runs.picture_look import PictureLook
from saccade.runs.run import Grid, Trained
from saccade.tasks.seeing import Floats, seen
from saccade.tasks.sight import Sight
from saccade.training.folder import RunFolder

SHOWN = 256  # pixels at least of a picture that attention is drawn on
CLASS = "class"  # the token whose last state the labels are read from


@dataclass(frozen=True)
class ClassifiedPicture:
    """A picture with the likeliest label, and how likely each is."""

    picture: str
    label: str
    probabilities: dict[str, float]

    @property
    def said(self) -> str:
        """``cat 93.1%``."""
        return f"{self.label} {self.probabilities[self.label]:.1%}"


@dataclass(frozen=True)
class ClassScore:
    """One class of a test set: its pictures, how often it was said, and how often rightly."""

    label: str
    pictures: int
    said: int
    right: int

    @property
    def found(self) -> float:
        """100 · right / pictures: the share of the class that was found; 0 where there is none."""
        return 100 * self.right / self.pictures if self.pictures else 0.0


@dataclass(frozen=True)
class PictureEvaluation:
    """The scores of one run on one set of pictures, class by class, and what it said of each picture.

    ``seconds`` is the time the model took; reading and decoding pictures is not counted.
    """

    scores: tuple[Score, ...]
    classes: tuple[ClassScore, ...]
    gold: tuple[str, ...] = field(repr=False)
    said: tuple[str, ...] = field(repr=False)
    result: Result = field(repr=False)
    seconds: float = field(repr=False)


class PictureRun(Trained):
    """A trained classifier of pictures."""

    model: PictureModel

    def __init__(
        self,
        folder: RunFolder,
        recipe: Recipe,
        model: PictureModel,
        sight: Sight,
        untrained: tuple[str, ...] = (),
    ) -> None:
        super().__init__(folder, recipe, model, untrained=untrained)
        self.sight = sight

    @property
    def labels(self) -> LabelSet:
        return LabelSet(self.sight.labels)

    @cached_property
    def grid(self) -> Grid:
        """The cells of the last features: the patches of a Transformer. They are counted on a black square."""
        black_1SS3 = np.zeros((1, self.sight.pixels, self.sight.pixels, 3), np.uint8)
        device = next(self.model.parameters()).device
        with torch.no_grad():
            _, rows, columns, _ = self.model.grid(self.sight.tensor(black_1SS3, device)).shape
        return Grid(rows, columns, self.sight.fit)

    def classify(self, pictures: Sequence[str | Path | PictureRef]) -> list[ClassifiedPicture]:
        """What the model says of the pictures in these files."""
        refs = [_ref(one) for one in pictures]
        found = zip(refs, self.scores(refs), strict=True)
        return [self._classified(ref.name, scores_L) for ref, scores_L in found]

    def scores(self, pictures: Sequence[PictureRef]) -> Floats:
        """(N, L): the logits of every label."""
        return seen(self.model, self.sight, map(self.sight.read, pictures)).scores_NL

    def examples(self, data: str | None = None) -> list[Pictured]:
        """The pictures of a test set, none of them opened yet; every one has a label that the model knows."""
        columns = PictureColumns(self.recipe.data.picture, self.recipe.data.label)
        found = list(read_pictured(self.test_set(data), split="test", columns=columns))
        for one in found:
            self.labels.number(one.label, one.where)
        return found

    def evaluate(
        self,
        data: str | None = None,
        *,
        command: str = "PictureRun.evaluate",
        examples: Sequence[Pictured] | None = None,
        on_progress: Callable[[int], None] | None = None,
    ) -> PictureEvaluation:
        """Scores on ``data``, or the recipe's test set; kept in the run's results.json.

        ``examples`` are those of ``data`` where they were read already.
        """
        chosen = self.examples(data) if examples is None else examples
        found = seen(self.model, self.sight, (self.sight.read(one.picture) for one in chosen), on_progress)
        names = self.labels.names
        gold = tuple(names[self.labels.number(one.label, one.where)] for one in chosen)
        said = tuple(names[number] for number in found.scores_NL.argmax(axis=1))
        scores = scored(tuple(class_metrics(gold, said, names).values())).scores
        result = Result(
            scores=scores,
            data=self.test_set(data),
            sentences=len(chosen),
            unit="pictures",
            decode={"pixels": self.sight.pixels, "fit": self.sight.fit},
            seconds=round(found.seconds, 3),
            command=command,
        )
        append_result(self.folder.path, result)
        return PictureEvaluation(scores, class_scores(gold, said, names), gold, said, result, found.seconds)

    @property
    def attends(self) -> bool:
        """Whether there is attention to look at; a CNN has none."""
        return bool(self.layers)

    def look(self, picture: str | Path | PictureRef, *, asked: Asked = EVERYTHING) -> PictureLook:
        """Classifies one picture and keeps what every token looked at, in every layer or those ``asked`` for."""
        self._check_attends()
        ref = _ref(picture)
        shown = read_picture(ref, size=max(SHOWN, self.sight.pixels), fit=self.sight.fit)
        return self._look(ref.name, self.sight.read(ref), shown, asked)

    def example(self) -> PictureLook | None:
        """The first validation picture; None for a CNN, or where the folder has no data any more."""
        stem = self.folder.data / "valid"
        if not self.attends or not stem.with_suffix(".pixels").exists():
            return None
        pixels_SS3, side = Pictures.open(stem)[0].copy(), max(SHOWN, self.sight.pixels)
        shown = np.array(Image.fromarray(pixels_SS3).resize((side, side), Image.Resampling.BICUBIC))
        return self._look("a validation picture", pixels_SS3, shown)

    def _look(self, name: str, pixels_SS3: Pixels, shown_YX3: Pixels, asked: Asked = EVERYTHING) -> PictureLook:
        rows, columns = self.grid.rows, self.grid.columns
        tokens = (CLASS, *(f"{row},{column}" for row in range(rows) for column in range(columns)))
        with asked.recorder(self.model) as recorded:
            recorded.start()
            scores_NL = seen(self.model, self.sight, [pixels_SS3]).scores_NL
            recorded.gather([Written(index=0, sentence=0, rows=None, source=tokens, target=(), read=())])
        said = self._classified(name, scores_NL[0])
        return PictureLook.of(
            name,
            None,
            recorded,
            asked,
            label=said.label,
            probabilities=said.probabilities,
            pixels_YX3=shown_YX3,
            rows=rows,
            columns=columns,
        )

    def _classified(self, name: str, scores_L: Floats) -> ClassifiedPicture:
        shares_L = np.exp(scores_L - scores_L.max())
        shares_L = shares_L / shares_L.sum()
        names = self.labels.names
        return ClassifiedPicture(name, names[int(scores_L.argmax())], dict(zip(names, shares_L.tolist(), strict=True)))

    def _check_attends(self) -> None:
        if not self.attends:
            raise DecodingError(
                f"{self.recipe.model.preset} is a CNN: it has no attention to look at; a vit or a hybrid has"
            )


def _ref(picture: str | Path | PictureRef) -> PictureRef:
    return picture if isinstance(picture, PictureRef) else PictureRef(Path(picture), str(picture))


def class_scores(gold: Sequence[str], said: Sequence[str], names: Sequence[str]) -> tuple[ClassScore, ...]:
    """One line for each class, in the order of ``names``."""
    right = [ours for ours, theirs in zip(said, gold, strict=True) if ours == theirs]
    return tuple(ClassScore(name, gold.count(name), said.count(name), right.count(name)) for name in names)
