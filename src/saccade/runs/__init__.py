"""A run that was trained: open its folder, and translate, look inside, evaluate with it.

>>> run = saccade.load("runs/demo-1")
>>> run.translate("a small red circle is left of two blue squares").text
"""

from saccade.runs.language import LanguageEvaluation, LanguageRun, compare_texts
from saccade.runs.opening import load, load_translator
from saccade.runs.run import Look, Run
from saccade.runs.translation import EngineRun, Ensemble, Evaluation, TranslationRun, compare, reader_of

__all__ = [
    "EngineRun",
    "Ensemble",
    "Evaluation",
    "LanguageEvaluation",
    "LanguageRun",
    "Look",
    "Run",
    "TranslationRun",
    "compare",
    "compare_texts",
    "load",
    "load_translator",
    "reader_of",
]
