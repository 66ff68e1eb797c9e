"""Words, and alignments against ones drawn by hand."""

import pytest

from saccade.data.examples import Link
from saccade.scenes import Concept, Sentence, Word, align, realise
from saccade.scenes.plan import Does, Exists, IsSuch, IsWhere, Mention, Says, SeenThat, Statement, Which, With
from saccade.scenes.words import merge, phrase, word

CIRCLE_AND_SQUARES = Says(
    Mention("circle", "a", colour="red", size="small", thing=0),
    IsWhere("left of", (Mention("square", "the", colour="blue", thing=1),)),
)
STARS_IN_THE_CORNER = Exists((Mention("star", "count", 3, colour="yellow", thing=0),), "top left", "start")
GIRL_LOOKS = SeenThat(
    Says(Mention("girl", "the", thing=0), Does("look at", Mention("dog", "a", colour="black", thing=1)))
)
WOMAN_ON_THE_LEFT = Says(
    Mention("woman", "a", thing=0, tail=With(Mention("hat", "bare", 2, colour="red", thing=1))),
    Does("hold", Mention("umbrella", "a", thing=2)),
    "left",
)
NO_CIRCLE = Exists((Mention("circle", "no", colour="red"),))
MAN_WHO = Says(
    Mention("man", "the", thing=0, tail=Which(Does("wear", Mention("coat", "a", colour="grey", thing=1)))),
    IsSuch("age", "old", "not"),
)


@pytest.mark.parametrize(
    ("statement", "target", "source_words", "target_words", "links"),
    [
        (
            CIRCLE_AND_SQUARES,
            "fr",
            "a small red circle is left of the blue square",
            "un petit cercle rouge est à gauche du carré bleu",
            "0-0 1-1 2-3 3-2 4-4 5-5 5-6 6-7 7-7 8-9 9-8",
        ),
        (
            CIRCLE_AND_SQUARES,
            "de",
            "a small red circle is left of the blue square",
            "ein kleiner roter Kreis ist links vom blauen Quadrat",
            "0-0 1-1 2-2 3-3 4-4 5-5 6-6 7-6 8-7 9-8",
        ),
        (
            STARS_IN_THE_CORNER,
            "es",
            "in the top left corner there are three yellow stars",
            "en la esquina superior izquierda hay tres estrellas amarillas",
            "0-0 1-1 2-3 3-4 4-2 5-5 6-5 7-6 8-8 9-7",
        ),
        (
            STARS_IN_THE_CORNER,
            "de",
            "in the top left corner there are three yellow stars",
            "in der oberen linken Ecke gibt es drei gelbe Sterne",
            "0-0 1-1 2-2 3-3 4-4 5-5 5-6 6-5 6-6 7-7 8-8 9-9",
        ),
        (
            GIRL_LOOKS,
            "de",
            "I see that the girl looks at a black dog",
            "ich sehe , dass das Mädchen einen schwarzen Hund ansieht",
            "0-0 1-1 2-3 3-4 4-5 5-9 6-9 7-6 8-7 9-8",
        ),
        (
            GIRL_LOOKS,
            "es",
            "I see that the girl looks at a black dog",
            "veo que la niña mira a un perro negro",
            "0-0 1-0 2-1 3-2 4-3 5-4 6-5 7-6 8-8 9-7",
        ),
        (
            WOMAN_ON_THE_LEFT,
            "de",
            "on the left a woman with red hats holds an umbrella",
            "links hält eine Frau mit roten Hüten einen Regenschirm",
            "0-0 2-0 3-2 4-3 5-4 6-5 7-6 8-1 9-7 10-8",
        ),
        (
            WOMAN_ON_THE_LEFT,
            "fr",
            "on the left a woman with red hats holds an umbrella",
            "à gauche une femme avec des chapeaux rouges tient un parapluie",
            "0-0 2-1 3-2 4-3 5-4 6-7 7-6 8-8 9-9 10-10",
        ),
        (
            NO_CIRCLE,
            "fr",
            "there is no red circle",
            "il n' y a pas de cercle rouge",
            "0-0 0-2 0-3 1-0 1-2 1-3 2-1 2-4 2-5 3-7 4-6",
        ),
        (
            MAN_WHO,
            "de",
            "the man who wears a grey coat is not old",
            "der Mann , der einen grauen Mantel trägt , ist nicht alt",
            "0-0 1-1 2-3 3-7 4-4 5-5 6-6 7-9 8-10 9-11",
        ),
        (
            MAN_WHO,
            "fr",
            "the man who wears a grey coat is not old",
            "l' homme qui porte un manteau gris n' est pas vieux",
            "0-0 1-1 2-2 3-3 4-4 5-6 6-5 7-8 8-7 8-9 9-10",
        ),
    ],
)
def test_alignment_is_the_one_drawn_by_hand(
    statement: Statement, target: str, source_words: str, target_words: str, links: str
) -> None:
    source, translation = realise(statement, "en"), realise(statement, target)
    assert (source.text, translation.text) == (source_words, target_words)
    drawn = frozenset(Link(*map(int, link.split("-"))) for link in links.split())
    assert align(source, translation) == drawn
    assert align(translation, source) == {Link(link.target, link.source) for link in drawn}


def test_words_know_which_things_they_speak_of() -> None:
    sentence = realise(CIRCLE_AND_SQUARES, "fr")
    assert sentence.words[3] == Word("rouge", (Concept("colour", (0,)),))
    assert sentence.words[7] == Word("du", (Concept("of", (0, 1)), Concept("article", (1,))))
    assert sentence.words[8] == Word("carré", (Concept("kind", (1,)),))


def test_phrase_reads_texts_and_aspects() -> None:
    assert phrase("above:where+of next:where", (2, 5)) == (
        Word("above", (Concept("where", (2, 5)), Concept("of", (2, 5)))),
        Word("next", (Concept("where", (2, 5)),)),
    )


def test_merge_says_both() -> None:
    merged = merge("du", word("de", "of", (0, 1)), word("le", "article", (1,)))
    assert merged == Word("du", (Concept("of", (0, 1)), Concept("article", (1,))))


def test_words_that_say_nothing_have_no_links() -> None:
    silent = Sentence("de", (Word(","), word("Kreis", "kind", (0,))))
    assert align(silent, silent) == {Link(1, 1)}
