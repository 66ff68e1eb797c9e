"""Ids to text as they come: only whole characters, and together the same text as ``decode`` gives."""

import codecs
import re
from collections.abc import Iterable

from saccade.data.tokenizers.tokenizer import AFTER_BREAK, Tokenizer


class TextStream:
    """The text of ids that come one by one behind those of ``before``.

    ``decode(before + ids)`` is ``decode(before)`` followed by all that ``add`` and ``finish`` return.
    """

    def __init__(self, tokenizer: Tokenizer, before: Iterable[int] = ()) -> None:
        self._tokenizer = tokenizer
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._last = ""
        for token in before:
            self.add(token)

    def add(self, token: int) -> str:
        """The characters that this id makes whole."""
        return self._cleaned(self._decoder.decode(self._tokenizer.bytes_of(token)))

    def finish(self) -> str:
        """What is left of a character that never became whole."""
        return self._cleaned(self._decoder.decode(b"", final=True))

    def _cleaned(self, raw: str) -> str:
        """Takes out the spaces that the tokenizer put in: before the first word, and with ``words`` after breaks."""
        if not raw:
            return ""
        text = raw
        if self._tokenizer.kind == "words":
            text = re.sub(f"{AFTER_BREAK} ", "", self._last + raw)[len(self._last) :]
        if not self._last and self._tokenizer.begins_with_space:
            text = text.removeprefix(" ")
        self._last = raw[-1]
        return text
