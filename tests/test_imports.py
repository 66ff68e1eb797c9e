"""What is quick must stay quick: torch is imported only where it is needed."""

import resource
import subprocess
import sys

import pytest

import saccade

HEAVY = ("torch", "tokenizers", "sacrebleu", "matplotlib", "numpy", "datasets", "pyarrow", "transformers")


def imported_by(code: str) -> set[str]:
    shown = f"{code}\nimport sys; print(*sys.modules, sep='\\n')"
    done = subprocess.run([sys.executable, "-c", shown], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_import_saccade_is_light() -> None:
    assert not imported_by("import saccade") & {*HEAVY, "pydantic", "typer", "rich"}


def test_import_saccade_is_quick() -> None:
    def seconds() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", "import saccade"], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert min(seconds() for _ in range(3)) < 0.2


def test_the_command_line_is_light() -> None:
    assert not imported_by("import saccade.cli.app") & set(HEAVY)


@pytest.mark.parametrize("name", saccade.__all__)
def test_public_names_resolve(name: str) -> None:
    assert getattr(saccade, name) is not None


def test_an_unknown_name() -> None:
    with pytest.raises(AttributeError, match="module 'saccade' has no attribute 'fly'"):
        saccade.fly  # noqa: B018
