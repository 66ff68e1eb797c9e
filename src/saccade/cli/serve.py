"""``saccade serve``."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from saccade.cli.console import say

LOOPBACK = ("127.0.0.1", "::1", "localhost")


def serve(
    runs: Annotated[list[Path], Argument(help="Run folders, of any tasks.", metavar="RUN...")],
    host: Annotated[str, Option(help="Where to listen; 0.0.0.0 is for everybody who can reach this machine.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, Option(help="0 takes any that is free.", min=0, max=65535)] = 8000,
    api_key_file: Annotated[
        Path | None, Option(help="A file with one API key a line. Default: everybody may ask.")
    ] = None,
    max_body: Annotated[int | None, Option(help="Bytes of a request. Default: 8 MiB.")] = None,
    max_tokens: Annotated[int | None, Option(help="Tokens of one text. Default: 1,024.")] = None,
    max_waiting: Annotated[int | None, Option(help="Texts that may wait for a model. Default: 512.")] = None,
    deadline: Annotated[float | None, Option(help="Seconds in which a request is answered. Default: 30.")] = None,
) -> None:
    """Answer requests over HTTP: translate, complete, embed, fill, classify, caption, and show what was attended to.

    The explorer is at /, the description of all requests at /openapi.json. Ctrl-C or SIGTERM ends the service when it
    has answered what it took.

    Examples:

      saccade serve runs/demo-1

      saccade serve runs/demo-1 runs/gpt-mini-1 --host 0.0.0.0 --api-key-file keys.txt
    """
    from saccade.errors import ServiceError

    try:
        from saccade.serve.app import make_app
        from saccade.serve.server import listening, make_server
    except ImportError as error:
        raise ServiceError('serving needs FastAPI and uvicorn: pip install "saccade[serve]"') from error
    from saccade.serve.keys import Keys
    from saccade.serve.limits import Limits
    from saccade.serve.logs import Log
    from saccade.serve.metrics import Metrics
    from saccade.serve.models import Models

    asked = {"body": max_body, "tokens": max_tokens, "waiting": max_waiting, "deadline": deadline}
    limits = Limits(**{name: value for name, value in asked.items() if value is not None})  # type: ignore[arg-type]
    keys = Keys() if api_key_file is None else Keys.read(api_key_file)
    if host not in LOOPBACK and api_key_file is None:
        say(f"{host} can be reached from outside, and nobody is asked for a key: think of --api-key-file")
    sockets = [listening(host, port)]
    log, metrics = Log(), Metrics()
    models = Models.load(runs, limits, metrics, failed=lambda name, error: log.failure("failure", error, model=name))
    server = make_server(make_app(models, limits=limits, keys=keys, metrics=metrics, log=log), log)
    shown = f"[{host}]" if ":" in host else host
    say(f"serving {', '.join(one.name for one in models)} at http://{shown}:{sockets[0].getsockname()[1]}/")
    server.run(sockets=sockets)
