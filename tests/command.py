"""The command line as tests use it: in a process of its own or in this one; and one translator, trained once."""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import torch
from typer.testing import CliRunner, Result

from saccade.cli.app import app

SACCADE = (sys.executable, "-c", "from saccade.cli.app import main; main()")
SMALL = (
    "model.dim=32",
    "model.heads=2",
    "model.encoder_layers=1",
    "model.decoder_layers=1",
    "model.ff_dim=64",
    "model.dropout=0",
    "train.threads=1",
)
SCENES = (
    "data.train=scenes:en-fr?size=3000",
    "data.valid=scenes:en-fr?size=60",
    "data.test=scenes:en-fr?size=40",
    "tokenizer.kind=words",
)
TRANSLATOR = (
    *SCENES,
    *SMALL[:3],
    "model.decoder_layers=2",
    *SMALL[4:],
    "train.budget=8 epochs",
    "train.batch_tokens=1024",
    "train.lr=6e-3",
    "train.warmup=100",
    "train.validate_every=4 epochs",
    "train.tensorboard=true",
)

MULTILINGUAL = (
    "data.train=['scenes:de-en?size=300', 'scenes:en-fr?size=300&seed=1']",
    "data.valid=['scenes:de-en?size=20', 'scenes:en-fr?size=20']",
    "data.test=scenes:de-fr?size=20",
    "data.tag=target",
    "tokenizer.kind=words",
    *SMALL,
    "train.batch_tokens=1024",
    "train.lr=6e-3",
    "train.warmup=20",
    "train.budget=3 epochs",
)


def environment() -> dict[str, str]:
    return {**os.environ, "OMP_NUM_THREADS": "1"}


def process(*arguments: str, cwd: Path, stdin: bytes = b"", timeout: float = 120) -> subprocess.CompletedProcess[bytes]:
    """`saccade …` in a process of its own."""
    return subprocess.run(
        [*SACCADE, *arguments], cwd=cwd, input=stdin, capture_output=True, timeout=timeout, env=environment()
    )


def command(*arguments: str, stdin: str | bytes = "") -> Result:
    """`saccade …` in this process: quicker, since torch is there already."""
    torch.set_num_threads(1)
    return CliRunner().invoke(app, list(arguments), input=stdin)


def refused(*arguments: str, stdin: str | bytes = "") -> str:
    """The message of a command that ends with exit code 2 and without a traceback."""
    result = command(*arguments, stdin=stdin)
    assert result.exit_code == 2, (result.exit_code, result.stderr, result.exception)
    assert isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.stderr
    return result.stderr


@cache
def translator_in(place: Path) -> Path:
    """A translator of scenes trained to a usable state, as a user would."""
    done = process("train", "transformer-tiny", *TRANSLATOR, "--run", "translator", cwd=place)
    assert done.returncode == 0, done.stderr.decode()
    return place / "translator"


@cache
def tuned_in(place: Path) -> Path:
    """The translator trained a little further, on other scenes: another model with the same tokenizer."""
    origin = translator_in(place)
    changed = {
        "data.train": "scenes:en-fr?size=600&seed=5",
        "train.budget": "2 epochs",
        "train.lr": "1e-3",
        "train.tensorboard": "false",
    }
    overrides = [f"{key}={changed.get(key, value)}" for key, _, value in (o.partition("=") for o in TRANSLATOR)]
    result = command("train", "transformer-tiny", *overrides, "--run", str(place / "tuned"), "--init-from", str(origin))
    assert result.exit_code == 0, result.stderr
    return place / "tuned"


@cache
def multilingual_in(place: Path) -> Path:
    """A model for two directions, hardly trained: enough to be told apart by its tags."""
    path = place / "multilingual"
    result = command("train", "transformer-tiny", *MULTILINGUAL, "--run", str(path))
    assert result.exit_code == 0, result.stderr
    return path
