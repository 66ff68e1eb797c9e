"""Scenes: the embedded world. Scenes, pictures of them, what is said of them in four languages, stories, and the truth
about all."""

from saccade.scenes.captioned import Captioned, read_captioned
from saccade.scenes.captions import Caption, caption, is_right, statements
from saccade.scenes.descriptions import DEFAULT_SIZES, SPLITS, Description, Split, describe, split_of
from saccade.scenes.drawing import Picture, contact_sheet, draw
from saccade.scenes.pairs import LANGUAGES, parse_spec, read_pairs, realise
from saccade.scenes.people import Study, other_group
from saccade.scenes.predictable import (
    CUT,
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
    "CUT",
    "DEFAULT_SIZES",
    "LANGUAGES",
    "SPLITS",
    "Bond",
    "Bound",
    "Box",
    "Caption",
    "Captioned",
    "Concept",
    "Description",
    "Halves",
    "Picture",
    "Scene",
    "Sentence",
    "Split",
    "Story",
    "Study",
    "Thing",
    "Word",
    "align",
    "caption",
    "contact_sheet",
    "describe",
    "draw",
    "follows",
    "hidden_words",
    "is_right",
    "masked_word_bound",
    "next_sentence_bound",
    "other_group",
    "parse_spec",
    "read_captioned",
    "read_documents",
    "read_pairs",
    "realise",
    "split_of",
    "statements",
    "tell",
]
