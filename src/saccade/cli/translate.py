"""``saccade translate``."""

import errno
import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Literal

from typer import Argument, Option

from saccade.cli.lines import lines_of

if TYPE_CHECKING:
    from saccade.runs import EngineRun, Ensemble
    from saccade.tasks.translator import Translation

CHUNK = 2000  # lines decoded together when nobody waits for the first: enough to find others of like length


def translate(
    runs: Annotated[list[Path], Argument(help="A run folder; several make an ensemble.", metavar="RUN...")],
    input: Annotated[Path | None, Option(help="Texts to translate, one a line. Default: standard input.")] = None,
    output: Annotated[Path | None, Option(help="Where to write. Default: standard output.")] = None,
    to: Annotated[
        str | None, Option(help="The language to translate into, for a model that was trained for several.")
    ] = None,
    via: Annotated[str | None, Option(help="Translate into this language first, and from it into the other.")] = None,
    beam: Annotated[
        int | None, Option(help="Hypotheses kept at each step; 1 is greedy. Default: the recipe's.")
    ] = None,
    length_penalty: Annotated[float | None, Option(help="Power of the length in a hypothesis' score.")] = None,
    max_length: Annotated[int | None, Option(help="Most tokens of a translation. Default: 2 × source + 10.")] = None,
    nbest: Annotated[int | None, Option(help="Print this many translations of each text, with scores.")] = None,
    replace_unknown: Annotated[
        bool | None,
        Option(help="Write, for an unknown word, the source word that attention looked at. Default: the recipe's."),
    ] = None,
    engine: Annotated[
        Literal["saccade", "ctranslate2", "ctranslate2-int8"],
        Option(help="Who decodes: Saccade, or CTranslate2 with float32 or int8 weights (saccade[export])."),
    ] = "saccade",
    as_json: Annotated[bool, Option("--json", help="One JSON object a line: source, candidates, scores.")] = False,
) -> None:
    """Translate lines of text, as a pipe: one line in, one line out, in the same order.

    An empty line gives an empty line. On a terminal each line is answered at once.

    Examples:

      echo "a small red circle is left of two blue squares" | saccade translate runs/demo-1

      saccade translate runs/a-1 runs/a-2 --input test.en --output test.de

      saccade translate runs/scenes-zero-shot-1 --to fr --via en
    """
    translator = _translator(runs, engine)
    size = 1 if input is None and sys.stdin.isatty() else CHUNK
    with _writing(output) as out:
        done = 0
        for lines in _chunks(lines_of(input), size):
            found = translator.translate(
                lines,
                to=to,
                via=via,
                first=done + 1,
                beam=beam,
                length_penalty=length_penalty,
                max_length=max_length,
                nbest=nbest,
                replace_unknown=replace_unknown,
            )
            for one in found:
                out.write(_shown(one, many=nbest is not None, as_json=as_json))
            out.flush()
            done += len(lines)


def _translator(runs: list[Path], engine: str) -> "Ensemble | EngineRun":
    from saccade.errors import DecodingError
    from saccade.runs import EngineRun, Ensemble, load_translator

    if engine == "saccade":
        return Ensemble([load_translator(run) for run in runs])
    if len(runs) > 1:
        raise DecodingError("CTranslate2 decodes one run, not an ensemble: name one run, or leave --engine out")
    return EngineRun(load_translator(runs[0]), "int8" if engine == "ctranslate2-int8" else "float32")


@contextmanager
def _writing(output: Path | None) -> Iterator[IO[str]]:
    """Standard output as it comes; a file only when all is done, since it may be the input, or worth keeping."""
    from saccade.files import replacing

    if output is None:
        yield sys.stdout
    elif output.exists() and not output.is_file():  # a device or a pipe, which nothing may replace
        with output.open("w", encoding="utf-8") as out:
            yield out
    elif not output.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(output))
    else:
        with replacing(output.resolve()) as new, new.open("w", encoding="utf-8") as out:
            yield out


def _chunks(lines: Iterable[str], size: int) -> Iterator[list[str]]:
    iterator = iter(lines)
    while chunk := list(islice(iterator, size)):
        yield chunk


def _shown(one: "Translation", *, many: bool, as_json: bool) -> str:
    if as_json:
        return json.dumps(asdict(one), ensure_ascii=False) + "\n"
    if many:
        return "".join(
            f"{c.score:.4f}\t{one_line(c.text)}{'' if c.finished else '  [unfinished]'}\n" for c in one.candidates
        )
    return one_line(one.text) + "\n"


def one_line(text: str) -> str:
    """One line in is one line out, even if the model writes a line break."""
    return text.replace("\n", " ")
