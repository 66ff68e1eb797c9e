"""Decoding: one step interface for every decoder, beam search and sampling on it, ensembles."""

from saccade.decoding.beam import BeamSettings, Found, beam_search
from saccade.decoding.hypothesis import Hypothesis
from saccade.decoding.room import Room
from saccade.decoding.sampling import Samples, sample
from saccade.decoding.steps import EnsembleSteps, ModelSteps, StepModel, Steps

__all__ = [
    "BeamSettings",
    "EnsembleSteps",
    "Found",
    "Hypothesis",
    "ModelSteps",
    "Room",
    "Samples",
    "StepModel",
    "Steps",
    "beam_search",
    "sample",
]
