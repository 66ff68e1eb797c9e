import math

import pytest
import torch

from saccade.attention import Combine, Positions, sinusoids
from saccade.layers import TokenEmbedding


@pytest.mark.parametrize("combine", ["add", "concatenate"])
def test_against_the_formula(combine: Combine) -> None:
    positions = Positions(dim=8, combine=combine)
    embedding = TokenEmbedding(vocab_size=10, dim=8, positions=positions, dropout=0.0)
    found = embedding(torch.tensor([[3, 1], [9, 9]]), start=4)
    for row, tokens in enumerate([[3, 1], [9, 9]]):
        for t, token in enumerate(tokens):
            vector = math.sqrt(8) * embedding.tokens.weight[token]
            place = sinusoids(4 + t, 5 + t, positions.position_dim)[0]
            expected = vector + place if combine == "add" else torch.cat((vector, place))
            torch.testing.assert_close(found[row, t], expected)


def test_tokens_start_with_unit_variance() -> None:
    embedding = TokenEmbedding(vocab_size=500, dim=64, positions=Positions(dim=64, kind="none"), dropout=0.0)
    assert embedding(torch.arange(500)[None]).std().item() == pytest.approx(1, rel=0.03)


def test_dropout_is_for_training_only() -> None:
    embedding = TokenEmbedding(vocab_size=5, dim=8, positions=Positions(dim=8), dropout=0.5)
    tokens = torch.tensor([[1, 2, 3]])
    dropped = embedding(tokens)
    assert (dropped == 0).any()
    embedding.eval()
    assert torch.equal(embedding(tokens), embedding(tokens))
    kept = dropped != 0
    torch.testing.assert_close(dropped[kept], 2 * embedding(tokens)[kept])
