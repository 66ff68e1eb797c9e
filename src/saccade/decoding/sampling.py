"""Sampling: every token is drawn from the model's own probabilities.

Shapes: B sentences, K samples of each, N = B·K rows in that order, A rows still under way, T tokens, V vocabulary.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from saccade.decoding.steps import Steps


@dataclass(frozen=True)
class Samples:
    """What was drawn: ``written_NT`` with the end token where a text ended, of which ``real_NT`` is no filling."""

    written_NT: Tensor
    real_NT: Tensor
    eos_id: int

    def texts(self) -> list[list[int]]:
        """The tokens of each row, without the end."""
        lengths = self.real_NT.sum(dim=1).tolist()
        return [
            [token for token in written[:length] if token != self.eos_id]
            for written, length in zip(self.written_NT.tolist(), lengths, strict=True)
        ]


@torch.no_grad()
def sample(
    steps: Steps, max_lengths: Sequence[int], samples: int, *, bos_id: int, eos_id: int, device: torch.device
) -> Samples:
    """``samples`` texts of each sentence, by torch's generator; at its greatest length a text is cut off."""
    limit_A = torch.tensor(max_lengths, device=device).repeat_interleave(samples)
    rows = len(limit_A)
    place_A = torch.arange(rows, device=device)  # the row of the result that a row under way belongs to
    going_A = limit_A > 0
    token_A = torch.full((rows,), bos_id, device=device)
    written: list[Tensor] = []
    real: list[Tensor] = []
    while going_A.any():
        token_A = steps.log_probs(token_A).exp().multinomial(1)[:, 0]
        written.append(token_A.new_full((rows,), eos_id).index_copy(0, place_A, token_A))
        real.append(going_A.new_zeros(rows).index_copy(0, place_A, going_A))
        going_A = going_A & (token_A != eos_id) & (limit_A > len(written))
        going_B = going_A.view(-1, samples).any(dim=1)
        if 0 < going_B.sum() <= len(going_B) // 2:  # so many are done that moving the others together pays
            kept_A = going_B.repeat_interleave(samples).nonzero()[:, 0]
            steps.keep(going_B.nonzero()[:, 0], kept_A)
            limit_A, place_A, going_A, token_A = (each[kept_A] for each in (limit_A, place_A, going_A, token_A))
    return Samples(torch.stack(written, dim=1), torch.stack(real, dim=1), eos_id)
