from pathlib import Path

import numpy as np
import pytest
import torch

from saccade.training.gradient import add_gradient, shares
from tasks.parts import model_for
from training.trainings import small_task


@pytest.mark.parametrize(("rows", "parts", "sizes"), [(7, 3, [3, 2, 2]), (2, 3, [1, 1]), (5, 1, [5])])
def test_a_batch_is_cut_into_neighbours(rows: int, parts: int, sizes: list[int]) -> None:
    cut = shares(np.arange(rows), divisor=9, parts=parts, seed=(1, 2))
    assert [len(share.rows) for share in cut] == sizes
    assert np.concatenate([share.rows for share in cut]).tolist() == list(range(rows))
    assert {share.divisor for share in cut} == {9}
    assert len({share.seed for share in cut}) == len(cut)


def test_what_is_dropped_out_depends_on_the_seed_and_the_share_alone(tmp_path: Path) -> None:
    task = small_task(tmp_path)
    model = model_for(task.corpus.tokenizers, dropout=0.4).train()

    def loss(step: int) -> float:
        torch.rand(step + 3)
        (share,) = shares(np.arange(6), divisor=1, parts=1, seed=(1, step))
        return add_gradient(task, model, share, bfloat16=False)

    assert loss(5) == loss(5) != loss(6)
