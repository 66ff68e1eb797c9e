"""A captioner that was trained: say what pictures show, look at where it looked, and be scored."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from saccade.attention import (
    EVERYTHING,
    Asked,
    Attended,
    Calculation,
    attention_layers,
    clearest_cross,
    recorders,
)
from saccade.data.cleaning import is_text_held_out
from saccade.data.images.reading import Fit, Pixels
from saccade.data.sources import Split
from saccade.errors import DataError, DecodingError
from saccade.evaluation.captions import CaptionComparison, CaptionScores, compare_captions, score_captions
from saccade.evaluation.measured import Measured, to_score
from saccade.evaluation.meteor import find_meteor
from saccade.evaluation.pointing import PointedWord, PointingScores, score_pointing
from saccade.evaluation.results import Result, append_result
from saccade.evaluation.translation import Score
from saccade.models import Captioner
from saccade.runs.run import Grid, Look, Run
from saccade.tasks.alignment import Lens
from saccade.tasks.captioned import Told, picture_file, told_pictures
from saccade.tasks.describer import CaptionMember, Described, Describer
from saccade.tasks.pointing import LookedAt, best_lens, looked_at, pointed
from saccade.tasks.vision import Vision
from saccade.training.kinds import caption_settings, decode_settings, vision_of
from saccade.view.captioned import CaptionedPicture, CaptionLook, WordLook

EXAMPLES = 4
SHOWN_PIXELS = 224
EVENLY = np.ones((1, 1), np.float32)
LENS_PICTURES = 200  # of validation, on which the lens for pointing is chosen
CROSS = Asked(("decoder.*.cross",))


@dataclass(frozen=True)
class Captioned:
    """A picture, what was said of it, and for each word of the best caption where the captioner looked."""

    picture: Told
    described: Described
    looks: tuple[LookedAt, ...] = field(repr=False)
    fit: Fit = field(repr=False)

    @property
    def text(self) -> str:
        return self.described.text

    def shown(self, *others: "Captioned", names: Sequence[str] = ("",)) -> CaptionedPicture:
        """For a page, perhaps with what others said of the same picture beside it.

        Attention lies on the square that a captioner saw: one that cuts pictures otherwise is shown on its own.
        """
        captions = tuple(
            one.look(name) if one.fit == self.fit else replace(one.look(name), pixels_YX3=one.pixels())
            for one, name in zip((self, *others), names, strict=True)
        )
        return CaptionedPicture(self.picture.name, self.pixels(), captions)

    def pixels(self) -> Pixels:
        """The square of the picture that was looked at, large enough to be drawn on."""
        return self.picture.pixels(SHOWN_PIXELS, self.fit)

    def look(self, name: str = "", *, open: int | None = None) -> CaptionLook:
        """For a picture or page: each word with its attention, and with the boxes of what it speaks of."""
        return CaptionLook(
            name,
            tuple(WordLook(look.word, look.weights_hw, self.picture.boxes.get(look.plain, ())) for look in self.looks),
            open,
        )


@dataclass(frozen=True)
class Pointing:
    """How often attention pointed at what words speak of, and where it was read."""

    scores: PointingScores
    lens: Lens


@dataclass(frozen=True)
class CaptionEvaluation:
    """The scores of a captioner on one data set; ``right`` where the truth is known, ``pointing`` where boxes are."""

    scores: CaptionScores
    right: Score | None
    pointing: Pointing | None
    captioned: tuple[Captioned, ...] = field(repr=False)
    result: Result = field(repr=False)


@dataclass(frozen=True)
class _Said:
    """For each picture what was said, and what each layer looked at."""

    described: list[Described]
    attended: list[dict[str, Attended]]
    calculation: Calculation | None = None


class CaptionRun(Run):
    """A trained captioner with its recipe and tokenizer."""

    model: Captioner

    @property
    def vision(self) -> Vision:
        return vision_of(self.recipe)

    @property
    def grid(self) -> Grid:
        side = math.isqrt(self.model.places_count)
        return Grid(side, side, self.vision.fit)

    def pictures(self, spec: str) -> list[Told]:
        """The captioned pictures of a test set."""
        return list(self._told(spec, "test"))

    def _told(self, spec: str, split: Split) -> Iterator[Told]:
        settings = caption_settings(self.recipe)
        return told_pictures(spec, split=split, columns=settings.columns, regions=settings.regions)

    def caption(
        self,
        pictures: Sequence[str | Told],
        *,
        lens: Lens | None = None,
        on_progress: Callable[[int], None] = lambda done: None,
        **settings: Any,
    ) -> list[Captioned]:
        """What is said of each picture, a file or one of a source, and where the captioner looked at each word.

        ``settings``: beam, length_penalty, max_length, nbest, consensus; else the recipe's. Through a ``lens`` the
        attention of one layer and head is read, else the mean of the heads of the layer that is clearest as a rule.
        Where somebody records the model already, what they see, and edit, is what is read.
        """
        told = [picture_file(one) if isinstance(one, str) else one for one in pictures]
        said = self._say(told, on_progress=on_progress, **settings)
        layer = clearest_cross(self.layers) if lens is None else lens.layer
        head = None if lens is None else lens.head
        if lens is not None and any(lens.layer not in attended for attended in said.attended):
            raise DecodingError(
                f"{lens.layer} is to be read, but somebody who records the model has left it out: record it too"
            )
        return [
            Captioned(one, described, self._looks(described, attended, layer, head), self.vision.fit)
            for one, described, attended in zip(told, said.described, said.attended, strict=True)
        ]

    def evaluate(
        self,
        data: str | None = None,
        *,
        pictures: Sequence[Told] | None = None,
        meteor_jar: Path | None = None,
        command: str = "CaptionRun.evaluate",
        on_progress: Callable[[int], None] = lambda done: None,
        **settings: Any,
    ) -> CaptionEvaluation:
        """Scores of freely written captions against all references; kept in the run's results.json.

        ``pictures`` are those of ``data`` where somebody has read them already. METEOR takes the jar given, or the one
        of an installed pycocoevalcap.
        """
        if meteor_jar is not None:
            find_meteor(meteor_jar)  # a wrong path is told before anything is captioned
        spec = self.test_set(data)
        pictures = self.pictures(spec) if pictures is None else pictures
        knows_boxes = bool(self.layers) and any(one.boxes for one in pictures)
        lens = self.lens if knows_boxes else None
        began = time.perf_counter()
        captioned = self.caption(pictures, lens=lens, on_progress=on_progress, **settings)
        seconds = time.perf_counter() - began
        scores = score_captions(
            [one.text for one in captioned], [one.captions for one in pictures], meteor_jar=meteor_jar
        )
        right = self._right(captioned)
        pointing = None
        if lens is not None:
            words: list[PointedWord] = [word for one in captioned for word in pointed(one.picture, one.looks)]
            pointing = Pointing(score_pointing(words), lens) if words else None
        every = [*scores.scores, *([] if right is None else [right])]
        result = Result(
            scores=(*every, *(() if pointing is None else pointing.scores.scores)),
            data=spec,
            sentences=len(pictures),
            unit="pictures",
            decode={
                name: value
                for name, value in vars(decode_settings(self.recipe.decode, **settings)).items()
                if name in ("beam", "length_penalty", "max_length", "nbest", "consensus")
            },
            seconds=round(seconds, 3),
            command=command,
        )
        append_result(self.folder.path, result)
        return CaptionEvaluation(scores, right, pointing, tuple(captioned), result)

    @cached_property
    def lens(self) -> Lens | None:
        """Where attention points best on validation pictures; None without attention, or where no box is known."""
        cross = [layer for layer in self.layers if layer.endswith(".cross")]
        if not cross:
            return None
        if len(cross) == 1 and attention_layers(self.model)[cross[0]].heads == 1:
            return Lens(cross[0], None)  # there is no other
        known = list(islice((one for one in self._validation() if one.boxes), LENS_PICTURES))
        if not known:
            return None
        said = self._say(known, beam=1)
        return best_lens(known, said.described, said.attended)

    def look(self, text: str | Told, *, asked: Asked = EVERYTHING, **settings: Any) -> Look:
        """Captions the picture in the file ``text``, or one of a source, and keeps what every layer looks at."""
        told = picture_file(text) if isinstance(text, str) else text
        said = self._say([told], asked=asked, **settings)
        return Look(told.name, said.described[0].text, tuple(said.attended[0].values()), said.calculation)

    def example(self) -> Look:
        """The first validation picture, and what every layer looks at in it."""
        return self.look(next(self._validation()))

    def examples(self, count: int = EXAMPLES) -> list[Captioned]:
        """The first validation pictures, captioned."""
        return self.caption(list(islice(self._validation(), count)))

    def _validation(self) -> Iterator[Told]:
        """The pictures that training was validated on: of their own sources, or held out."""
        data = self.recipe.data
        if data.valid_sources:
            return chain.from_iterable(self._told(spec, "valid") for spec in data.valid_sources)
        every = chain.from_iterable(self._told(spec, "train") for spec in data.train_sources)
        return (one for one in every if is_text_held_out(one.mark(), data.holdout))

    def _say(
        self,
        pictures: Sequence[Told],
        *,
        asked: Asked = CROSS,
        on_progress: Callable[[int], None] = lambda done: None,
        **settings: Any,
    ) -> _Said:
        rows = self.vision.rows(pictures)
        describer = Describer([CaptionMember(self.model, self.tokenizers.target, rows.batch)])
        decode = decode_settings(self.recipe.decode, **settings)
        if not self.layers:
            return _Said(describer.caption(len(pictures), decode, on_progress=on_progress), [{} for _ in pictures])
        there = recorders(self.model)
        with nullcontext() if there else asked.recorder(self.model) as own:
            described = describer.caption(len(pictures), decode, on_progress=on_progress)
        seen = {
            name: one[name]
            for one in (there if own is None else [own])
            for name in one
            if own is None or asked.wants(name)
        }
        return _Said(
            described,
            [{name: seen[name].attended[number] for name in seen} for number in range(len(pictures))],
            None if own is None or asked.watch is None else own.calculation(),
        )

    @staticmethod
    def _looks(
        described: Described, attended: dict[str, Attended], layer: str | None, head: int | None
    ) -> tuple[LookedAt, ...]:
        """Without attention there are the words alone, which looked at nothing in particular.

        Nor is anything known of a layer that somebody else, who records the model, has left out.
        """
        if layer is None or layer not in attended:
            return tuple(LookedAt(word, EVENLY) for word in described.text.split())
        return looked_at(described, attended[layer], head)

    def _right(self, captioned: Sequence[Captioned]) -> Score | None:
        said = [one.picture.is_right(one.text) for one in captioned]
        if any(one is None for one in said):
            return None
        right_N = np.array(said, dtype=np.float64)
        measured = Measured("exactly right", len(said), lambda times_N: 100 * float(times_N @ right_N / times_N.sum()))
        return to_score(measured, settings="truth:grammar", unit="pictures")


def compare_captioned(a: CaptionEvaluation, b: CaptionEvaluation) -> CaptionComparison:
    """Paired bootstrap of two captioners of the same pictures; above zero, b is better."""
    shown = [[(one.picture.name, one.picture.captions) for one in each.captioned] for each in (a, b)]
    if shown[0] != shown[1]:
        raise DataError("two captioners can only be compared on the same pictures with the same references")
    return compare_captions(
        [one.text for one in a.captioned],
        [one.text for one in b.captioned],
        [one.picture.captions for one in b.captioned],
    )
