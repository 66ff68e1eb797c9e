"""What holds for every verb: help is quick and light, mistakes end with a message and exit code 2."""

import resource
import subprocess
import sys
from pathlib import Path

import pytest

import saccade
from command import SACCADE, command, process, refused
from saccade.cli.app import VERBS

NAMES = [verb.__name__.rstrip("_") for verb in VERBS]


def cpu_seconds(*arguments: str) -> float:
    """The work of a command; on a busy machine the clock on the wall would measure its neighbours."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*SACCADE, *arguments], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.timing
@pytest.mark.parametrize("verb", ["", *NAMES])
def test_help_answers_in_half_a_second(verb: str) -> None:
    arguments = [verb, "--help"] if verb else ["--help"]
    assert min(cpu_seconds(*arguments) for _ in range(3)) < 0.5


@pytest.mark.parametrize("verb", NAMES)
def test_help_needs_no_torch(verb: str) -> None:
    code = (
        "import sys\nfrom saccade.cli.app import app\n"
        f"try: app(args=[{verb!r}, '--help'])\n"
        "except SystemExit: pass\n"
        "print('torch' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "False\n"
    assert verb in done.stdout


def test_help_shows_every_verb_and_examples() -> None:
    shown = command("--help").stdout
    assert all(name in shown for name in NAMES)
    assert "saccade train transformer-tiny data.train=pairs.tsv" in command("train", "--help").stdout


def test_version() -> None:
    assert command("--version").stdout == f"{saccade.__version__}\n"


def test_an_unknown_verb() -> None:
    assert command("trian").exit_code == 2


def test_debug_shows_the_traceback_and_without_it_there_is_none(tmp_path: Path) -> None:
    plain = process("translate", "nowhere", cwd=tmp_path)
    assert plain.returncode == 2
    assert plain.stderr.decode() == "saccade: nowhere: no such run folder\n"
    assert plain.stdout == b""
    for arguments in (["translate", "nowhere", "--debug"], ["--debug", "translate", "nowhere"]):
        shown = process(*arguments, cwd=tmp_path)
        assert shown.returncode == 1
        assert "Traceback" in shown.stderr.decode()
        assert "saccade.errors.RunError: nowhere: no such run folder" in shown.stderr.decode()


def test_an_output_in_a_folder_that_is_not_there(tmp_path: Path, translator: Path) -> None:
    message = refused("translate", str(translator), "--output", str(tmp_path / "no" / "out.txt"), stdin="two dogs\n")
    assert message == f"saccade: {tmp_path / 'no' / 'out.txt'}: No such file or directory\n"


def test_a_reader_that_leaves_early(translator: Path, tmp_path: Path) -> None:
    lines = "two big dogs\n" * 5000
    shell = subprocess.run(
        ["bash", "-c", f'"$@" translate {translator} --beam 1 | head -n 1', "bash", *SACCADE],
        input=lines.encode(),
        capture_output=True,
        cwd=tmp_path,
        timeout=120,
    )
    assert shell.stdout.count(b"\n") == 1
    assert shell.stderr == b""
