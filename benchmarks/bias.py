"""The controlled study of bias: three captioners of `scenes:people`, audited on scenes in which the bias is broken.

    python benchmarks/bias.py --json results/scenes-bias.json --picture bias.png

In training four of five pictures show a man, and four of five things go with the group: of the home with women, of the
street with men. In the test scenes neither holds. One captioner learns from the captions alone, one is equalized, one
is also shown where to look. Stopped at any moment, the same command goes on.
"""

import argparse
import json
import shlex
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from trainings import scored

from saccade.evaluation.word_groups import GENDERED
from saccade.files import write_text
from saccade.runs import CaptionRun, load
from saccade.runs.auditing import audit_run
from saccade.scenes.people import BESIDE, HELD
from saccade.view.heatmap import new_figure, save_figure
from saccade.view.overlay import BOX, lit

TEST = "scenes:people?size=2000"
RECIPE = (
    "scenes-caption-soft",
    "data.train=scenes:people?share=0.2&size=4000",
    "data.valid=scenes:people",
    f"data.test={TEST}",
    "train.budget=6 epochs",
)
CAPTIONERS = {
    "captions alone": (),
    "equalized": ("train.equalize=gendered",),
    "equalized and guided": ("train.equalize=gendered", "train.guide=0.3"),
}
SAID = ("woman", "man")
SHOWN = (335, 837, 841, 1295)  # test scenes: two bicycles, a car, a kite
WRONG, RIGHT = "#a8410f", "#1a2530"


def told(name: str, path: Path, threads: int | None) -> dict[str, Any]:
    """What the captioner of that name cost, its scores, and its audit."""
    own = () if threads is None else (f"train.threads={threads}",)
    keys = (*RECIPE, *CAPTIONERS[name], *own)
    result = scored(path, *keys)
    run = opened(path)
    audited = audit_run(run, run.pictures(TEST), GENDERED).record()
    return {
        "command": shlex.join(("saccade", "train", *keys)),
        **result,
        "error_by_place": by_place(audited["contexts"]),
        "audit": audited,
    }


def opened(path: Path) -> CaptionRun:
    run = load(path)
    if not isinstance(run, CaptionRun):
        raise SystemExit(f"{path} is not a captioner: remove it")
    return run


def by_place(contexts: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """A group's error beside things of the home, and beside those of the street, in per cent."""
    found = {}
    for group in SAID:
        for place in HELD:
            things = (*HELD[place], *BESIDE[place])
            rows = [row for row in contexts if row["group"] == group and row["context"] in things]
            found[f"{group}, {place}"] = 100 * sum(row["wrong"] for row in rows) / sum(row["pictures"] for row in rows)
    return found


def draw(runs: Mapping[str, CaptionRun]) -> Figure:
    """A row for each captioner, a column for each picture, lit as it was when the group's word was said."""
    first = next(iter(runs.values()))
    pictures = [one for number, one in enumerate(first.pictures(TEST), start=1) if number in SHOWN]
    figure = new_figure(11.2, 9.6)
    axes = figure.subplots(len(runs), len(pictures))
    for (name, run), row in zip(runs.items(), axes, strict=True):
        for one, place in zip(run.caption(pictures), row, strict=True):
            truth = next(word for word in SAID if word in one.picture.boxes)
            look = next(look for look in one.looks if look.plain in SAID)
            place.imshow(lit(one.pixels(), look.weights_hw.astype(np.float64)), extent=(0, 1, 1, 0))
            for box in one.picture.boxes[truth]:
                frame = Rectangle((box.left, box.top), box.right - box.left, box.bottom - box.top)
                frame.set(fill=False, edgecolor=BOX, linewidth=1.5)
                place.add_patch(frame)
            place.set(xticks=[], yticks=[], title=f"a {truth}" if run is first else "")
            place.set_xlabel(textwrap.fill(one.text, 28), color=RIGHT if look.plain == truth else WRONG)
            place.spines[:].set_visible(False)
        row[0].set_ylabel(name, fontsize=12)
    figure.tight_layout()
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=Path, default=Path("runs/bias"), help="where the run folders are")
    parser.add_argument("--threads", type=int, help="of each training; all there are without it")
    parser.add_argument("--json", type=Path, help="keep audits, scores and costs here")
    parser.add_argument("--picture", type=Path, help="draw here where each captioner looked (.png or .svg)")
    asked = parser.parse_args()
    asked.runs.mkdir(parents=True, exist_ok=True)
    paths = {name: asked.runs / name.replace(" ", "-") for name in CAPTIONERS}
    found = {name: told(name, path, asked.threads) for name, path in paths.items()}
    for name, one in found.items():
        errors = ", ".join(f"{where} {error:.1f} %" for where, error in one["error_by_place"].items())
        print(f"{name}: {errors}; gap {abs(one['audit']['gap']['value']):.1f} points")
    if asked.json is not None:
        write_text(asked.json, json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    if asked.picture is not None:
        save_figure(draw({name: opened(path) for name, path in paths.items()}), asked.picture)


if __name__ == "__main__":
    main()
