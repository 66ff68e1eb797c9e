"""The words of a caption, as the standard COCO code cuts them: the Penn Treebank's way, lower case, no punctuation.

The standard code runs a Java program (Stanford's PTBTokenizer) and leaves punctuation out. This is the same for
captions, without Java; its quirks are kept, since they are in every published number: clitics are words of their own
(``man 's``, ``is n't``), and brackets stay, under the Treebank's names (``-lrb-``), because the standard code looks for
these names in upper case only.

It differs from the Java program in what captions hardly ever have: abbreviations other than those listed here, web
addresses, smileys, and a number or word that a rare sign is glued to.
"""

import re
from collections.abc import Sequence

Words = tuple[str, ...]

PUNCTUATION = frozenset(("''", "'", "``", "`", ".", "?", "!", ",", ":", "-", "--", "...", ";"))

_BRACKETS = {"(": "-lrb-", ")": "-rrb-", "[": "-lsb-", "]": "-rsb-", "{": "-lcb-", "}": "-rcb-"}
_PLAIN = {
    "…": "...", "“": '"', "”": '"', "‘": "'", "’": "'", "–": "--", "—": "--",
}  # fmt: skip
_SPLIT_IN_TWO = {
    "cannot": ("can", "not"), "gonna": ("gon", "na"), "gotta": ("got", "ta"), "wanna": ("wan", "na"),
    "gimme": ("gim", "me"), "lemme": ("lem", "me"),
}  # fmt: skip
_ABBREVIATIONS = (
    "mr|mrs|ms|dr|prof|st|mt|jr|sr|vs|no|ft|ave|blvd|rd|inc|ltd|co|corp|dept|etc|jan|feb|aug|sept|oct|nov|dec"
)
_TOKEN = re.compile(
    rf"""
      (?: [a-z]\. ){{2,}}                             # u.s. a.m.
    | (?: {_ABBREVIATIONS} ) \. (?=\s+\S)              # mr. smith, not the last word of a sentence
    | \d+ (?: [.,:/-] \d+ )+ (?! \w )                  # 1,000  10:30  1/2
    | [a-z] \. (?=\s+["\w])                             # u. miami
    | '\d0s | 'n' | o'[a-z]{{3,}}                       # '90s  o'clock
    | (?: (?! n't\b ) [^\W_] )+ (?= n't\b )            # is n't
    | n't\b
    | '(?: s | m | d | re | ve | ll )\b
    | [^\W_]+ (?: (?: [-/._] (?= [^\W_] ) | _ ) [^\W_]+ )*  # snow-covered
    | \.{{3,}} | --+ | \S
    """,
    re.VERBOSE,
)


def caption_words(caption: str) -> Words:
    """``A man's dog (wet) runs.`` gives ``a man 's dog -lrb- wet -rrb- runs``."""
    text = "".join(_PLAIN.get(character, character) for character in caption.lower())
    tokens = (part for token in _TOKEN.findall(text) for part in _SPLIT_IN_TWO.get(token, (token,)))
    return tuple(_BRACKETS.get(token, token) for token in tokens if token != '"' and token not in PUNCTUATION)


def reference_words(references: Sequence[Sequence[str]]) -> list[tuple[Words, ...]]:
    """For each picture the words of each of its references."""
    return [tuple(caption_words(caption) for caption in captions) for captions in references]
