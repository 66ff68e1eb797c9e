"""Decoding: one step interface for every decoder, beam search on it, ensembles."""

from saccade.decoding.beam import BeamSettings, Found, beam_search
from saccade.decoding.hypothesis import Hypothesis
from saccade.decoding.room import Room
from saccade.decoding.steps import EnsembleSteps, ModelSteps, StepModel, Steps

__all__ = [
    "BeamSettings",
    "EnsembleSteps",
    "Found",
    "Hypothesis",
    "ModelSteps",
    "Room",
    "StepModel",
    "Steps",
    "beam_search",
]
