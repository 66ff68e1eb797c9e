"""Tokenizers: text to ids and back, exactly, trained and run by the Hugging Face ``tokenizers`` library."""

from saccade.data.tokenizers.stream import TextStream
from saccade.data.tokenizers.tokenizer import Encoded, Kind, Span, Tokenizer
from saccade.data.tokenizers.training import train_tokenizer

__all__ = ["Encoded", "Kind", "Span", "TextStream", "Tokenizer", "train_tokenizer"]
