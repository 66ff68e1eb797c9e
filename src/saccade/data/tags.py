"""Tags: one model for many directions, told by the first token of the source which language to write.

The token ``<2fr>`` stands before every source that is to be translated into French (Johnson et al. 2017). There is one
for each target language: special tokens of the vocabulary, which no text can spell.
"""

import re
from collections.abc import Sequence

from saccade.data.examples import Direction
from saccade.data.sources import Languages, as_language, languages
from saccade.data.sources.near import did_you_mean
from saccade.data.tokenizers import Tokenizer
from saccade.errors import DataError, DecodingError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_TAG = re.compile(r"<2(.+)>")


def tag_of(language: str) -> str:
    """``<2fr>`` for ``fr``."""
    return f"<2{language}>"


def tag_ids(tokenizer: Tokenizer) -> dict[str, int]:
    """For each language that the tokenizer has a tag for, the id of that tag."""
    found = ((_TAG.fullmatch(special), number) for number, special in enumerate(tokenizer.specials))
    return {tag[1]: number for tag, number in found if tag is not None}


def direction_of(spec: str, *, source: str | None = None, target: str | None = None) -> Direction:
    """The direction that a specification names; if it does not say, the one of ``source`` and ``target``."""
    found = languages(spec)
    if found.target is None:
        found = Languages(as_language(source), as_language(target))
    if found.target is None:
        raise DataError(
            f"{spec} does not say which language it translates into, which data.tag needs: name both languages, as in "
            "corpus/train.{de,en} or corpus/all.tsv:{de,en}, or with data.source and data.target"
        )
    if not _NAME.fullmatch(found.target):
        raise DataError(
            f'{spec}: "{found.target}" cannot be a tag, which is made of letters, digits, _ and -: give the language '
            "a name such as fr or pt-BR"
        )
    return Direction(found.source, found.target)


def target_language(asked: str | None, known: Sequence[str]) -> str:
    """The language asked for, or the only one there is."""
    if asked is None and len(known) == 1:
        return known[0]
    if asked is None:
        raise DecodingError(
            f'say which language to translate into, with --to or to="{known[0]}": this model writes {", ".join(known)}'
        )
    if asked not in known:
        near = did_you_mean(asked, known)
        raise DecodingError(f"this model does not translate into {asked}{near}: it writes {', '.join(known)}")
    return asked
