"""The heart: one attention function, its scores, masks and positions, multi-head attention, cache and recorder."""

from saccade.attention.attend import attend, attention_weights
from saccade.attention.cache import Ancestry, GrowingCache, KeysValues
from saccade.attention.layer import AttentionLayer
from saccade.attention.masks import EVERYWHERE, Mask
from saccade.attention.multihead import MultiHead
from saccade.attention.positions import Combine, PositionName, Positions, sinusoids
from saccade.attention.record import Recorder, Recording, Written, attention_layers, clearest_cross, record, recorders
from saccade.attention.scores import Additive, Dot, ScoreName
from saccade.attention.seen import Attended
from saccade.attention.singlehead import SingleHead
from saccade.attention.within import Choose, Drawn, Keep

__all__ = [
    "EVERYWHERE",
    "Additive",
    "Ancestry",
    "Attended",
    "AttentionLayer",
    "Choose",
    "Combine",
    "Dot",
    "Drawn",
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
    "Written",
    "attend",
    "attention_layers",
    "attention_weights",
    "clearest_cross",
    "record",
    "recorders",
    "sinusoids",
]
