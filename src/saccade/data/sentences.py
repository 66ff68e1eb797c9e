"""The sentences of a document, for models that read pairs of them."""

import re
from typing import Literal

Sentences = Literal["line", "punctuation"]

# After a full stop, a question or exclamation mark with what closes it, before a space and what may begin a sentence.
_END = re.compile(r"(?<=[.!?])[\"'”’)\]]*\s+(?=[\"'“‘(\[]?[^\W_a-z])")


def sentences(text: str, by: Sentences) -> list[str]:
    """The lines that are not blank; or, by ``punctuation``, what ends with . ! or ?, wherever lines were broken."""
    if by == "line":
        return [line.strip() for line in text.splitlines() if line.strip()]
    whole = " ".join(text.split())
    ends = [match.end() for match in _END.finditer(whole)]
    parts = (whole[start:end].strip() for start, end in zip([0, *ends], [*ends, len(whole)], strict=True))
    return [part for part in parts if part]
