"""Scenes: the embedded world. Scenes, what is said of them in four languages, stories, and the truth about all."""

from saccade.scenes.descriptions import DEFAULT_SIZES, SPLITS, Description, Split, describe, split_of
from saccade.scenes.pairs import LANGUAGES, parse_spec, read_pairs, realise
from saccade.scenes.predictable import (
    Bound,
    Halves,
    follows,
    hidden_words,
    masked_word_bound,
    next_sentence_bound,
)
from saccade.scenes.stories import Story, read_documents, tell
from saccade.scenes.words import Concept, Sentence, Word, align
from saccade.scenes.world import Bond, Box, Scene, Thing

__all__ = [
    "DEFAULT_SIZES",
    "LANGUAGES",
    "SPLITS",
    "Bond",
    "Bound",
    "Box",
    "Concept",
    "Description",
    "Halves",
    "Scene",
    "Sentence",
    "Split",
    "Story",
    "Thing",
    "Word",
    "align",
    "describe",
    "follows",
    "hidden_words",
    "masked_word_bound",
    "next_sentence_bound",
    "parse_spec",
    "read_documents",
    "read_pairs",
    "realise",
    "split_of",
    "tell",
]
