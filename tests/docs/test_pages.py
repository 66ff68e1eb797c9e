"""What README and guide show is run, in order, in one folder; what is generated is fresh."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import pytest
from PIL import Image
from typer.testing import Result

from command import command
from saccade.models import catalogue
from saccade.recipe import json_schema, reference
from saccade.scenes import read_pairs

ROOT = Path(__file__).parents[2]
PAGES = (
    "README.md",
    "docs/training.md",
    "docs/language-models.md",
    "docs/bert.md",
    "docs/labelled-data.md",
    "docs/vision-models.md",
    "docs/captions.md",
    "docs/captions-measured.md",
    "docs/pictures.md",
    "docs/decoding.md",
    "docs/attention.md",
    "docs/looking-inside.md",
    "docs/scenes.md",
    "docs/experts.md",
    "docs/reward.md",
    "docs/multilingual.md",
    "docs/complexity.md",
    "docs/lineage-recurrent.md",
    "docs/lineage-convolution.md",
)
SCENES = {"train": 60, "valid": 8, "test": 12}
NEEDS_SHELL = re.compile(r"[|<>&;*~$`\\]")
BLOCK = re.compile(r"^```(sh|python|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)

pytestmark = pytest.mark.docs


@dataclass(frozen=True)
class Block:
    page: str
    language: str
    text: str


def blocks(language: str) -> Iterator[Block]:
    for page in PAGES:
        for match in BLOCK.finditer((ROOT / page).read_text(encoding="utf-8")):
            if match[1] == language:
                yield Block(page, language, match[2])


def named(block: Block) -> str:
    return f"{block.page}: {block.text.splitlines()[0][:40]}"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a file of pairs, as a reader would have it, and the run that the pages speak of."""
    folder = tmp_path_factory.mktemp("reader")
    pairs = islice(read_pairs("en-fr"), 120)
    (folder / "pairs.tsv").write_text("".join(f"{pair.source}\t{pair.target}\n" for pair in pairs), encoding="utf-8")
    trained(folder, "transformer-tiny data.train=pairs.tsv data.holdout=0.1 train.budget='10 epochs'")
    (folder / "runs" / "demo-1").symlink_to("transformer-tiny-1")
    trained(
        folder,
        """scenes-zero-shot 'data.train=["scenes:de-en?size=200", "scenes:en-fr?size=200"]' """
        """'data.valid=["scenes:de-en?size=10", "scenes:en-fr?size=10"]' train.budget='1 epoch'""",
    )
    texts = "\n\n".join(pair.source for pair in islice(read_pairs("en-fr"), 60))
    (folder / "my.txt").write_text(texts + "\n", encoding="utf-8")
    for model in ("lstmn-lm", "gpt-mini"):
        trained(folder, f"{model} data.train=my.txt data.context=32 model.dim=32 train.budget='10 steps'")
    reviews = "".join(f"a {word} film {n}\t{word}\n" for n in range(30) for word in ("good", "bad"))
    (folder / "reviews.tsv").write_text("text\tlabel\n" + reviews, encoding="utf-8")
    stories = "data.train=scenes:stories?size=50 data.valid=scenes:stories?size=10 model.dim=32 model.ff_dim=32"
    trained(folder, f"bert-scenes {stories} train.budget='3 steps'")
    trained(
        folder,
        "bert-mini task=classification data.train=reviews.tsv data.holdout=0.2 train.budget='3 steps' "
        "--init-from runs/bert-scenes-1 --run runs/reviews-1",
    )
    for name in ("dog.jpg", "beach.png"):
        Image.new("RGB", (60, 40), "orange").save(folder / name)
    for number in range(12):
        kind, colour = (("cat", "white"), ("dog", "brown"))[number % 2]
        (folder / "pets" / kind).mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (40 + number, 40), colour).save(folder / "pets" / kind / f"{number}.png")
    for name in ("a.jpg", "b.png"):
        Image.new("RGB", (50, 40), "white").save(folder / name)
    quick = "data.holdout=0.4 model.dim=24 model.layers=2 train.budget='2 steps' train.workers=1"
    trained(folder, f"vit-mini data.train=pets {quick}")
    scenes = " ".join(f"'data.{part}=scenes:captions?size={size}'" for part, size in SCENES.items())
    small = f"{scenes} data.pixels=32 model.dim=16 model.cnn_width=8 train.budget='3 steps' train.workers=1"
    for kind in ("soft", "hard"):
        trained(folder, f"scenes-caption-{kind} {small}")
    return folder


def trained(folder: Path, arguments: str) -> None:
    done = verb(folder, f"saccade train {arguments}")
    assert done.exit_code == 0, done.stderr


def verb(folder: Path, line: str) -> Result:
    """A line of the command line, in this process."""
    with chdir(folder):
        return command(*shlex.split(line, comments=True)[1:])


def shell(folder: Path, line: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        ["bash", "-ec", line], cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


def runs_here(line: str) -> bool:
    """Lines that set up a machine are left to `make`, those that train for long to the tests of their verbs."""
    return line.startswith(("saccade ", "echo ")) and not line.startswith(
        ("saccade train", "saccade compare", "saccade import", "saccade demo", "saccade serve")
    )


@pytest.mark.parametrize("block", [*blocks("sh")], ids=named)
def test_commands_run(block: Block, place: Path) -> None:
    for line in filter(runs_here, block.text.splitlines()):
        if NEEDS_SHELL.search(line.partition("  #")[0]):
            done = shell(place, line)
            assert done.returncode == 0, f"{line}\n{done.stderr}"
        else:
            found = verb(place, line)
            assert found.exit_code == 0, f"{line}\n{found.stderr}\n{found.exception}"


@pytest.mark.parametrize("page", PAGES)
def test_python_runs(page: str, place: Path) -> None:
    """The blocks of a page follow one another, as a reader would type them."""
    text = "\n".join(block.text for block in blocks("python") if block.page == page)
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=place, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("block", [*blocks("console")], ids=named)
def test_answers_are_as_shown(block: Block, place: Path) -> None:
    line, *answer = block.text.splitlines()
    done = shell(place, line.removeprefix("$ "))
    assert done.stdout.splitlines() + done.stderr.splitlines() == answer


def test_every_page_has_blocks_that_are_found() -> None:
    assert {block.page for language in ("sh", "python", "console") for block in blocks(language)} == set(PAGES)


def test_generated_pages_are_fresh() -> None:
    told = "run `make docs`"
    assert (ROOT / "docs/recipe-reference.md").read_text() == reference(catalogue()) + "\n", told
    assert json.loads((ROOT / "docs/recipe.schema.json").read_text()) == json_schema(catalogue()), told


def test_links_lead_somewhere() -> None:
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
            assert "://" in target or (page.parent / target).exists(), f"{page.name}: {target}"
