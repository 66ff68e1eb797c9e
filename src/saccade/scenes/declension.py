"""German noun phrases: three genders, three cases, and the strong, mixed and weak endings of the adjective."""

from dataclasses import dataclass
from typing import Literal

from saccade.scenes.plan import Mention
from saccade.scenes.words import Word, word

Gender = Literal["m", "f", "n"]
Slot = Literal["m", "f", "n", "plural"]
"""The column of a declension table: a gender, or the plural, which has none."""

Case = Literal["nominative", "accusative", "dative"]


@dataclass(frozen=True, slots=True)
class Noun:
    """``accusative`` and ``dative`` are of the singular."""

    gender: Gender
    nominative: str
    plural: str
    accusative: str
    dative: str

    def form(self, case: Case, plural: bool) -> str:
        if not plural:
            return {"nominative": self.nominative, "accusative": self.accusative, "dative": self.dative}[case]
        # the dative plural takes an n wherever one can be said
        return self.plural + "n" if case == "dative" and self.plural[-1] not in "ns" else self.plural


def _nouns(gender: Gender, listed: str) -> dict[str, Noun]:
    nouns = {}
    for entry in listed.split():
        kind, _, names = entry.partition("=")
        nominative, plural, *oblique = names.split("/")
        accusative, dative = oblique or (nominative, nominative)
        nouns[kind] = Noun(gender, nominative, plural, accusative, dative)
    return nouns


NOUNS: dict[str, Noun] = {
    **_nouns(
        "m",
        "circle=Kreis/Kreise star=Stern/Sterne arrow=Pfeil/Pfeile ring=Ring/Ringe table=Tisch/Tische chair=Stuhl/Stühle"
        " tree=Baum/Bäume dog=Hund/Hunde bird=Vogel/Vögel donkey=Esel/Esel man=Mann/Männer"
        " boy=Junge/Jungen/Jungen/Jungen ball=Ball/Bälle umbrella=Regenschirm/Regenschirme kite=Drachen/Drachen"
        " balloon=Luftballon/Luftballons basket=Korb/Körbe hat=Hut/Hüte scarf=Schal/Schals coat=Mantel/Mäntel"
        " scooter=Roller/Roller",
    ),
    **_nouns(
        "f",
        "diamond=Raute/Rauten bench=Bank/Bänke lamp=Lampe/Lampen flower=Blume/Blumen box=Kiste/Kisten"
        " cloud=Wolke/Wolken cat=Katze/Katzen cow=Kuh/Kühe woman=Frau/Frauen flag=Fahne/Fahnen bag=Tasche/Taschen"
        " jacket=Jacke/Jacken cap=Mütze/Mützen",
    ),
    **_nouns(
        "n",
        "square=Quadrat/Quadrate triangle=Dreieck/Dreiecke heart=Herz/Herzen/Herz/Herzen cross=Kreuz/Kreuze"
        " house=Haus/Häuser car=Auto/Autos boat=Boot/Boote horse=Pferd/Pferde rabbit=Kaninchen/Kaninchen"
        " girl=Mädchen/Mädchen book=Buch/Bücher shirt=Hemd/Hemden bicycle=Fahrrad/Fahrräder",
    ),
}
COLOURS = {
    "red": "rot",
    "blue": "blau",
    "green": "grün",
    "yellow": "gelb",
    "black": "schwarz",
    "white": "weiß",
    "grey": "grau",
    "brown": "braun",
    "pink": "rosa",
    "purple": "violett",
}
SIZES = {"small": "klein", "big": "groß"}
AGES = {"young": "jung", "old": "alt"}
ADJECTIVES = {**COLOURS, **SIZES, **AGES}
UNCHANGING = ("rosa",)
NUMBERS = {2: "zwei", 3: "drei", 4: "vier", 5: "fünf", 6: "sechs"}


def _table(nominative: str, accusative: str, dative: str) -> dict[Case, dict[Slot, str]]:
    """A declension table from its rows; the columns are m, f, n, plural."""
    slots: tuple[Slot, ...] = ("m", "f", "n", "plural")
    return {
        "nominative": dict(zip(slots, nominative.split(), strict=True)),
        "accusative": dict(zip(slots, accusative.split(), strict=True)),
        "dative": dict(zip(slots, dative.split(), strict=True)),
    }


DEFINITE = _table("der die das die", "den die das die", "dem der dem den")
NONE = _table("kein keine kein keine", "keinen keine kein keine", "keinem keiner keinem keinen")
RELATIVE = _table("der die das die", "den die das die", "dem der dem denen")
STRONG = _table("er e es e", "en e es e", "em er em en")
MIXED = _table("er e es en", "en e es en", "en en en en")
WEAK = _table("e e e en", "en e e en", "en en en en")


def slot(mention: Mention) -> Slot:
    return "plural" if mention.plural else NOUNS[mention.kind].gender


def core(mention: Mention, case: Case) -> list[Word]:
    """The noun phrase in its case, without what follows the noun."""
    things, column = mention.things, slot(mention)
    words = []
    endings = MIXED
    if mention.determiner == "a":
        words.append(word(NONE[case][column][1:], "article", things))
    elif mention.determiner == "no":
        words.append(word(NONE[case][column], "negation", things))
    elif mention.determiner in ("the", "the count"):
        endings = WEAK
        words.append(word(DEFINITE[case][column], "article", things))
    else:
        endings = STRONG
    if mention.determiner in ("count", "the count"):
        words.append(word(NUMBERS[mention.count], "count", things))
    described = (("age", mention.age), ("size", mention.size), ("colour", mention.colour))
    for aspect, value in described:
        if value is not None:
            stem = ADJECTIVES[value]
            words.append(word(stem if stem in UNCHANGING else stem + endings[case][column], aspect, things))
    words.append(word(NOUNS[mention.kind].form(case, mention.plural), "kind", things))
    return words
