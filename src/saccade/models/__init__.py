"""Whole models and their presets."""

# The presets register themselves when their module is imported; this list is the registry's only entrance.
from saccade.models import bert_presets as bert_presets
from saccade.models import caption_presets as caption_presets
from saccade.models import convolutional as convolutional
from saccade.models import efficientnet as efficientnet
from saccade.models import gpt as gpt
from saccade.models import hybrid as hybrid
from saccade.models import recurrent_lm as recurrent_lm
from saccade.models import resnet as resnet
from saccade.models import rnn as rnn
from saccade.models import self_rnn as self_rnn
from saccade.models import transformer as transformer
from saccade.models import vgg as vgg
from saccade.models import vit_presets as vit_presets
from saccade.models.bert import Bert, BertClassifier, BertTagger, MaskedBert, Reading
from saccade.models.captioner import Captioner, Guide
from saccade.models.language_model import LanguageModel
from saccade.models.layer_choice import Combine, LayerChoice
from saccade.models.pictures import PictureModel
from saccade.models.registry import (
    GridShape,
    PixelShape,
    Preset,
    Vocabulary,
    build_model,
    catalogue,
    find_preset,
    presets,
)
from saccade.models.seq2seq import Seq2Seq
from saccade.models.writer import Writer

__all__ = [
    "Bert",
    "BertClassifier",
    "BertTagger",
    "Captioner",
    "Combine",
    "GridShape",
    "Guide",
    "LanguageModel",
    "LayerChoice",
    "MaskedBert",
    "PictureModel",
    "PixelShape",
    "Preset",
    "Reading",
    "Seq2Seq",
    "Vocabulary",
    "Writer",
    "build_model",
    "catalogue",
    "find_preset",
    "presets",
]
