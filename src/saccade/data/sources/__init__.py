"""Sources: from what a recipe names (files, a hub data set, a scheme) to a stream of pairs or texts."""

from saccade.data.sources.read import PairReader, Split, read_pairs
from saccade.data.sources.spec import Languages, as_language, languages
from saccade.data.sources.stream import PairStream
from saccade.data.sources.texts import Borders, read_documents

__all__ = [
    "Borders",
    "Languages",
    "PairReader",
    "PairStream",
    "Split",
    "as_language",
    "languages",
    "read_documents",
    "read_pairs",
]
