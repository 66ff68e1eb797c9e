"""Hugging Face's folders for BERT, GPT-2 and ViT: weights, configuration and tokenizer, in and out."""

from saccade.interop.huggingface.folder import Imported, read_folder, write_folder
from saccade.interop.huggingface.packaged import model_folder

__all__ = ["Imported", "model_folder", "read_folder", "write_folder"]
