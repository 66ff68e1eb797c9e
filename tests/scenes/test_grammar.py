"""Whole sentences in four languages against sentences written by hand and checked by eye."""

from dataclasses import dataclass

import pytest

from saccade.scenes import LANGUAGES, realise
from saccade.scenes.plan import (
    Does,
    Exists,
    IsSuch,
    IsWhere,
    Joined,
    Mention,
    Says,
    SeenThat,
    Shows,
    Statement,
    Which,
    Whom,
    With,
)


@dataclass(frozen=True)
class Golden:
    statement: Statement
    en: str
    fr: str
    de: str
    es: str


GOLDEN = (
    Golden(
        Says(
            Mention("circle", "a", colour="red", size="small", thing=0),
            IsWhere("left of", (Mention("square", "count", 2, colour="blue", thing=1),)),
        ),
        "a small red circle is left of two blue squares",
        "un petit cercle rouge est à gauche de deux carrés bleus",
        "ein kleiner roter Kreis ist links von zwei blauen Quadraten",
        "un pequeño círculo rojo está a la izquierda de dos cuadrados azules",
    ),
    Golden(
        Says(
            Mention("woman", "a", thing=0, tail=With(Mention("hat", "a", colour="green", thing=1))),
            Does("hold", Mention("umbrella", "a", size="big", thing=2)),
        ),
        "a woman with a green hat holds a big umbrella",
        "une femme avec un chapeau vert tient un grand parapluie",
        "eine Frau mit einem grünen Hut hält einen großen Regenschirm",
        "una mujer con un sombrero verde sostiene un gran paraguas",
    ),
    Golden(
        Exists((Mention("star", "count", 3, colour="yellow", thing=0),), "top left", "start"),
        "in the top left corner there are three yellow stars",
        "dans le coin supérieur gauche il y a trois étoiles jaunes",
        "in der oberen linken Ecke gibt es drei gelbe Sterne",
        "en la esquina superior izquierda hay tres estrellas amarillas",
    ),
    Golden(
        Exists((Mention("circle", "no", colour="red"),)),
        "there is no red circle",
        "il n' y a pas de cercle rouge",
        "es gibt keinen roten Kreis",
        "no hay ningún círculo rojo",
    ),
    Golden(
        Exists((Mention("star", "no", size="big", colour="white"),), "picture", "start"),
        "in the picture there is no big white star",
        "sur l' image il n' y a pas de grande étoile blanche",
        "auf dem Bild gibt es keinen großen weißen Stern",
        "en la imagen no hay ninguna gran estrella blanca",
    ),
    Golden(
        Exists((Mention("tree", "no"),)),
        "there is no tree",
        "il n' y a pas d' arbre",
        "es gibt keinen Baum",
        "no hay ningún árbol",
    ),
    Golden(
        Says(
            Mention("star", "the", thing=0),
            IsWhere("right of", (Mention("tree", "the", thing=1),)),
        ),
        "the star is right of the tree",
        "l' étoile est à droite de l' arbre",
        "der Stern ist rechts vom Baum",
        "la estrella está a la derecha del árbol",
    ),
    Golden(
        Says(
            Mention("donkey", "the", size="small", thing=0),
            IsWhere("above", (Mention("flower", "the", thing=1),), "not"),
        ),
        "the small donkey is not above the flower",
        "le petit âne n' est pas au-dessus de la fleur",
        "der kleine Esel ist nicht über der Blume",
        "el pequeño burro no está por encima de la flor",
    ),
    Golden(
        Says(
            Mention("house", "the count", 2, colour="white", thing=0),
            IsWhere("below", (Mention("cloud", "the", 3, colour="grey", thing=1),)),
        ),
        "the two white houses are below the grey clouds",
        "les deux maisons blanches sont au-dessous des nuages gris",
        "die zwei weißen Häuser sind unter den grauen Wolken",
        "las dos casas blancas están por debajo de las nubes grises",
    ),
    Golden(
        Says(
            Mention("bird", "a", colour="black", thing=0),
            IsWhere("on", (Mention("table", "the", size="big", thing=1),)),
        ),
        "a black bird is on the big table",
        "un oiseau noir est sur la grande table",
        "ein schwarzer Vogel ist auf dem großen Tisch",
        "un pájaro negro está sobre la gran mesa",
    ),
    Golden(
        Says(
            Mention("heart", "the", thing=0),
            IsWhere("between", (Mention("cross", "a", colour="purple", thing=1), Mention("arrow", "the", thing=2))),
        ),
        "the heart is between a purple cross and the arrow",
        "le cœur est entre une croix violette et la flèche",
        "das Herz ist zwischen einem violetten Kreuz und dem Pfeil",
        "el corazón está entre una cruz morada y la flecha",
    ),
    Golden(
        Says(
            Mention("box", "a", thing=0),
            IsWhere("next to", (Mention("heart", "the", colour="pink", thing=1),)),
        ),
        "a box is next to the pink heart",
        "une boîte est à côté du cœur rose",
        "eine Kiste ist neben dem rosa Herzen",
        "una caja está al lado del corazón rosa",
    ),
    Golden(
        Says(Mention("cow", "the", 4, thing=0), IsSuch("colour", "brown")),
        "the cows are brown",
        "les vaches sont marron",
        "die Kühe sind braun",
        "las vacas son marrones",
    ),
    Golden(
        Says(Mention("scarf", "the count", 2, thing=0), IsSuch("colour", "white", "not")),
        "the two scarves are not white",
        "les deux écharpes ne sont pas blanches",
        "die zwei Schals sind nicht weiß",
        "las dos bufandas no son blancas",
    ),
    Golden(
        Says(Mention("man", "the", thing=0), IsSuch("age", "old")),
        "the man is old",
        "l' homme est vieux",
        "der Mann ist alt",
        "el hombre es viejo",
    ),
    Golden(
        Says(
            Mention("man", "a", age="old", thing=0),
            Does("ride", Mention("horse", "a", colour="brown", thing=1)),
        ),
        "an old man rides a brown horse",
        "un vieil homme monte un cheval marron",
        "ein alter Mann reitet auf einem braunen Pferd",
        "un hombre viejo monta en un caballo marrón",
    ),
    Golden(
        Says(
            Mention("girl", "the", thing=0),
            Does("ride", Mention("bicycle", "a", colour="red", size="small", thing=1)),
        ),
        "the girl rides a small red bicycle",
        "la fille roule sur un petit vélo rouge",
        "das Mädchen fährt auf einem kleinen roten Fahrrad",
        "la niña monta en una pequeña bicicleta roja",
    ),
    Golden(
        Says(
            Mention("woman", "the", age="young", thing=0),
            Does("look at", Mention("dog", "the", colour="white", thing=1)),
        ),
        "the young woman looks at the white dog",
        "la jeune femme regarde le chien blanc",
        "die junge Frau sieht den weißen Hund an",
        "la mujer joven mira al perro blanco",
    ),
    Golden(
        Says(
            Mention("boy", "count", 2, thing=0),
            Does("look at", Mention("kite", "a", colour="blue", thing=1)),
        ),
        "two boys look at a blue kite",
        "deux garçons regardent un cerf-volant bleu",
        "zwei Jungen sehen einen blauen Drachen an",
        "dos niños miran una cometa azul",
    ),
    Golden(
        Says(
            Mention("man", "count", 3, age="young", thing=0),
            Does("wear", Mention("hat", "bare", 3, colour="black", thing=1)),
        ),
        "three young men wear black hats",
        "trois jeunes hommes portent des chapeaux noirs",
        "drei junge Männer tragen schwarze Hüte",
        "tres hombres jóvenes llevan sombreros negros",
    ),
    Golden(
        Says(
            Mention(
                "woman", "count", 2, age="old", thing=0, tail=With(Mention("flag", "bare", 2, size="small", thing=1))
            ),
            IsWhere("left of", (Mention("boy", "the", thing=2),)),
        ),
        "two old women with small flags are left of the boy",
        "deux vieilles femmes avec de petits drapeaux sont à gauche du garçon",
        "zwei alte Frauen mit kleinen Fahnen sind links vom Jungen",
        "dos mujeres viejas con pequeñas banderas están a la izquierda del niño",
    ),
    Golden(
        Says(
            Mention("woman", "a", thing=0),
            Does("hold", Mention("umbrella", "a", colour="red", thing=1)),
            "left",
        ),
        "on the left a woman holds a red umbrella",
        "à gauche une femme tient un parapluie rouge",
        "links hält eine Frau einen roten Regenschirm",
        "a la izquierda una mujer sostiene un paraguas rojo",
    ),
    Golden(
        Says(
            Mention("girl", "a", thing=0),
            Does("look at", Mention("boy", "the", thing=1)),
            "bottom right",
        ),
        "in the bottom right corner a girl looks at the boy",
        "dans le coin inférieur droit une fille regarde le garçon",
        "in der unteren rechten Ecke sieht ein Mädchen den Jungen an",
        "en la esquina inferior derecha una niña mira al niño",
    ),
    Golden(
        SeenThat(
            Says(
                Mention("girl", "the", thing=0),
                Does("look at", Mention("bird", "count", 2, thing=1)),
            )
        ),
        "I see that the girl looks at two birds",
        "je vois que la fille regarde deux oiseaux",
        "ich sehe , dass das Mädchen zwei Vögel ansieht",
        "veo que la niña mira a dos pájaros",
    ),
    Golden(
        SeenThat(
            Says(
                Mention("boy", "count", 2, thing=0),
                Does(
                    "look at",
                    Mention("man", "a", thing=1, tail=Which(Does("wear", Mention("cap", "a", colour="red", thing=2)))),
                ),
            )
        ),
        "I see that two boys look at a man who wears a red cap",
        "je vois que deux garçons regardent un homme qui porte une casquette rouge",
        "ich sehe , dass zwei Jungen einen Mann ansehen , der eine rote Mütze trägt",
        "veo que dos niños miran a un hombre que lleva una gorra roja",
    ),
    Golden(
        SeenThat(Exists((Mention("ball", "a", colour="green", thing=0),), "middle")),
        "I see that there is a green ball in the middle",
        "je vois qu' il y a une balle verte au milieu",
        "ich sehe , dass es in der Mitte einen grünen Ball gibt",
        "veo que hay una pelota verde en el centro",
    ),
    Golden(
        Shows(
            "picture", (Mention("ring", "bare", 4, size="big", colour="purple", thing=0), Mention("cat", "a", thing=1))
        ),
        "the picture shows big purple rings and a cat",
        "l' image montre de grands anneaux violets et un chat",
        "das Bild zeigt große violette Ringe und eine Katze",
        "la imagen muestra grandes anillos morados y un gato",
    ),
    Golden(
        Shows("see", (Mention("book", "a", thing=0, tail=Whom(Mention("man", "the", age="old", thing=1), "hold")),)),
        "I see a book that the old man holds",
        "je vois un livre que le vieil homme tient",
        "ich sehe ein Buch , das der alte Mann hält",
        "veo un libro que el hombre viejo sostiene",
    ),
    Golden(
        Says(
            Mention("tree", "the", thing=0, tail=Whom(Mention("girl", "a", 1, thing=1), "look at")),
            IsSuch("size", "big"),
        ),
        "the tree that a girl looks at is big",
        "l' arbre qu' une fille regarde est grand",
        "der Baum , den ein Mädchen ansieht , ist groß",
        "el árbol que una niña mira es grande",
    ),
    Golden(
        Says(
            Mention("man", "the", thing=0, tail=Which(Does("wear", Mention("coat", "a", colour="grey", thing=1)))),
            Does("hold", Mention("bag", "a", thing=2)),
        ),
        "the man who wears a grey coat holds a bag",
        "l' homme qui porte un manteau gris tient un sac",
        "der Mann , der einen grauen Mantel trägt , hält eine Tasche",
        "el hombre que lleva un abrigo gris sostiene un bolso",
    ),
    Golden(
        Says(
            Mention("circle", "a", thing=0),
            IsWhere(
                "left of",
                (Mention("car", "the", thing=1, tail=Which(IsWhere("below", (Mention("cloud", "a", thing=2),)))),),
            ),
        ),
        "a circle is left of the car that is below a cloud",
        "un cercle est à gauche de la voiture qui est au-dessous d' un nuage",
        "ein Kreis ist links von dem Auto , das unter einer Wolke ist",
        "un círculo está a la izquierda del coche que está por debajo de una nube",
    ),
    Golden(
        Joined(
            Says(Mention("boy", "the", thing=0), Does("hold", Mention("kite", "a", thing=1))),
            "while",
            Says(Mention("girl", "a", thing=2), Does("ride", Mention("scooter", "a", colour="blue", thing=3))),
        ),
        "the boy holds a kite while a girl rides a blue scooter",
        "le garçon tient un cerf-volant tandis qu' une fille roule sur une trottinette bleue",
        "der Junge hält einen Drachen , während ein Mädchen auf einem blauen Roller fährt",
        "el niño sostiene una cometa mientras una niña monta en un patinete azul",
    ),
    Golden(
        Joined(
            Says(Mention("circle", "the", thing=0), IsSuch("colour", "red")),
            "but",
            Says(Mention("lamp", "the", size="small", thing=1), IsSuch("colour", "green")),
        ),
        "the circle is red , but the small lamp is green",
        "le cercle est rouge , mais la petite lampe est verte",
        "der Kreis ist rot , aber die kleine Lampe ist grün",
        "el círculo es rojo , pero la pequeña lámpara es verde",
    ),
    Golden(
        Joined(
            Says(
                Mention("boy", "a", thing=0),
                Does(
                    "look at",
                    Mention("woman", "the", thing=1, tail=Which(Does("wear", Mention("jacket", "a", thing=2)))),
                ),
            ),
            "but",
            Exists((Mention("chair", "count", 6, thing=3),), "top", "start"),
        ),
        "a boy looks at the woman who wears a jacket , but at the top there are six chairs",
        "un garçon regarde la femme qui porte une veste , mais en haut il y a six chaises",
        "ein Junge sieht die Frau an , die eine Jacke trägt , aber oben gibt es sechs Stühle",
        "un niño mira a la mujer que lleva una chaqueta , pero arriba hay seis sillas",
    ),
    Golden(
        Joined(
            Exists((Mention("man", "a", thing=0, tail=Which(Does("hold", Mention("basket", "a", thing=1)))),)),
            "and",
            Says(Mention("rabbit", "the", 2, thing=2), IsWhere("right of", (Mention("boat", "a", thing=3),))),
        ),
        "there is a man who holds a basket and the rabbits are right of a boat",
        "il y a un homme qui tient un panier et les lapins sont à droite d' un bateau",
        "es gibt einen Mann , der einen Korb hält , und die Kaninchen sind rechts von einem Boot",
        "hay un hombre que sostiene una cesta y los conejos están a la derecha de un barco",
    ),
)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.en.replace(" ", "_"))
def test_sentence_is_the_hand_written_one(golden: Golden, language: str) -> None:
    assert realise(golden.statement, language).text == getattr(golden, language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_text_splits_into_the_words(language: str) -> None:
    for golden in GOLDEN:
        sentence = realise(golden.statement, language)
        assert sentence.text.split() == [word.text for word in sentence.words]


def test_there_are_thirty_sentences_in_every_language() -> None:
    assert all(len({getattr(golden, language) for golden in GOLDEN}) >= 30 for language in LANGUAGES)
