"""Scenes: the embedded world. Small scenes, what is said of them in four languages, and the truth about both."""

from saccade.scenes.descriptions import DEFAULT_SIZES, SPLITS, Description, Split, describe, split_of
from saccade.scenes.pairs import LANGUAGES, parse_spec, read_pairs, realise
from saccade.scenes.words import Concept, Sentence, Word, align
from saccade.scenes.world import Bond, Box, Scene, Thing

__all__ = [
    "DEFAULT_SIZES",
    "LANGUAGES",
    "SPLITS",
    "Bond",
    "Box",
    "Concept",
    "Description",
    "Scene",
    "Sentence",
    "Split",
    "Thing",
    "Word",
    "align",
    "describe",
    "parse_spec",
    "read_pairs",
    "realise",
    "split_of",
]
