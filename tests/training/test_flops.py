"""The estimate of a step's operations, held against torch's own counter on whole batches."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from saccade.models import build_model
from saccade.tasks.corpus import CorpusSettings
from saccade.tasks.translation import TranslationTask
from saccade.training.flops import FORMULAS, MISSING_IN_TORCH, Cost, Counter, counted_flops, measured_cost
from saccade.training.setup import vocabulary_of
from tasks.parts import prepared, task_for

SMALL = {"dim": 32}
PRESETS: dict[str, dict[str, Any]] = {
    "transformer-tiny": {**SMALL, "heads": 2, "encoder_layers": 2, "decoder_layers": 1, "ff_dim": 64},
    "rnn-additive": SMALL,
    "rnn-seq2seq": {**SMALL, "cell": "lstm"},
    "deep-att": {**SMALL, "encoder_layers": 2, "decoder_layers": 2},
}


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> TranslationTask:
    settings = CorpusSettings(train=("scenes:en-fr?size=300",), valid=("scenes:en-fr?size=10",), kind="words")
    corpus, _ = prepared(tmp_path_factory.mktemp("corpus"), settings)
    return task_for(corpus, batch_tokens=512)


def model_of(preset: str, task: TranslationTask) -> nn.Module:
    return build_model(preset, PRESETS[preset], vocabulary_of(task.corpus.tokenizers))


@pytest.mark.parametrize("preset", PRESETS)
def test_the_estimate_is_the_count_of_the_whole_batch(preset: str, task: TranslationTask) -> None:
    model = model_of(preset, task)
    cost = measured_cost(task, model)
    for rows in task.batches.epoch(0)[:3]:
        assert len(rows) > 8  # no batch as small as those it was measured on
        assert cost.flops(task.work(rows)) == pytest.approx(counted_flops(task, model, rows), rel=1e-4)


def test_attention_within_a_window_is_estimated_to_a_few_per_cent(task: TranslationTask) -> None:
    options = {**PRESETS["transformer-tiny"], "window": 6}
    model = build_model("transformer-tiny", options, vocabulary_of(task.corpus.tokenizers))
    cost = measured_cost(task, model)
    for rows in task.batches.epoch(0)[:3]:
        assert cost.flops(task.work(rows)) == pytest.approx(counted_flops(task, model, rows), rel=0.05)


@pytest.mark.parametrize("preset", ["transformer-tiny", "rnn-additive"])
def test_the_count_is_that_of_torchs_counter(preset: str, task: TranslationTask) -> None:
    """For what its formulas cover; the rest, added products and the fused attention of CPUs, is given to it."""
    model, rows = model_of(preset, task), task.batches.epoch(0)[0]
    counted = counted_flops(task, model, rows)
    tensors = {operation: _of_shapes(formula) for operation, formula in MISSING_IN_TORCH.items()}
    with FlopCounterMode(display=False, custom_mapping=tensors) as counter:
        task.loss(model, rows).total.backward()
    assert counter.get_total_flops() == counted


def _of_shapes(formula: Any) -> Any:
    """torch's counter gives shapes to a formula, and ours asks tensors for theirs."""

    def by_shape(*shapes: Any, out_shape: Any = None, **named: Any) -> int:
        return int(formula(*(torch.empty(s) if isinstance(s, torch.Size) else s for s in shapes), **named))

    return by_shape


def test_an_lstm_kernel_counts_as_the_products_it_does() -> None:
    """One layer of 4 gates: (X + E) · 4E products for each of 3 · 5 words, and twice as many backwards."""
    kernel = nn.LSTM(6, 8, batch_first=True)
    with Counter() as counter:
        states, _ = kernel(torch.randn(3, 5, 6, requires_grad=True))
        forward = counter.flops
        states.sum().backward()
    assert forward == 2 * 3 * 5 * (6 + 8) * 4 * 8
    assert counter.flops == 3 * forward


def test_cudas_kernel_counts_the_same() -> None:
    weights: list[Tensor] = list(nn.LSTM(6, 8, num_layers=2, bias=True).parameters())
    x = torch.randn(5, 3, 6)
    expected = 2 * 3 * 5 * ((6 + 8) + (8 + 8)) * 4 * 8
    assert FORMULAS[torch.ops.aten._cudnn_rnn](x, weights, 4, None, out_val=None) == expected
    assert FORMULAS[torch.ops.aten._cudnn_rnn_backward](x, weights, 4, None, out_val=None) == 2 * expected


def test_nothing_stays_behind(task: TranslationTask) -> None:
    model = model_of("rnn-additive", task)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    measured_cost(task, model)
    assert all(parameter.grad is None for parameter in model.parameters())
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())


def test_a_cost_is_a_weighted_sum() -> None:
    assert Cost((2, 10)).flops((3, 4)) == 46


def test_padding_costs_but_meets_no_vocabulary(task: TranslationTask) -> None:
    """A short sentence beside a long one is padded to its length; alone, both cost less."""
    model = model_of("transformer-tiny", task)
    cost = measured_cost(task, model)
    together = task.probes()[-3]
    alone = sum(cost.flops(task.work(together[[place]])) for place in range(2))
    assert alone < cost.flops(task.work(together)) == counted_flops(task, model, together)


def test_counting_loads_no_compiler(tmp_path: Path) -> None:
    code = (
        "import sys, torch\nfrom saccade.training.flops import Counter\n"
        "with Counter() as counter: torch.ones(2, 3) @ torch.ones(3, 4)\n"
        "print(counter.flops, 'torch._dynamo' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == "48 False\n"
