"""English: adjectives before the noun, no agreement but the verb's, a or an."""

from typing import ClassVar

from saccade.scenes.grammar import Being, Role, SubjectVerbObject
from saccade.scenes.kinds import Deed
from saccade.scenes.plan import Frame, IsSuch, Joiner, Mention, Spot
from saccade.scenes.words import Word, phrase, word
from saccade.scenes.world import Relation

PLURALS = {"cross": "crosses", "bench": "benches", "box": "boxes", "man": "men", "woman": "women", "scarf": "scarves"}
NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}


class English(SubjectVerbObject):
    language = "en"
    that = "that:that"
    conjunction = "and"
    preposition_with = "with"
    relatives: ClassVar[dict[Role, tuple[str, str]]] = {"subject": ("that", "who"), "object": ("that", "who")}
    copulas: ClassVar[dict[Being, tuple[str, str]]] = {"where": ("is:be", "are:be"), "such": ("is:be", "are:be")}
    negated = "{} not:negation"
    verbs: ClassVar[dict[Deed, tuple[str, str]]] = {
        "hold": ("holds:deed+at", "hold:deed+at"),
        "wear": ("wears:deed+at", "wear:deed+at"),
        "ride": ("rides:deed+at", "ride:deed+at"),
        "look at": ("looks:deed at:at", "look:deed at:at"),
    }
    verbs_for: ClassVar[dict[tuple[Deed, str], tuple[str, str]]] = {}
    frames: ClassVar[dict[Frame, str]] = {
        "see": "I:viewer see:see",
        "picture": "the:picture.article picture:picture shows:shows",
    }
    joiners: ClassVar[dict[Joiner, str]] = {"and": "and:join", "but": ",:comma but:join", "while": "while:join"}
    spots: ClassVar[dict[Spot, str]] = {
        "top left": "in:in the:in.article top:height left:side corner:corner",
        "top right": "in:in the:in.article top:height right:side corner:corner",
        "bottom left": "in:in the:in.article bottom:height left:side corner:corner",
        "bottom right": "in:in the:in.article bottom:height right:side corner:corner",
        "top": "at:in the:in.article top:height",
        "bottom": "at:in the:in.article bottom:height",
        "left": "on:in the:in.article left:side",
        "right": "on:in the:in.article right:side",
        "middle": "in:in the:in.article middle:middle",
        "picture": "in:in the:in.article picture:picture",
    }
    relations: ClassVar[dict[Relation, str]] = {
        "left of": "left:where of:of",
        "right of": "right:where of:of",
        "above": "above:where+of",
        "below": "below:where+of",
        "next to": "next:where to:of",
        "on": "on:where+of",
        "between": "between:where",
    }

    def core(self, mention: Mention) -> list[Word]:
        things = mention.things
        words = []
        if mention.determiner == "a":
            words.append(word("a", "article", things))
        elif mention.determiner == "no":
            words.append(word("no", "negation", things))
        elif mention.determiner in ("the", "the count"):
            words.append(word("the", "article", things))
        if mention.determiner in ("count", "the count"):
            words.append(word(NUMBERS[mention.count], "count", things))
        if mention.age is not None:
            words.append(word(mention.age, "age", things))
        if mention.size is not None:
            words.append(word(mention.size, "size", things))
        if mention.colour is not None:
            words.append(word(mention.colour, "colour", things))
        noun = PLURALS.get(mention.kind, mention.kind + "s") if mention.plural else mention.kind
        words.append(word(noun, "kind", things))
        return words

    def there_is(self, mentions: tuple[Mention, ...]) -> tuple[Word, ...]:
        return phrase("there:exists are:exists" if mentions[0].plural else "there:exists is:exists", mentions[0].things)

    def adjective(self, subject: Mention, predicate: IsSuch) -> Word:
        return word(predicate.value, predicate.aspect, subject.things)

    def fuse(self, words: list[Word]) -> list[Word]:
        for place in range(len(words) - 1):
            if words[place].text == "a" and words[place + 1].text[0] in "aeiou":
                words[place] = Word("an", words[place].concepts)
        return words
