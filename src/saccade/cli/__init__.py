"""The command line: one thin function a verb, which Python can call by the same name and arguments."""

from saccade.cli.catalogues import models, recipes
from saccade.cli.check import check
from saccade.cli.compare import compare
from saccade.cli.complexity import complexity
from saccade.cli.demo import demo
from saccade.cli.evaluate import evaluate
from saccade.cli.export import export
from saccade.cli.generate import generate
from saccade.cli.serve import serve
from saccade.cli.train import resume, train
from saccade.cli.translate import translate
from saccade.cli.view import view

__all__ = [
    "check",
    "compare",
    "complexity",
    "demo",
    "evaluate",
    "export",
    "generate",
    "models",
    "recipes",
    "resume",
    "serve",
    "train",
    "translate",
    "view",
]
