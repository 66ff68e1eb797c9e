"""Sources: from what a recipe names (files, a hub data set, a scheme) to a stream of pairs, texts or pictures."""

from saccade.data.sources.captions import CaptionedReader, read_captioned
from saccade.data.sources.columns import Columns
from saccade.data.sources.conll import TagKind, read_tagged, to_bio
from saccade.data.sources.glue import GLUE_TASKS, GlueTask, glue_task
from saccade.data.sources.labelled import LabelledStream, read_labelled
from saccade.data.sources.labels import LabelSet, found_labels, found_tags, number_of
from saccade.data.sources.picture_columns import PictureColumns
from saccade.data.sources.pictures import PicturedReader, read_pictured
from saccade.data.sources.read import PairReader, Split, read_pairs
from saccade.data.sources.regions import read_regions
from saccade.data.sources.spec import Languages, as_language, languages
from saccade.data.sources.stream import PairStream
from saccade.data.sources.texts import Borders, read_documents

__all__ = [
    "GLUE_TASKS",
    "Borders",
    "CaptionedReader",
    "Columns",
    "GlueTask",
    "LabelSet",
    "LabelledStream",
    "Languages",
    "PairReader",
    "PairStream",
    "PictureColumns",
    "PicturedReader",
    "Split",
    "TagKind",
    "as_language",
    "found_labels",
    "found_tags",
    "glue_task",
    "languages",
    "number_of",
    "read_captioned",
    "read_documents",
    "read_labelled",
    "read_pairs",
    "read_pictured",
    "read_regions",
    "read_tagged",
    "to_bio",
]
