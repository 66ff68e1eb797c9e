"""Going on with a text: a language model reads a prompt and writes on, one try or several, shown as they come."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from saccade.data.tokenizers import TextStream, Tokenizer
from saccade.decoding import Chance, End, Generating, Generation, Gone, New, Sampling
from saccade.errors import DecodingError
from saccade.models import LanguageModel

BATCH_TOKENS = 8192
"""Tokens of texts that are written side by side, prompts included."""


@dataclass(frozen=True)
class Try:
    """What was written after a prompt, its tokens without the end mark, and how likely the model held it.

    A stop string ends the text and is not part of it, but its tokens are among ``tokens``. ``log_probability`` is the
    model's own, whatever temperature, top-k and top-p it was drawn with, end mark included. ``attempt`` counts the
    tries of a prompt from 0, in the order in which they are written and shown.
    """

    text: str
    tokens: tuple[int, ...]
    log_probability: float
    end: End
    attempt: int = 0

    @property
    def score(self) -> float:
        """log p a token, by which tries are ranked."""
        return self.log_probability / max(1, len(self.tokens) + (self.end == "end"))


@dataclass(frozen=True)
class Generated:
    """A prompt and its tries, the likeliest a token first."""

    prompt: str
    tries: tuple[Try, ...]

    @property
    def text(self) -> str:
        """What the likeliest try wrote."""
        return self.tries[0].text


class Show(Protocol):
    """Somebody who is shown texts while they are written."""

    def __call__(self, prompt: int, attempt: int, text: str, /) -> None:
        """``text`` comes next in this try (from 0) of this prompt (from 0): whole characters, no stop string."""


def generate(
    model: LanguageModel,
    tokenizer: Tokenizer,
    prompts: Sequence[str],
    settings: Generating,
    *,
    stop: Sequence[str] = (),
    show: Show | None = None,
    chances: Sequence[Chance] | None = None,
    gone: Gone | None = None,
) -> list[Generated]:
    """Goes on with every prompt; those that fit together are written side by side.

    With ``chances``, one for each prompt, each is drawn as if it had been asked for apart from the others. One that is
    ``gone``, by its number from 0, is given up before the next step.
    """
    if not all(stop):
        raise DecodingError("a stop string has at least one character, got an empty one")
    device = next(model.parameters()).device
    begun = [[tokenizer.bos_id, *ids] for ids in tokenizer.encode_batch(prompts)]
    tries, found = settings.tries, list[Generated]()
    for some in _together([len(ids) for ids in begun], settings):
        given = begun[some.start : some.stop]
        generation = Generation(
            model,
            given,
            settings,
            eos_id=tokenizer.eos_id,
            device=device,
            first=some.start,
            chances=None if chances is None else chances[some.start : some.stop],
        )
        texts = [_Text(TextStream(tokenizer, ids), stop) for ids in given for _ in range(tries)]
        while written := generation.step():
            for new in written:
                text, number = texts[new.text], some.start + new.text // tries
                ready = text.add(new)
                if gone is not None and text.end is None and gone(number):
                    text.end = "stop"
                if text.end == "stop":
                    generation.stop(new.text)
                if show is not None and ready:
                    show(number, new.text % tries, ready)
        for row, number in enumerate(some):
            done = [text.done(attempt) for attempt, text in enumerate(texts[row * tries : (row + 1) * tries])]
            found.append(Generated(prompts[number], tuple(sorted(done, key=lambda one: -one.score))))
    return found


def continued(
    model: LanguageModel, tokenizer: Tokenizer, prompts: Sequence[Sequence[int]], *, most: int
) -> list[list[int]]:
    """The greedy continuation of each prompt, at most so many tokens, without the end mark."""
    device = next(model.parameters()).device
    settings = Generating(max_tokens=most, sampling=Sampling(temperature=0))
    begun = [[tokenizer.bos_id, *ids] for ids in prompts]
    generation = Generation(model, begun, settings, eos_id=tokenizer.eos_id, device=device)
    written: list[list[int]] = [[] for _ in prompts]
    while found := generation.step():
        for new in found:
            written[new.text] += [] if new.token is None else [new.token]
    return written


class _Text:
    """A text that grows, and of which nothing is shown that may yet turn out to be a stop string."""

    def __init__(self, stream: TextStream, stops: Sequence[str]) -> None:
        self._stream = stream
        self._stops = stops
        self._tokens: list[int] = []
        self._log_probability = 0.0
        self._text = ""
        self._shown = 0
        self.end: End | None = None

    def add(self, new: New) -> str:
        """Takes what was written, and returns what can be shown of it."""
        self._log_probability += new.log_probability
        self.end = new.end
        if new.token is not None:
            self._tokens.append(new.token)
            self._text += self._stream.add(new.token)
        if self.end is not None:
            self._text += self._stream.finish()
        places = [place for one in self._stops if (place := self._text.find(one, self._shown)) >= 0]
        if places:
            self._text, self.end = self._text[: min(places)], "stop"
        ready = self._text[self._shown : len(self._text) - (self._held() if self.end is None else 0)]
        self._shown += len(ready)
        return ready

    def _held(self) -> int:
        """How many of the last characters may be the beginning of a stop string."""
        return max(
            (size for one in self._stops for size in range(1, len(one)) if self._text.endswith(one[:size])), default=0
        )

    def done(self, attempt: int) -> Try:
        if self.end is None:
            raise DecodingError("this text is still being written")
        return Try(self._text, tuple(self._tokens), self._log_probability, self.end, attempt)


def _together(lengths: Sequence[int], settings: Generating) -> Iterator[range]:
    """Prompts that are written side by side, in their order; at least one at a time."""
    start = 0
    for number in range(1, len(lengths) + 1):
        longest = max(lengths[start : number + 1], default=0) + settings.max_tokens
        if number == len(lengths) or (number + 1 - start) * settings.tries * longest > BATCH_TOKENS:
            yield range(start, number)
            start = number
