"""A small translator whose attention is recorded."""

import torch

from saccade.models import Seq2Seq, Vocabulary, build_model

NAMES = ["encoder.0.self", "encoder.1.self", "decoder.0.self", "decoder.0.cross", "decoder.1.self", "decoder.1.cross"]
SOURCE = torch.tensor([[5, 6, 7, 8], [9, 10, 0, 0]])
TARGET = torch.tensor([[1, 11, 12], [1, 13, 14]])


def small(**options: object) -> Seq2Seq:
    torch.manual_seed(3)
    sizes = {"dim": 16, "heads": 2, "ff_dim": 32, "encoder_layers": 2, "decoder_layers": 2}
    model = build_model("transformer-tiny", {**sizes, **options}, Vocabulary(source=20, target=20, shared=True))
    assert isinstance(model, Seq2Seq)
    return model.eval()
