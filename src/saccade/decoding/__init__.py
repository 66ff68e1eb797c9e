"""Decoding: one step interface for every decoder, beam search and sampling on it, ensembles; going on with texts."""

from saccade.decoding.beam import BeamSettings, Found, Gone, beam_search
from saccade.decoding.choosing import Sampling
from saccade.decoding.generating import Chance, End, Generating, Generation, New
from saccade.decoding.hypothesis import Hypothesis
from saccade.decoding.room import Room
from saccade.decoding.sampling import Samples, sample
from saccade.decoding.steps import EnsembleSteps, ModelSteps, StepModel, Steps

__all__ = [
    "BeamSettings",
    "Chance",
    "End",
    "EnsembleSteps",
    "Found",
    "Generating",
    "Generation",
    "Gone",
    "Hypothesis",
    "ModelSteps",
    "New",
    "Room",
    "Samples",
    "Sampling",
    "StepModel",
    "Steps",
    "beam_search",
    "sample",
]
