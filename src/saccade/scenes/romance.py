"""What French and Spanish share: gender, agreement in gender and number, colours behind the noun."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from saccade.scenes.grammar import SubjectVerbObject
from saccade.scenes.plan import IsSuch, Mention
from saccade.scenes.words import Word, word

Gender = Literal["m", "f"]


@dataclass(frozen=True, slots=True)
class Noun:
    gender: Gender
    singular: str
    plural: str


def nouns_of(gender: Gender, listed: str) -> dict[str, Noun]:
    """Read ``kind=singular/plural`` entries; a plural left out is regular."""
    nouns = {}
    for entry in listed.split():
        kind, _, names = entry.partition("=")
        singular, _, plural = names.partition("/")
        nouns[kind] = Noun(gender, singular, plural or singular + "s")
    return nouns


@dataclass(frozen=True, slots=True)
class Forms:
    """The four forms of an adjective or an article: masculine and feminine, each for one and for more."""

    m: str
    f: str
    m_plural: str
    f_plural: str

    def agree(self, gender: Gender, plural: bool) -> str:
        if plural:
            return self.m_plural if gender == "m" else self.f_plural
        return self.m if gender == "m" else self.f


def forms(pattern: str) -> Forms:
    """Read ``m f m-plural f-plural``; one word alone never changes."""
    parts = pattern.split()
    return Forms(*parts) if len(parts) == 4 else Forms(pattern, pattern, pattern, pattern)


class Romance(SubjectVerbObject):
    """Articles and adjectives agree; sizes stand before the noun, colours behind it."""

    nouns: ClassVar[dict[str, Noun]]
    colours: ClassVar[dict[str, Forms]]
    sizes: ClassVar[dict[str, Forms]]
    ages: ClassVar[dict[str, Forms]]
    numbers: ClassVar[dict[int, str]]
    definite: ClassVar[Forms]
    indefinite: ClassVar[Forms]

    def adjective(self, subject: Mention, predicate: IsSuch) -> Word:
        table = {"colour": self.colours, "size": self.sizes, "age": self.ages}[predicate.aspect]
        return self.agreeing(table[predicate.value], predicate.aspect, subject)

    def agreeing(self, adjective: Forms, says: str, mention: Mention) -> Word:
        """The form of the adjective or article that goes with the noun."""
        return word(adjective.agree(self.nouns[mention.kind].gender, mention.plural), says, mention.things)

    def noun(self, mention: Mention) -> Word:
        noun = self.nouns[mention.kind]
        return word(noun.plural if mention.plural else noun.singular, "kind", mention.things)

    def articles(self, mention: Mention) -> list[Word]:
        """A, the, two, the two; "bare" and "no" are each language's own."""
        words = []
        if mention.determiner == "a":
            words.append(self.agreeing(self.indefinite, "article", mention))
        if mention.determiner in ("the", "the count"):
            words.append(self.agreeing(self.definite, "article", mention))
        if mention.determiner in ("count", "the count"):
            words.append(word(self.numbers[mention.count], "count", mention.things))
        return words
