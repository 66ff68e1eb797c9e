"""The command line: every verb is an ordinary function; this file only gives them names and catches their errors."""

import signal
import sys
from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Annotated, Any

import typer

from saccade.cli.audit import audit
from saccade.cli.caption import caption
from saccade.cli.catalogues import models, recipes
from saccade.cli.check import check
from saccade.cli.classify import classify
from saccade.cli.compare import compare
from saccade.cli.complexity import complexity
from saccade.cli.demo import demo
from saccade.cli.embed import embed
from saccade.cli.evaluate import evaluate
from saccade.cli.export import export
from saccade.cli.fill import fill
from saccade.cli.generate import generate
from saccade.cli.importing import import_
from saccade.cli.serve import serve
from saccade.cli.train import resume, train
from saccade.cli.translate import translate
from saccade.cli.view import view
from saccade.errors import SaccadeError
from saccade.version import __version__

VERBS: tuple[Callable[..., Any], ...] = (
    train,
    resume,
    check,
    evaluate,
    compare,
    translate,
    generate,
    caption,
    audit,
    classify,
    fill,
    embed,
    view,
    serve,
    import_,
    export,
    recipes,
    models,
    complexity,
    demo,
)

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        print(__version__)
        raise typer.Exit


@app.callback()
def saccade(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the whole traceback of an error.")] = False,
) -> None:
    """Train, measure, look inside and serve attention models.

    Begin with `saccade demo`, or with a model of your own: `saccade train transformer-tiny data.train=pairs.tsv`.
    """


def _guarded(verb: Callable[..., Any], debug: Callable[[], bool]) -> Callable[..., None]:
    """A user's mistake ends in its message and exit code 2; only ``--debug`` shows where in the program it was met."""

    @wraps(verb)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            verb(*args, **kwargs)
        except SaccadeError as error:
            if debug():
                raise
            print(f"saccade: {error}", file=sys.stderr)
            raise typer.Exit(2) from error
        except KeyboardInterrupt:
            raise typer.Exit(128 + signal.SIGINT) from None
        except BrokenPipeError:
            # The reader of our pipe has seen enough; Python would complain once more while it closes standard output.
            sys.stderr.close()
            raise typer.Exit(0) from None
        except OSError as error:
            if debug():
                raise
            print(f"saccade: {f'{error.filename}: ' if error.filename else ''}{error.strerror}", file=sys.stderr)
            raise typer.Exit(2) from error

    # Typer evaluates every annotation, and the types that verbs return would import torch.
    run.__annotations__ = {name: kind for name, kind in verb.__annotations__.items() if name != "return"}
    run.__signature__ = signature(verb).replace(return_annotation=None)  # type: ignore[attr-defined]
    return run


for _verb in VERBS:
    app.command(_verb.__name__.rstrip("_"))(_guarded(_verb, debug=lambda: "--debug" in sys.argv))


def main() -> None:
    arguments = sys.argv[1:]
    if "--debug" in arguments:
        arguments = ["--debug", *(a for a in arguments if a != "--debug")]
    app(args=arguments, prog_name="saccade")
