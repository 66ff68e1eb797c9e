"""French noun phrases: gender and number of every noun, every adjective, elision and contraction."""

import pytest

from saccade.scenes import realise
from saccade.scenes.kinds import KINDS, PEOPLE
from saccade.scenes.plan import IsWhere, Mention, Says, Shows

# one, more than one, and after "à gauche de": the adjective shows the gender, the article elision and contraction
NOUNS = """
le cercle blanc, les cercles blancs, du cercle; le carré blanc, les carrés blancs, du carré;
le triangle blanc, les triangles blancs, du triangle; l' étoile blanche, les étoiles blanches, de l' étoile;
le cœur blanc, les cœurs blancs, du cœur; la croix blanche, les croix blanches, de la croix;
la flèche blanche, les flèches blanches, de la flèche; l' anneau blanc, les anneaux blancs, de l' anneau;
le losange blanc, les losanges blancs, du losange; la maison blanche, les maisons blanches, de la maison;
la voiture blanche, les voitures blanches, de la voiture; la table blanche, les tables blanches, de la table;
la chaise blanche, les chaises blanches, de la chaise; le banc blanc, les bancs blancs, du banc;
le bateau blanc, les bateaux blancs, du bateau; la lampe blanche, les lampes blanches, de la lampe;
la fleur blanche, les fleurs blanches, de la fleur; la boîte blanche, les boîtes blanches, de la boîte;
l' arbre blanc, les arbres blancs, de l' arbre; le nuage blanc, les nuages blancs, du nuage;
le chien blanc, les chiens blancs, du chien; le chat blanc, les chats blancs, du chat;
l' oiseau blanc, les oiseaux blancs, de l' oiseau; le cheval blanc, les chevaux blancs, du cheval;
le lapin blanc, les lapins blancs, du lapin; la vache blanche, les vaches blanches, de la vache;
l' âne blanc, les ânes blancs, de l' âne; le petit homme, les petits hommes, de l' homme;
la petite femme, les petites femmes, de la femme; le petit garçon, les petits garçons, du garçon;
la petite fille, les petites filles, de la fille; la balle blanche, les balles blanches, de la balle;
le parapluie blanc, les parapluies blancs, du parapluie;
le cerf-volant blanc, les cerfs-volants blancs, du cerf-volant; le ballon blanc, les ballons blancs, du ballon;
le livre blanc, les livres blancs, du livre; le drapeau blanc, les drapeaux blancs, du drapeau;
le sac blanc, les sacs blancs, du sac; le panier blanc, les paniers blancs, du panier;
le chapeau blanc, les chapeaux blancs, du chapeau; l' écharpe blanche, les écharpes blanches, de l' écharpe;
le manteau blanc, les manteaux blancs, du manteau; la veste blanche, les vestes blanches, de la veste;
la chemise blanche, les chemises blanches, de la chemise;
la casquette blanche, les casquettes blanches, de la casquette;
le vélo blanc, les vélos blancs, du vélo; la trottinette blanche, les trottinettes blanches, de la trottinette
"""
EXPECTED = dict(zip(KINDS, (entry.strip() for entry in NOUNS.split(";")), strict=True))

ADJECTIVES = {
    "red": "rouge rouge rouges rouges",
    "blue": "bleu bleue bleus bleues",
    "green": "vert verte verts vertes",
    "yellow": "jaune jaune jaunes jaunes",
    "black": "noir noire noirs noires",
    "white": "blanc blanche blancs blanches",
    "grey": "gris grise gris grises",
    "brown": "marron marron marron marron",
    "pink": "rose rose roses roses",
    "purple": "violet violette violets violettes",
}


def noun_phrase(mention: Mention) -> str:
    return realise(Shows("see", (mention,)), "fr").text.removeprefix("je vois ")


def after_left_of(mention: Mention) -> str:
    statement = Says(Mention("circle", "the"), IsWhere("left of", (mention,)))
    return realise(statement, "fr").text.removeprefix("le cercle est à gauche ")


@pytest.mark.parametrize("kind", KINDS)
def test_gender_number_elision_contraction(kind: str) -> None:
    colour, size = (None, "small") if kind in PEOPLE else ("white", None)
    one, more = (Mention(kind, "the", count, colour=colour, size=size) for count in (1, 2))
    plain = Mention(kind, "the")
    assert f"{noun_phrase(one)}, {noun_phrase(more)}, {after_left_of(plain)}" == EXPECTED[kind]


@pytest.mark.parametrize("colour", ADJECTIVES)
def test_colours_agree(colour: str) -> None:
    mentions = [Mention(kind, "the", count, colour=colour) for count in (1, 2) for kind in ("square", "house")]
    assert [noun_phrase(mention).split()[-1] for mention in mentions] == ADJECTIVES[colour].split()


@pytest.mark.parametrize(
    ("mention", "expected"),
    [
        (Mention("circle", "bare", 3), "des cercles"),
        (Mention("circle", "bare", 3, colour="green"), "des cercles verts"),
        (Mention("circle", "bare", 3, size="small", colour="green"), "de petits cercles verts"),
        (Mention("house", "bare", 3, size="big"), "de grandes maisons"),
        (Mention("man", "a", age="old"), "un vieil homme"),
        (Mention("man", "count", 2, age="old"), "deux vieux hommes"),
        (Mention("man", "the", age="young"), "le jeune homme"),
        (Mention("woman", "the", age="old"), "la vieille femme"),
        (Mention("star", "the", size="small"), "la petite étoile"),
        (Mention("star", "the count", 6, size="small"), "les six petites étoiles"),
        (Mention("bird", "the", size="big"), "le grand oiseau"),
    ],
)
def test_what_stands_before_the_noun(mention: Mention, expected: str) -> None:
    assert noun_phrase(mention) == expected


@pytest.mark.parametrize(
    ("mention", "expected"),
    [
        (Mention("star", "a"), "d' une étoile"),
        (Mention("star", "the", 2), "des étoiles"),
        (Mention("star", "count", 2), "de deux étoiles"),
        (Mention("star", "the count", 2), "des deux étoiles"),
        (Mention("tree", "the", size="big"), "du grand arbre"),
        (Mention("man", "the", age="old"), "du vieil homme"),
        (Mention("man", "the"), "de l' homme"),
    ],
)
def test_de_before_articles(mention: Mention, expected: str) -> None:
    assert after_left_of(mention) == expected
