"""A run that was trained: open its folder, and translate, look inside, evaluate with it.

>>> run = saccade.load("runs/demo-1")
>>> run.translate("a small red circle is left of two blue squares").text
"""

from saccade.runs.bert import BertRun
from saccade.runs.captioning import Captioned, CaptionEvaluation, CaptionRun, compare_captioned
from saccade.runs.exchange import export_huggingface, import_backbone, import_huggingface
from saccade.runs.labelled import Classified, ClassifierRun, LabelledEvaluation, TaggerRun
from saccade.runs.language import LanguageEvaluation, LanguageRun, compare_texts
from saccade.runs.masked import Filled, MaskedEvaluation, MaskedRun, Word
from saccade.runs.opening import load, load_translator
from saccade.runs.picture_look import PictureLook
from saccade.runs.pictures import ClassifiedPicture, ClassScore, PictureEvaluation, PictureRun
from saccade.runs.run import Look, Run, Trained
from saccade.runs.translation import EngineRun, Ensemble, Evaluation, TranslationRun, compare, reader_of

__all__ = [
    "BertRun",
    "CaptionEvaluation",
    "CaptionRun",
    "Captioned",
    "ClassScore",
    "Classified",
    "ClassifiedPicture",
    "ClassifierRun",
    "EngineRun",
    "Ensemble",
    "Evaluation",
    "Filled",
    "LabelledEvaluation",
    "LanguageEvaluation",
    "LanguageRun",
    "Look",
    "MaskedEvaluation",
    "MaskedRun",
    "PictureEvaluation",
    "PictureLook",
    "PictureRun",
    "Run",
    "TaggerRun",
    "Trained",
    "TranslationRun",
    "Word",
    "compare",
    "compare_captioned",
    "compare_texts",
    "export_huggingface",
    "import_backbone",
    "import_huggingface",
    "load",
    "load_translator",
    "reader_of",
]
