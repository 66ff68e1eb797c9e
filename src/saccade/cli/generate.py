"""``saccade generate``."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from saccade.cli.console import say

if TYPE_CHECKING:
    from saccade.runs import LanguageRun
    from saccade.tasks.continuing import Generated

ENDS = {
    "end": "ended by itself",
    "stop": "ended at a stop string",
    "length": "cut off at --max-tokens",
    "context": "cut off at the end of the model's context",
}


def generate(
    run: Annotated[Path, Argument(help="The run folder of a language model.")],
    prompt: Annotated[
        list[str] | None,
        Option(help="How the text begins; may be given several times. Default: all of standard input is one prompt."),
    ] = None,
    tries: Annotated[
        int | None, Option(help="Write so many texts for each prompt and rank them by likelihood. Default: 1.")
    ] = None,
    temperature: Annotated[
        float | None,
        Option(
            help="Below 1 likely words become likelier, above 1 less so; 0 always takes the likeliest. Default: 0.8."
        ),
    ] = None,
    top_k: Annotated[int | None, Option(help="Draw only from this many likeliest tokens. Default: from all.")] = None,
    top_p: Annotated[
        float | None,
        Option(help="Draw only from the likeliest tokens that have together this probability. Default: from all."),
    ] = None,
    stop: Annotated[
        list[str] | None,
        Option(help="End a text before this string, in which \\n is a line break; may be given several times."),
    ] = None,
    seed: Annotated[
        int | None, Option(help="Decides what is drawn: the same seed, the same texts. Default: 1.")
    ] = None,
    max_tokens: Annotated[int | None, Option(help="Most tokens of a text. Default: 256.")] = None,
    as_json: Annotated[
        bool, Option("--json", help="One JSON object for each prompt, a line each: its tries, likeliest first.")
    ] = False,
) -> "list[Generated]":
    """Go on with a text: a language model writes what may come after a prompt.

    One text is shown while it is written. Several tries are shown when all are done, the likeliest a token first.

    A text ends where the model ends it, before a --stop string, after --max-tokens, or where the model's context is
    full; a prompt that is longer than the context is refused.

    Examples:

      saccade generate runs/gpt-python-1 --prompt "The for statement"

      saccade generate runs/gpt-python-1 --prompt "A class is" --tries 10 --temperature 0.7 --top-p 0.9

      echo "To be, or" | saccade generate runs/gpt-shakespeare-1 --stop "\n\n" --max-tokens 400
    """
    prompts = [_standard_input()] if prompt is None else prompt
    loaded = _language_run(run)
    live = not as_json and len(prompts) == 1 and (tries or 1) == 1
    opening = iter(prompts)  # shown with the first words, not before it is known that the model can read it

    def show(_prompt: int, _attempt: int, text: str) -> None:
        if live:
            print(next(opening, "") + text, end="", flush=True)

    found = loaded.generate(
        prompts,
        stop=[_unescaped(text) for text in stop or []],
        show=show,
        tries=tries,
        temperature=temperature,
        top_k=top_k,
        top_p=top_p,
        seed=seed,
        max_tokens=max_tokens,
    )
    if as_json:
        for one in found:
            tried = [{**asdict(each), "score": each.score} for each in one.tries]
            print(json.dumps({"prompt": one.prompt, "tries": tried}, ensure_ascii=False))
    elif live:
        print(next(opening, ""))
    else:
        print("\n\n".join(_shown(one) for one in found))
    full = sum(each.end == "context" for one in found for each in one.tries)
    if full:
        texts = "the text" if full == 1 else f"{full} texts"
        limit = f"{loaded.model.max_length:,} tokens"
        say(f"{texts} reached the end of the model's context of {limit} and went on no further")
    return found


def _language_run(path: Path) -> "LanguageRun":
    from saccade.errors import RunError
    from saccade.runs import LanguageRun, load

    run = load(path)
    if not isinstance(run, LanguageRun):
        raise RunError(f"{path} was trained for task {run.recipe.task}, which does not go on with a text")
    return run


def _standard_input() -> str:
    from saccade.errors import DataError

    given = sys.stdin.buffer.read()
    try:
        return given.decode("utf-8").removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as error:
        raise DataError(
            f"standard input: not UTF-8 (byte 0x{given[error.start]:02x} at {error.start}): give the prompt as UTF-8"
        ) from error


def _unescaped(text: str) -> str:
    """A shell passes a line break on as two characters."""
    return text.replace("\\n", "\n").replace("\\t", "\t")


def _shown(one: "Generated") -> str:
    if len(one.tries) == 1:
        return one.prompt + one.tries[0].text
    return "\n\n".join(
        f"{place}. log p a token {each.score:.3f}, {len(each.tokens)} tokens, {ENDS[each.end]}\n{one.prompt}{each.text}"
        for place, each in enumerate(one.tries, start=1)
    )
