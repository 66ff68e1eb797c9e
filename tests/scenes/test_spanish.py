"""Spanish noun phrases: gender and number of every noun, every adjective, gran, del and al."""

import pytest

from saccade.scenes import realise
from saccade.scenes.kinds import KINDS, PEOPLE
from saccade.scenes.plan import Does, IsSuch, IsWhere, Mention, Says, Shows

NOUNS = """
el círculo negro, los círculos negros; el cuadrado negro, los cuadrados negros;
el triángulo negro, los triángulos negros; la estrella negra, las estrellas negras;
el corazón negro, los corazones negros; la cruz negra, las cruces negras; la flecha negra, las flechas negras;
el anillo negro, los anillos negros; el rombo negro, los rombos negros; la casa negra, las casas negras;
el coche negro, los coches negros; la mesa negra, las mesas negras; la silla negra, las sillas negras;
el banco negro, los bancos negros; el barco negro, los barcos negros; la lámpara negra, las lámparas negras;
la flor negra, las flores negras; la caja negra, las cajas negras; el árbol negro, los árboles negros;
la nube negra, las nubes negras; el perro negro, los perros negros; el gato negro, los gatos negros;
el pájaro negro, los pájaros negros; el caballo negro, los caballos negros; el conejo negro, los conejos negros;
la vaca negra, las vacas negras; el burro negro, los burros negros; el pequeño hombre, los pequeños hombres;
la pequeña mujer, las pequeñas mujeres; el pequeño niño, los pequeños niños; la pequeña niña, las pequeñas niñas;
la pelota negra, las pelotas negras; el paraguas negro, los paraguas negros; la cometa negra, las cometas negras;
el globo negro, los globos negros; el libro negro, los libros negros; la bandera negra, las banderas negras;
el bolso negro, los bolsos negros; la cesta negra, las cestas negras; el sombrero negro, los sombreros negros;
la bufanda negra, las bufandas negras; el abrigo negro, los abrigos negros; la chaqueta negra, las chaquetas negras;
la camisa negra, las camisas negras; la gorra negra, las gorras negras; la bicicleta negra, las bicicletas negras;
el patinete negro, los patinetes negros
"""
EXPECTED = dict(zip(KINDS, (entry.strip() for entry in NOUNS.split(";")), strict=True))

ADJECTIVES = {
    "red": "rojo roja rojos rojas",
    "blue": "azul azul azules azules",
    "green": "verde verde verdes verdes",
    "yellow": "amarillo amarilla amarillos amarillas",
    "black": "negro negra negros negras",
    "white": "blanco blanca blancos blancas",
    "grey": "gris gris grises grises",
    "brown": "marrón marrón marrones marrones",
    "pink": "rosa rosa rosas rosas",
    "purple": "morado morada morados moradas",
}


def noun_phrase(mention: Mention) -> str:
    return realise(Shows("see", (mention,)), "es").text.removeprefix("veo ")


@pytest.mark.parametrize("kind", KINDS)
def test_gender_and_number(kind: str) -> None:
    colour, size = (None, "small") if kind in PEOPLE else ("black", None)
    one, more = (Mention(kind, "the", count, colour=colour, size=size) for count in (1, 2))
    assert f"{noun_phrase(one)}, {noun_phrase(more)}" == EXPECTED[kind]


@pytest.mark.parametrize("colour", ADJECTIVES)
def test_colours_agree(colour: str) -> None:
    mentions = [Mention(kind, "the", count, colour=colour) for count in (1, 2) for kind in ("square", "house")]
    assert [noun_phrase(mention).split()[-1] for mention in mentions] == ADJECTIVES[colour].split()


@pytest.mark.parametrize(
    ("mention", "expected"),
    [
        (Mention("car", "a", size="big", colour="red"), "un gran coche rojo"),
        (Mention("house", "the", size="big"), "la gran casa"),
        (Mention("house", "count", 2, size="big", colour="blue"), "dos grandes casas azules"),
        (Mention("house", "bare", 2, size="small"), "pequeñas casas"),
        (Mention("house", "no", size="small"), "ninguna pequeña casa"),
        (Mention("car", "no"), "ningún coche"),
        (Mention("man", "the count", 2, age="young"), "los dos hombres jóvenes"),
        (Mention("woman", "a", age="young"), "una mujer joven"),
        (Mention("woman", "a", age="old"), "una mujer vieja"),
    ],
)
def test_what_stands_around_the_noun(mention: Mention, expected: str) -> None:
    assert noun_phrase(mention) == expected


def test_grande_is_whole_after_the_copula() -> None:
    assert realise(Says(Mention("house", "the"), IsSuch("size", "big")), "es").text == "la casa es grande"


@pytest.mark.parametrize(
    ("mention", "expected"),
    [
        (Mention("car", "the"), "del coche"),
        (Mention("car", "the", 2), "de los coches"),
        (Mention("house", "the"), "de la casa"),
        (Mention("car", "a"), "de un coche"),
    ],
)
def test_de_before_articles(mention: Mention, expected: str) -> None:
    statement = Says(Mention("star", "the"), IsWhere("next to", (mention,)))
    assert realise(statement, "es").text == f"la estrella está al lado {expected}"


@pytest.mark.parametrize(
    ("mention", "expected"),
    [
        (Mention("boy", "the"), "al niño"),
        (Mention("woman", "a"), "a una mujer"),
        (Mention("cat", "the", 2), "a los gatos"),
        (Mention("car", "the"), "el coche"),
    ],
)
def test_living_objects_take_a(mention: Mention, expected: str) -> None:
    statement = Says(Mention("girl", "the"), Does("look at", mention))
    assert realise(statement, "es").text == f"la niña mira {expected}"
