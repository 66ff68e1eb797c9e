"""Spanish: agreement, ser and estar, gran before a singular noun, ningún, del and al, the a before living objects."""

from typing import ClassVar

from saccade.scenes.grammar import Being, Role
from saccade.scenes.kinds import ANIMATE, Deed
from saccade.scenes.plan import Frame, Joiner, Mention, Spot
from saccade.scenes.romance import Forms, Noun, Romance, forms, nouns_of
from saccade.scenes.words import Word, merge, phrase, word
from saccade.scenes.world import Relation


def _regular(masculine: str) -> Forms:
    feminine = masculine[:-1] + "a"
    return Forms(masculine, feminine, masculine + "s", feminine + "s")


CONTRACTED = {("de", "el"): "del", ("a", "el"): "al"}
SHORT_SIZES = {"big": "gran"}  # grande loses its end before a singular noun of either gender


class Spanish(Romance):
    language = "es"
    that = "que:that"
    conjunction = "y"
    preposition_with = "con"
    nouns: ClassVar[dict[str, Noun]] = {
        **nouns_of(
            "m",
            "circle=círculo square=cuadrado triangle=triángulo heart=corazón/corazones ring=anillo diamond=rombo"
            " car=coche bench=banco boat=barco tree=árbol/árboles dog=perro cat=gato bird=pájaro horse=caballo"
            " rabbit=conejo donkey=burro man=hombre boy=niño umbrella=paraguas/paraguas balloon=globo book=libro"
            " bag=bolso hat=sombrero coat=abrigo scooter=patinete",
        ),
        **nouns_of(
            "f",
            "star=estrella cross=cruz/cruces arrow=flecha house=casa table=mesa chair=silla lamp=lámpara"
            " flower=flor/flores box=caja cloud=nube cow=vaca woman=mujer/mujeres girl=niña ball=pelota kite=cometa"
            " flag=bandera basket=cesta scarf=bufanda jacket=chaqueta shirt=camisa cap=gorra bicycle=bicicleta",
        ),
    }
    colours: ClassVar[dict[str, Forms]] = {
        "red": _regular("rojo"),
        "blue": forms("azul azul azules azules"),
        "green": forms("verde verde verdes verdes"),
        "yellow": _regular("amarillo"),
        "black": _regular("negro"),
        "white": _regular("blanco"),
        "grey": forms("gris gris grises grises"),
        "brown": forms("marrón marrón marrones marrones"),
        "pink": forms("rosa rosa rosas rosas"),
        "purple": _regular("morado"),
    }
    sizes: ClassVar[dict[str, Forms]] = {
        "small": _regular("pequeño"),
        "big": forms("grande grande grandes grandes"),
    }
    ages: ClassVar[dict[str, Forms]] = {
        "young": forms("joven joven jóvenes jóvenes"),
        "old": _regular("viejo"),
    }
    numbers: ClassVar[dict[int, str]] = {2: "dos", 3: "tres", 4: "cuatro", 5: "cinco", 6: "seis"}
    definite = forms("el la los las")
    indefinite = forms("un una unos unas")
    none = forms("ningún ninguna ningunos ningunas")
    relatives: ClassVar[dict[Role, tuple[str, str]]] = {"subject": ("que", "que"), "object": ("que", "que")}
    copulas: ClassVar[dict[Being, tuple[str, str]]] = {
        "where": ("está:be", "están:be"),
        "such": ("es:be", "son:be"),
    }
    negated = "no:negation {}"
    verbs: ClassVar[dict[Deed, tuple[str, str]]] = {
        "hold": ("sostiene:deed+at", "sostienen:deed+at"),
        "wear": ("lleva:deed+at", "llevan:deed+at"),
        "ride": ("monta:deed en:at", "montan:deed en:at"),
        "look at": ("mira:deed+at", "miran:deed+at"),
    }
    verbs_for: ClassVar[dict[tuple[Deed, str], tuple[str, str]]] = {
        ("look at", kind): ("mira:deed a:at", "miran:deed a:at") for kind in ANIMATE
    }
    frames: ClassVar[dict[Frame, str]] = {
        "see": "veo:viewer+see",
        "picture": "la:picture.article imagen:picture muestra:shows",
    }
    joiners: ClassVar[dict[Joiner, str]] = {"and": "y:join", "but": ",:comma pero:join", "while": "mientras:join"}
    spots: ClassVar[dict[Spot, str]] = {
        "top left": "en:in la:in.article esquina:corner superior:height izquierda:side",
        "top right": "en:in la:in.article esquina:corner superior:height derecha:side",
        "bottom left": "en:in la:in.article esquina:corner inferior:height izquierda:side",
        "bottom right": "en:in la:in.article esquina:corner inferior:height derecha:side",
        "top": "arriba:in+height",
        "bottom": "abajo:in+height",
        "left": "a:in la:in.article izquierda:side",
        "right": "a:in la:in.article derecha:side",
        "middle": "en:in el:in.article centro:middle",
        "picture": "en:in la:in.article imagen:picture",
    }
    relations: ClassVar[dict[Relation, str]] = {
        "left of": "a:where la:where izquierda:where de:of",
        "right of": "a:where la:where derecha:where de:of",
        "above": "por:where encima:where de:of",
        "below": "por:where debajo:where de:of",
        "next to": "al:where lado:where de:of",
        "on": "sobre:where+of",
        "between": "entre:where",
    }

    def core(self, mention: Mention) -> list[Word]:
        words = self.articles(mention)
        if mention.determiner == "no":
            words.append(self.agreeing(self.none, "negation", mention))
        if mention.size is not None:
            if mention.size in SHORT_SIZES and not mention.plural:
                words.append(word(SHORT_SIZES[mention.size], "size", mention.things))
            else:
                words.append(self.agreeing(self.sizes[mention.size], "size", mention))
        words.append(self.noun(mention))
        if mention.age is not None:
            words.append(self.agreeing(self.ages[mention.age], "age", mention))
        if mention.colour is not None:
            words.append(self.agreeing(self.colours[mention.colour], "colour", mention))
        return words

    def there_is(self, mentions: tuple[Mention, ...]) -> tuple[Word, ...]:
        pattern = "no:negation hay:exists" if mentions[0].determiner == "no" else "hay:exists"
        return phrase(pattern, mentions[0].things)

    def fuse(self, words: list[Word]) -> list[Word]:
        fused: list[Word] = []
        for here in words:
            contracted = CONTRACTED.get((fused[-1].text, here.text)) if fused else None
            if contracted is None:
                fused.append(here)
            else:
                fused[-1] = merge(contracted, fused[-1], here)
        return fused
