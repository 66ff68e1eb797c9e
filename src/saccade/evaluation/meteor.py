"""METEOR (Denkowski and Lavie 2014) through its authors' Java program, where that is at hand.

METEOR matches stems, synonyms and paraphrases, whose tables live in the program's jar and in the folder ``data`` beside
it. Nothing of it is written anew here: where Java or the jar is missing, it is not measured, and that is said.

Legend: N pictures, S counts.
"""

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from saccade.errors import DataError
from saccade.evaluation.caption_metrics import References
from saccade.evaluation.caption_words import Words
from saccade.evaluation.measured import Measured, Times, check_lengths

JAR = "meteor-1.5.jar"
OPTIONS = ("-", "-", "-stdio", "-l", "en", "-norm")


@dataclass(frozen=True)
class MeteorProgram:
    """Where Java and the jar are."""

    java: str
    jar: Path


@dataclass(frozen=True)
class NotMeasured:
    """Why there is no METEOR, as a sentence for the reader."""

    reason: str


def find_meteor(jar: Path | None = None) -> MeteorProgram | NotMeasured:
    """The program at ``jar``, or else the one that the package pycocoevalcap brings along."""
    if jar is not None and not jar.is_file():
        raise DataError(f"{jar} is not a file: give the path of {JAR}")
    java = shutil.which("java")
    if java is None:
        return NotMeasured("METEOR is not measured: it needs Java, and there is no `java` on this machine")
    if jar is not None:
        return MeteorProgram(java, jar.resolve())
    package = find_spec("pycocoevalcap")
    for place in (package.submodule_search_locations or ()) if package is not None else ():
        if (found := Path(place) / "meteor" / JAR).is_file():
            return MeteorProgram(java, found)
    return NotMeasured(
        f"METEOR is not measured: {JAR} was not found; install pycocoevalcap, which holds it, or give its path "
        "(--meteor-jar, in Python meteor_jar)"
    )


@contextmanager
def meteor(captions: Sequence[Words], references: References, program: MeteorProgram) -> Iterator[Measured]:
    """METEOR of the captions, times 100, as long as the block lasts: the program runs beside it and is asked again.

    The program counts once for each picture; a corpus, and so each resample, is scored from the sum of its counts.
    """
    check_lengths(len(captions), len(references), "captions", "pictures with references")
    command = [program.java, "-Xmx2G", "-jar", str(program.jar), *OPTIONS]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, encoding="utf-8"
    )
    try:
        talk = _Talk(process, program.jar)
        counts_NS = np.array([talk.counts(ours, theirs) for ours, theirs in zip(captions, references, strict=True)])

        def score(times_N: Times) -> float:
            return 100 * talk.score((times_N @ counts_NS).tolist())

        yield Measured("METEOR", len(captions), score)
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            # a line that the program did not live to read cannot be flushed
            with suppress(BrokenPipeError):
                if pipe is not None:
                    pipe.close()


class _Talk:
    """The program's own way of being asked: a line in, lines out."""

    def __init__(self, process: subprocess.Popen[str], jar: Path) -> None:
        self._process, self._jar = process, jar

    def counts(self, caption: Words, references: Sequence[Words]) -> list[float]:
        parts = [" ".join(words) for words in (*references, caption)]
        self._say(" ||| ".join(["SCORE", *(part.replace("|||", "") for part in parts)]))
        return [float(count) for count in self._hear().split()]

    def score(self, sums: Sequence[float]) -> float:
        self._say("EVAL ||| " + " ".join(repr(count) for count in sums))
        self._hear()  # of the one segment alone; the next line is of the corpus
        return float(self._hear())

    def _say(self, line: str) -> None:
        if self._process.stdin is None:
            raise self._broken()
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except BrokenPipeError as error:
            raise self._broken() from error

    def _hear(self) -> str:
        line = self._process.stdout.readline() if self._process.stdout is not None else ""
        if not line:
            raise self._broken()
        return line

    def _broken(self) -> DataError:
        return DataError(
            f"the METEOR program {self._jar} ended without an answer: try `java -jar {self._jar.name}` by hand, and "
            "see that the folder `data` lies beside it"
        )
