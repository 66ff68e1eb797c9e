"""The heart: one attention function, its scores, masks and positions, multi-head attention, cache and recorder."""

from saccade.attention.asked import EVERYTHING, Asked
from saccade.attention.attend import attend, attention_weights
from saccade.attention.cache import Ancestry, GrowingCache, KeysValues
from saccade.attention.calculation import Calculation
from saccade.attention.edits import Edit
from saccade.attention.layer import AttentionLayer
from saccade.attention.masks import EVERYWHERE, Mask
from saccade.attention.multihead import MultiHead
from saccade.attention.positions import Combine, PositionName, Positions, sinusoids
from saccade.attention.record import (
    Recorder,
    Recording,
    Watch,
    Written,
    attention_layers,
    clearest_cross,
    record,
    recorders,
)
from saccade.attention.scores import Additive, Dot, ScoreName
from saccade.attention.seen import Attended
from saccade.attention.singlehead import SingleHead
from saccade.attention.within import Choose, Drawn, Keep

__all__ = [
    "EVERYTHING",
    "EVERYWHERE",
    "Additive",
    "Ancestry",
    "Asked",
    "Attended",
    "AttentionLayer",
    "Calculation",
    "Choose",
    "Combine",
    "Dot",
    "Drawn",
    "Edit",
    "GrowingCache",
    "Keep",
    "KeysValues",
    "Mask",
    "MultiHead",
    "PositionName",
    "Positions",
    "Recorder",
    "Recording",
    "ScoreName",
    "SingleHead",
    "Watch",
    "Written",
    "attend",
    "attention_layers",
    "attention_weights",
    "clearest_cross",
    "record",
    "recorders",
    "sinusoids",
]
