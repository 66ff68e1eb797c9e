"""German noun phrases in three cases: every noun, and every ending of the adjective."""

import pytest

from saccade.scenes import realise
from saccade.scenes.declension import Case, core
from saccade.scenes.kinds import KINDS
from saccade.scenes.plan import Determiner, IsWhere, Mention, Says, Shows

# singular nominative, accusative, dative; plural nominative, dative
NOUNS = """
der Kreis, den Kreis, dem Kreis, die Kreise, den Kreisen;
das Quadrat, das Quadrat, dem Quadrat, die Quadrate, den Quadraten;
das Dreieck, das Dreieck, dem Dreieck, die Dreiecke, den Dreiecken;
der Stern, den Stern, dem Stern, die Sterne, den Sternen;
das Herz, das Herz, dem Herzen, die Herzen, den Herzen; das Kreuz, das Kreuz, dem Kreuz, die Kreuze, den Kreuzen;
der Pfeil, den Pfeil, dem Pfeil, die Pfeile, den Pfeilen; der Ring, den Ring, dem Ring, die Ringe, den Ringen;
die Raute, die Raute, der Raute, die Rauten, den Rauten; das Haus, das Haus, dem Haus, die Häuser, den Häusern;
das Auto, das Auto, dem Auto, die Autos, den Autos; der Tisch, den Tisch, dem Tisch, die Tische, den Tischen;
der Stuhl, den Stuhl, dem Stuhl, die Stühle, den Stühlen; die Bank, die Bank, der Bank, die Bänke, den Bänken;
das Boot, das Boot, dem Boot, die Boote, den Booten; die Lampe, die Lampe, der Lampe, die Lampen, den Lampen;
die Blume, die Blume, der Blume, die Blumen, den Blumen; die Kiste, die Kiste, der Kiste, die Kisten, den Kisten;
der Baum, den Baum, dem Baum, die Bäume, den Bäumen; die Wolke, die Wolke, der Wolke, die Wolken, den Wolken;
der Hund, den Hund, dem Hund, die Hunde, den Hunden; die Katze, die Katze, der Katze, die Katzen, den Katzen;
der Vogel, den Vogel, dem Vogel, die Vögel, den Vögeln; das Pferd, das Pferd, dem Pferd, die Pferde, den Pferden;
das Kaninchen, das Kaninchen, dem Kaninchen, die Kaninchen, den Kaninchen;
die Kuh, die Kuh, der Kuh, die Kühe, den Kühen;
der Esel, den Esel, dem Esel, die Esel, den Eseln; der Mann, den Mann, dem Mann, die Männer, den Männern;
die Frau, die Frau, der Frau, die Frauen, den Frauen; der Junge, den Jungen, dem Jungen, die Jungen, den Jungen;
das Mädchen, das Mädchen, dem Mädchen, die Mädchen, den Mädchen; der Ball, den Ball, dem Ball, die Bälle, den Bällen;
der Regenschirm, den Regenschirm, dem Regenschirm, die Regenschirme, den Regenschirmen;
der Drachen, den Drachen, dem Drachen, die Drachen, den Drachen;
der Luftballon, den Luftballon, dem Luftballon, die Luftballons, den Luftballons;
das Buch, das Buch, dem Buch, die Bücher, den Büchern; die Fahne, die Fahne, der Fahne, die Fahnen, den Fahnen;
die Tasche, die Tasche, der Tasche, die Taschen, den Taschen; der Korb, den Korb, dem Korb, die Körbe, den Körben;
der Hut, den Hut, dem Hut, die Hüte, den Hüten; der Schal, den Schal, dem Schal, die Schals, den Schals;
der Mantel, den Mantel, dem Mantel, die Mäntel, den Mänteln; die Jacke, die Jacke, der Jacke, die Jacken, den Jacken;
das Hemd, das Hemd, dem Hemd, die Hemden, den Hemden; die Mütze, die Mütze, der Mütze, die Mützen, den Mützen;
das Fahrrad, das Fahrrad, dem Fahrrad, die Fahrräder, den Fahrrädern;
der Roller, den Roller, dem Roller, die Roller, den Rollern
"""
EXPECTED = dict(zip(KINDS, (entry.strip() for entry in NOUNS.split(";")), strict=True))

ENDINGS: dict[Determiner, dict[Case, str]] = {
    "the": {
        "nominative": "der rote Kreis, die rote Blume, das rote Haus, die roten Häuser",
        "accusative": "den roten Kreis, die rote Blume, das rote Haus, die roten Häuser",
        "dative": "dem roten Kreis, der roten Blume, dem roten Haus, den roten Häusern",
    },
    "a": {
        "nominative": "ein roter Kreis, eine rote Blume, ein rotes Haus",
        "accusative": "einen roten Kreis, eine rote Blume, ein rotes Haus",
        "dative": "einem roten Kreis, einer roten Blume, einem roten Haus",
    },
    "no": {
        "nominative": "kein roter Kreis, keine rote Blume, kein rotes Haus, keine roten Häuser",
        "accusative": "keinen roten Kreis, keine rote Blume, kein rotes Haus, keine roten Häuser",
        "dative": "keinem roten Kreis, keiner roten Blume, keinem roten Haus, keinen roten Häusern",
    },
    "bare": {
        "nominative": "roter Kreis, rote Blume, rotes Haus, rote Häuser",
        "accusative": "roten Kreis, rote Blume, rotes Haus, rote Häuser",
        "dative": "rotem Kreis, roter Blume, rotem Haus, roten Häusern",
    },
}


def text(mention: Mention, case: Case) -> str:
    return " ".join(word.text for word in core(mention, case))


@pytest.mark.parametrize("kind", KINDS)
def test_noun_in_every_case(kind: str) -> None:
    one, more = Mention(kind, "the"), Mention(kind, "the", 2)
    cases: tuple[Case, ...] = ("nominative", "accusative", "dative")
    forms = [text(one, case) for case in cases] + [text(more, "nominative"), text(more, "dative")]
    assert ", ".join(forms) == EXPECTED[kind]
    assert text(more, "accusative") == text(more, "nominative")


@pytest.mark.parametrize("case", ["nominative", "accusative", "dative"])
@pytest.mark.parametrize("determiner", ENDINGS)
def test_adjective_endings_weak_mixed_strong(determiner: Determiner, case: Case) -> None:
    nouns = [("circle", 1), ("flower", 1), ("house", 1), ("house", 2)]
    expected = ENDINGS[determiner][case].split(", ")
    spoken = [text(Mention(kind, determiner, count, colour="red"), case) for kind, count in nouns[: len(expected)]]
    assert spoken == expected


@pytest.mark.parametrize(
    ("mention", "case", "expected"),
    [
        (Mention("house", "count", 2, colour="red"), "nominative", "zwei rote Häuser"),
        (Mention("house", "count", 2, colour="red"), "dative", "zwei roten Häusern"),
        (Mention("house", "the count", 2, colour="red"), "nominative", "die zwei roten Häuser"),
        (Mention("house", "the count", 2, colour="red"), "dative", "den zwei roten Häusern"),
        (Mention("hat", "a", size="big", colour="pink"), "accusative", "einen großen rosa Hut"),
        (Mention("boy", "a"), "accusative", "einen Jungen"),
        (Mention("heart", "a", colour="purple"), "dative", "einem violetten Herzen"),
        (Mention("woman", "the", age="old"), "dative", "der alten Frau"),
        (Mention("man", "count", 3, age="young"), "nominative", "drei junge Männer"),
    ],
)
def test_whole_phrases(mention: Mention, case: Case, expected: str) -> None:
    assert text(mention, case) == expected


def test_colours() -> None:
    colours = ("red", "blue", "green", "yellow", "black", "white", "grey", "brown", "pink", "purple")
    spoken = [realise(Shows("see", (Mention("car", "a", colour=colour),)), "de").text.split()[3] for colour in colours]
    assert " ".join(spoken) == "rotes blaues grünes gelbes schwarzes weißes graues braunes rosa violettes"


@pytest.mark.parametrize(
    ("mention", "expected"),
    [
        (Mention("car", "the"), "vom Auto"),
        (Mention("lamp", "the"), "von der Lampe"),
        (Mention("car", "a"), "von einem Auto"),
        (Mention("car", "the", 2), "von den Autos"),
    ],
)
def test_von_before_articles(mention: Mention, expected: str) -> None:
    assert realise(Says(Mention("star", "the"), IsWhere("left of", (mention,))), "de").text == (
        f"der Stern ist links {expected}"
    )
