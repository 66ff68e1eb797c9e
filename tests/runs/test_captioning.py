from pathlib import Path

import numpy as np
from PIL import Image

from saccade.data.images.reading import Fit
from saccade.runs.captioning import SHOWN_PIXELS, Captioned
from saccade.tasks.captioned import picture_file
from saccade.tasks.describer import Described
from saccade.tasks.pointing import LookedAt
from saccade.tasks.translator import Candidate


def said(path: Path, fit: Fit) -> Captioned:
    described = Described((Candidate("dogs", 0.0, True),), (0,))
    return Captioned(picture_file(str(path)), described, (LookedAt("dogs", np.eye(2, dtype=np.float32)),), fit)


def test_each_captioner_is_shown_on_the_square_that_it_saw(tmp_path: Path) -> None:
    """Red edges that a crop leaves out: attention on a crop must not be drawn on the whole picture."""
    wide = np.zeros((40, 120, 3), dtype=np.uint8)
    wide[:, :30] = wide[:, 90:] = (255, 0, 0)
    file = tmp_path / "wide.png"
    Image.fromarray(wide).save(file)
    whole, middle = said(file, "squash"), said(file, "crop")
    shown = whole.shown(whole, middle, names=["one", "two", "three"])
    assert [look.captioner for look in shown.captions] == ["one", "two", "three"]
    assert shown.pixels_YX3.shape == (SHOWN_PIXELS, SHOWN_PIXELS, 3)
    assert shown.pixels_YX3[:, 0, 0].min() > 200
    assert [look.pixels_YX3 is None for look in shown.captions] == [True, True, False]
    cut = shown.captions[2].pixels_YX3
    assert cut is not None
    assert cut.max() == 0
