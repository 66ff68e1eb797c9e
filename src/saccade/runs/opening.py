"""Open a run folder: the task in its recipe says what it holds."""

from collections.abc import Callable
from pathlib import Path

from saccade.errors import RunError
from saccade.layers import by_column
from saccade.models import catalogue
from saccade.recipe import load as load_recipe
from saccade.runs.captioning import CaptionRun
from saccade.runs.labelled import ClassifierRun, TaggerRun
from saccade.runs.language import LanguageRun
from saccade.runs.masked import MaskedRun
from saccade.runs.pictures import PictureRun
from saccade.runs.translation import TranslationRun
from saccade.training.folder import RunFolder
from saccade.training.kinds import KINDS
from saccade.training.setup import make_model, use_machine
from saccade.training.storage import load_tensors
from saccade.training.weights import put_body

AnyRun = TranslationRun | LanguageRun | MaskedRun | ClassifierRun | TaggerRun | PictureRun | CaptionRun

RUNS: dict[str, Callable[..., AnyRun]] = {
    "translation": TranslationRun,
    "language-model": LanguageRun,
    "masked-language-model": MaskedRun,
    "classification": ClassifierRun,
    "regression": ClassifierRun,
    "tagging": TaggerRun,
    "captioning": CaptionRun,
    "picture-classification": PictureRun,
}


def load(path: str | Path) -> AnyRun:
    """Opens a run folder; its best weights are checked and loaded."""
    folder = RunFolder.open(Path(path))
    if not folder.model.exists():
        raise RunError(f"{path} has no trained weights yet: go on with `saccade resume {path}`")
    recipe = load_recipe(folder.recipe, models=catalogue())
    use_machine(recipe.train.threads)
    known = KINDS[recipe.task].load(folder.path)
    model = make_model(recipe, known)
    untrained = put_body(model, load_tensors(folder.model), origin=folder.model)
    by_column(model)
    return RUNS[recipe.task](folder, recipe, model.eval(), known, untrained)


def load_translator(path: str | Path) -> TranslationRun:
    """The same for a run that must translate."""
    run = load(path)
    if not isinstance(run, TranslationRun):
        raise RunError(f"{path} was trained for task {run.recipe.task}, which does not translate")
    return run
