"""French: agreement, size and age before the noun, elision (l' étoile, d' un), du and des, ne ... pas.

An elided word is a word of its own, written with its apostrophe: ``l' étoile``.
"""

from itertools import zip_longest
from typing import ClassVar

from saccade.scenes.grammar import Being, Role
from saccade.scenes.kinds import Deed
from saccade.scenes.plan import Frame, Joiner, Mention, Spot
from saccade.scenes.romance import Forms, Noun, Romance, forms, nouns_of
from saccade.scenes.words import Word, merge, phrase, word
from saccade.scenes.world import Relation


def _regular(masculine: str) -> Forms:
    return Forms(masculine, masculine + "e", masculine + "s", masculine + "es")


RIDING_AN_ANIMAL = ("monte:deed+at", "montent:deed+at")
MUTE_H = ("homme", "hommes")
VOWELS = "aeiouyâéœ"
ELIDED = {"le": "l'", "la": "l'", "de": "d'", "ne": "n'", "que": "qu'"}
CONTRACTED = {("de", "le"): "du", ("de", "les"): "des", ("à", "le"): "au"}


class French(Romance):
    language = "fr"
    that = "que:that"
    conjunction = "et"
    preposition_with = "avec"
    nouns: ClassVar[dict[str, Noun]] = {
        **nouns_of(
            "m",
            "circle=cercle square=carré triangle=triangle heart=cœur ring=anneau/anneaux diamond=losange bench=banc"
            " boat=bateau/bateaux tree=arbre cloud=nuage dog=chien cat=chat bird=oiseau/oiseaux horse=cheval/chevaux"
            " rabbit=lapin donkey=âne man=homme boy=garçon umbrella=parapluie kite=cerf-volant/cerfs-volants"
            " balloon=ballon book=livre flag=drapeau/drapeaux bag=sac basket=panier hat=chapeau/chapeaux"
            " coat=manteau/manteaux bicycle=vélo",
        ),
        **nouns_of(
            "f",
            "star=étoile cross=croix/croix arrow=flèche house=maison car=voiture table=table chair=chaise lamp=lampe"
            " flower=fleur box=boîte cow=vache woman=femme girl=fille ball=balle scarf=écharpe jacket=veste"
            " shirt=chemise cap=casquette scooter=trottinette",
        ),
    }
    colours: ClassVar[dict[str, Forms]] = {
        "red": forms("rouge rouge rouges rouges"),
        "blue": _regular("bleu"),
        "green": _regular("vert"),
        "yellow": forms("jaune jaune jaunes jaunes"),
        "black": _regular("noir"),
        "white": forms("blanc blanche blancs blanches"),
        "grey": forms("gris grise gris grises"),
        "brown": forms("marron"),
        "pink": forms("rose rose roses roses"),
        "purple": forms("violet violette violets violettes"),
    }
    sizes: ClassVar[dict[str, Forms]] = {"small": _regular("petit"), "big": _regular("grand")}
    ages: ClassVar[dict[str, Forms]] = {
        "young": forms("jeune jeune jeunes jeunes"),
        "old": forms("vieux vieille vieux vieilles"),
    }
    numbers: ClassVar[dict[int, str]] = {2: "deux", 3: "trois", 4: "quatre", 5: "cinq", 6: "six"}
    definite = forms("le la les les")
    indefinite = forms("un une des des")
    relatives: ClassVar[dict[Role, tuple[str, str]]] = {"subject": ("qui", "qui"), "object": ("que", "que")}
    copulas: ClassVar[dict[Being, tuple[str, str]]] = {
        "where": ("est:be", "sont:be"),
        "such": ("est:be", "sont:be"),
    }
    negated = "ne:negation {} pas:negation"
    verbs: ClassVar[dict[Deed, tuple[str, str]]] = {
        "hold": ("tient:deed+at", "tiennent:deed+at"),
        "wear": ("porte:deed+at", "portent:deed+at"),
        "ride": ("roule:deed sur:at", "roulent:deed sur:at"),
        "look at": ("regarde:deed+at", "regardent:deed+at"),
    }
    verbs_for: ClassVar[dict[tuple[Deed, str], tuple[str, str]]] = {
        ("ride", "horse"): RIDING_AN_ANIMAL,
        ("ride", "donkey"): RIDING_AN_ANIMAL,
    }
    frames: ClassVar[dict[Frame, str]] = {
        "see": "je:viewer vois:see",
        "picture": "la:picture.article image:picture montre:shows",
    }
    joiners: ClassVar[dict[Joiner, str]] = {
        "and": "et:join",
        "but": ",:comma mais:join",
        "while": "tandis:join que:join",
    }
    spots: ClassVar[dict[Spot, str]] = {
        "top left": "dans:in le:in.article coin:corner supérieur:height gauche:side",
        "top right": "dans:in le:in.article coin:corner supérieur:height droit:side",
        "bottom left": "dans:in le:in.article coin:corner inférieur:height gauche:side",
        "bottom right": "dans:in le:in.article coin:corner inférieur:height droit:side",
        "top": "en:in haut:height",
        "bottom": "en:in bas:height",
        "left": "à:in gauche:side",
        "right": "à:in droite:side",
        "middle": "à:in le:in.article milieu:middle",
        "picture": "sur:in la:in.article image:picture",
    }
    relations: ClassVar[dict[Relation, str]] = {
        "left of": "à:where gauche:where de:of",
        "right of": "à:where droite:where de:of",
        "above": "au-dessus:where de:of",
        "below": "au-dessous:where de:of",
        "next to": "à:where côté:where de:of",
        "on": "sur:where+of",
        "between": "entre:where",
    }

    def core(self, mention: Mention) -> list[Word]:
        words = self.articles(mention)
        before = []
        if mention.age is not None:
            before.append(self.age(self.ages[mention.age], mention))
        if mention.size is not None:
            before.append(self.agreeing(self.sizes[mention.size], "size", mention))
        if mention.determiner == "no":
            words.append(word("de", "negation", mention.things))
        elif mention.determiner == "bare":
            # "des" becomes "de" when an adjective stands before the noun: des cercles, de petits cercles
            words.append(word("de" if before else "des", "article", mention.things))
        words.extend(before)
        words.append(self.noun(mention))
        if mention.colour is not None:
            words.append(self.agreeing(self.colours[mention.colour], "colour", mention))
        return words

    def age(self, adjective: Forms, mention: Mention) -> Word:
        """Un vieil homme, for "vieux" does not stand before a vowel."""
        age = self.agreeing(adjective, "age", mention)
        if age.text == "vieux" and not mention.plural and _opens_with_a_vowel(self.nouns[mention.kind].singular):
            return Word("vieil", age.concepts)
        return age

    def there_is(self, mentions: tuple[Mention, ...]) -> tuple[Word, ...]:
        if mentions[0].determiner == "no":
            pattern = "il:exists ne:negation y:exists a:exists pas:negation"
        else:
            pattern = "il:exists y:exists a:exists"
        return phrase(pattern, mentions[0].things)

    def fuse(self, words: list[Word]) -> list[Word]:
        """Elide first, contract then: de + le + arbre is "de l' arbre", de + le + carré is "du carré"."""
        fused: list[Word] = []
        before = ""
        for here, following in zip_longest(words, words[1:]):
            if here.text in ELIDED and following is not None and _opens_with_a_vowel(following.text):
                here = Word(ELIDED[here.text], here.concepts)
            if (before, here.text) in CONTRACTED:
                fused[-1] = merge(CONTRACTED[before, here.text], fused[-1], here)
            else:
                fused.append(here)
            before = here.text
        return fused


def _opens_with_a_vowel(text: str) -> bool:
    return text[0] in VOWELS or text in MUTE_H
