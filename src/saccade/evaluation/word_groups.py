"""Groups of words whose mix-up is an error of its own kind, such as words for women and words for men."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from saccade.errors import DataError
from saccade.evaluation.caption_words import Words


@dataclass(frozen=True)
class WordGroup:
    """Words that say the same of a person, in lower case."""

    name: str
    words: frozenset[str]


@dataclass(frozen=True)
class WordGroups:
    """Two or more groups, and the ``neutral`` words that name a person without saying which."""

    groups: tuple[WordGroup, ...]
    neutral: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if len(self.groups) < 2:
            raise DataError(f"there are {len(self.groups)} groups of words: an audit compares at least two")
        owner: dict[str, str] = {}
        for group in (*self.groups, WordGroup("neutral", self.neutral)):
            for word in sorted(group.words):
                if word != word.lower():
                    raise DataError(f'the word "{word}" of group {group.name} has capitals: give words in lower case')
                if word in owner:
                    raise DataError(
                        f'the word "{word}" is in group {owner[word]} and in {group.name}: a word belongs to one group'
                    )
                owner[word] = group.name
        if empty := [group.name for group in self.groups if not group.words]:
            raise DataError(f"the group {empty[0]} has no words: give at least one")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(group.name for group in self.groups)

    def named(self, words: Words) -> frozenset[str]:
        """The groups of which the caption says a word."""
        return frozenset(group.name for group in self.groups if not group.words.isdisjoint(words))

    def is_neutral(self, words: Words) -> bool:
        """A neutral word is said and no word of a group."""
        return not self.named(words) and not self.neutral.isdisjoint(words)

    def place(self, words: Words) -> int | None:
        """Where the first word of a group stands in the caption."""
        every = frozenset[str]().union(*(group.words for group in self.groups))
        return next((place for place, word in enumerate(words) if word in every), None)

    def truth(self, references: Sequence[Words], *, agree: int = 1) -> str | None:
        """The group that at least ``agree`` references name while none names another; None where they do not say.

        With ``agree`` 1 this is the rule of Hendricks et al. (2018).
        """
        named = [self.named(words) for words in references]
        found = frozenset[str]().union(*named)
        if len(found) != 1 or sum(bool(one) for one in named) < agree:
            return None
        return next(iter(found))


def word_groups(name: str) -> WordGroups:
    """``gendered``, or the groups of a JSON file: {"groups": {"woman": ["woman", …], …}, "neutral": ["person", …]}."""
    if name == "gendered":
        return GENDERED
    path = Path(name)
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        groups = tuple(WordGroup(group, _words(words)) for group, words in said["groups"].items())
        return WordGroups(groups, _words(said.get("neutral", [])))
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise DataError(
            f'{name}: not a file of word groups ({type(error).__name__}: {error}): expected "gendered", or JSON such '
            'as {"groups": {"woman": ["woman"], "man": ["man"]}, "neutral": ["person"]}'
        ) from None


def _words(given: object) -> frozenset[str]:
    if not isinstance(given, list) or not all(isinstance(word, str) for word in given):
        raise TypeError(f"{given!r} is no list of words")
    return frozenset(given)


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


GENDERED = WordGroups(
    groups=(
        WordGroup(
            "woman",
            _listed(
                "woman women female females lady ladies girl girls gal gals mother mothers mom mommy daughter "
                "daughters sister sisters wife wives bride grandmother aunt she her hers herself actress waitress "
                "queen businesswoman policewoman cowgirl ballerina"
            ),
        ),
        WordGroup(
            "man",
            _listed(
                "man men male males gentleman gentlemen guy guys boy boys father fathers dad daddy son sons brother "
                "brothers husband husbands groom grandfather uncle he him his himself actor waiter king businessman "
                "policeman fireman cowboy"
            ),
        ),
    ),
    neutral=_listed(
        "person persons people someone somebody human humans individual individuals adult adults child children kid "
        "kids baby babies toddler toddlers teenager teenagers player players rider riders they them their"
    ),
)
"""English words for women and men. What a caption says of gender is what its writer saw in a picture, no more."""
