"""How much the service takes on."""

from dataclasses import dataclass

from saccade.errors import ServiceError
from saccade.serve.refusals import TooLong, Unfit

LETTERS = 32  # of a token, at most: a text with more letters is refused before it is cut into tokens


@dataclass(frozen=True)
class Limits:
    """``body`` in bytes; ``texts`` of one request; ``tokens`` of one text, ``look_tokens`` of one that is looked into.

    ``waiting`` texts of a model at most; ``deadline`` in seconds from the request to its answer. Requests that come
    within ``window`` seconds are batched: ``batch`` texts, ``batch_tokens`` in all with padding. Texts above ``long``
    tokens go a way of their own.
    """

    body: int = 8 << 20
    texts: int = 128
    tokens: int = 1024
    look_tokens: int = 256
    new_tokens: int = 2048
    waiting: int = 512
    deadline: float = 30.0
    window: float = 0.004
    batch: int = 64
    batch_tokens: int = 8192
    long: int = 96

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value <= 0:
                raise ServiceError(f"the limit {name} is above 0, got {value}")

    def check_count(self, count: int, param: str, what: str = "texts") -> None:
        if not 1 <= count <= self.texts:
            raise Unfit(f"{count:,} {what} in one request: expected 1 to {self.texts:,}", param)

    def check_letters(self, text: str, most: int, param: str) -> None:
        """Quick, for texts that are far too long."""
        if len(text) > LETTERS * most:
            raise TooLong(f"a text of {len(text):,} characters: this model takes {most:,} tokens at most", param)

    def check_tokens(self, tokens: int, most: int, param: str) -> None:
        if tokens > most:
            raise TooLong(f"a text of {tokens:,} tokens: this model takes {most:,} at most, so split it", param)
