"""Whole models and their presets."""

# The presets register themselves when their module is imported; this list is the registry's only entrance.
from saccade.models import convolutional as convolutional
from saccade.models import rnn as rnn
from saccade.models import transformer as transformer
from saccade.models.registry import Preset, Vocabulary, build_model, catalogue, find_preset, presets
from saccade.models.seq2seq import Seq2Seq

__all__ = [
    "Preset",
    "Seq2Seq",
    "Vocabulary",
    "build_model",
    "catalogue",
    "find_preset",
    "presets",
]
