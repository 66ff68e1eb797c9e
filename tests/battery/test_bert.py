"""The same questions to every preset that reads a text both ways, with each head it can have."""

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from attention.naive import Echo
from battery.cases import SIZES
from saccade.attention import attention_layers, record
from saccade.models import Bert, MaskedBert, Preset, Reading, Vocabulary, build_model, presets
from saccade.recipe import TrainSection
from saccade.training.optimizers import make_optimizer
from saccade.training.storage import load_tensors, save_tensors
from saccade.training.weights import put_weights, weights_of

pytestmark = pytest.mark.battery

TASKS = ("masked-language-model", "classification", "regression", "tagging")
VOCABULARY = Vocabulary(source=30, target=30, shared=True, labels=5)
PRESETS = [one for one in presets() if TASKS[0] in one.tasks]
TOKENS = torch.tensor(
    [[1, 22, 23, 24, 2, 26, 27, 2], [1, 9, 8, 2, 6, 5, 4, 2], [1, 12, 29, 14, 15, 16, 2, 2], [1, 5, 6, 2, 0, 0, 0, 0]]
)
SEGMENTS = torch.tensor([[0] * 5 + [1] * 3, [0] * 4 + [1] * 4, [0] * 7 + [1], [0] * 8])
READING = Reading(TOKENS, SEGMENTS, TOKENS != 0)


@dataclass(frozen=True)
class Case:
    preset: Preset
    task: str

    def build(self, *, seed: int = 1) -> Any:
        torch.manual_seed(seed)
        options = {name: value for name, value in SIZES.items() if name in type(self.preset.options).model_fields}
        model = build_model(self.preset.name, options, VOCABULARY, task=self.task)
        for parameter in model.parameters():
            if parameter.dim() == 1:  # behind ones and zeros a mistake can hide
                nn.init.normal_(parameter, mean=float(parameter.mean().item() == 1), std=0.2)
            else:  # the paper's small weights leave attention almost even
                nn.init.normal_(parameter, std=0.2)
        return model.eval()


CASES = [
    *(Case(one, TASKS[0]) for one in PRESETS),
    *(Case(PRESETS[0], task) for task in TASKS[1:]),
]


def answers(model: Any, reading: Reading) -> Tensor:
    """What the heads say of every text, all in one."""
    if not isinstance(model, MaskedBert):
        found: Tensor = model.scores(reading)
        return found
    states = model(reading)
    return torch.cat((model.words(states).flatten(1), model.next(model.pooler(states))), dim=1)


def close(found: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(found, expected, atol=2e-5, rtol=1e-5)


@pytest.fixture(params=CASES, ids=lambda case: f"{case.preset.name}-{case.task}")
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found


@pytest.fixture
def model(case: Case) -> Any:
    return case.build()


@pytest.mark.parametrize("name", [one.name for one in PRESETS])
def test_the_docstring_tells_the_number_of_parameters(name: str) -> None:
    doc = next(one.doc for one in PRESETS if one.name == name)
    told, published = re.search(r"([\d,]{7,}) in body and pooler", doc), re.search(r"Published ([\d.]+) M", doc)
    assert told is not None
    assert published is not None
    with torch.device("meta"):
        model = build_model(name, {}, Vocabulary(source=30_522, target=30_522, shared=True))
    counted = sum(p.numel() for key, p in model.named_parameters() if not key.startswith(("words.", "next.")))
    assert f"{counted:,}" == told[1]
    assert counted / 1e6 == pytest.approx(float(published[1]), rel=0.02)


def test_every_task_is_built(case: Case) -> None:
    assert set(case.preset.tasks) == set(TASKS)
    assert isinstance(case.build(), Bert)


def test_texts_get_different_answers(model: Any) -> None:
    with torch.no_grad():
        found = answers(model, READING)
    assert found.isfinite().all()
    assert found.std(0).max() > 0


def test_every_parameter_learns(model: Any) -> None:
    model.train()
    torch.manual_seed(2)
    answers(model, READING).square().sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.isfinite().all(), name
        assert parameter.grad.abs().sum() > 0, name


def test_the_loss_of_masked_words_is_that_of_the_logits() -> None:
    model = Case(PRESETS[0], TASKS[0]).build()
    with torch.no_grad():
        states = model(READING)[0]
        found = model.words.loss(states, TOKENS[0])
        torch.testing.assert_close(
            found, nn.functional.cross_entropy(model.words(states), TOKENS[0], reduction="sum"), rtol=1e-5, atol=1e-5
        )


def test_it_reads_both_ways(model: Any) -> None:
    """Every token has a say in every state."""
    with torch.no_grad():
        states = model(READING)
        for position in range(8):
            changed = TOKENS.clone()
            changed[:3, position] = 10
            other = model(replace(READING, tokens_BT=changed))
            assert ((other[:3] - states[:3]).abs().amax(2) > 1e-6).all()


def test_it_knows_which_text_a_token_belongs_to(model: Any) -> None:
    with torch.no_grad():
        swapped = replace(READING, segments_BT=1 - SEGMENTS)
        assert (answers(model, swapped) - answers(model, READING)).abs().max() > 1e-4


def test_padding_behind_changes_nothing(model: Any) -> None:
    wider = Reading(*(nn.functional.pad(one, (0, 5)) for one in (TOKENS, SEGMENTS, TOKENS != 0)))
    with torch.no_grad():
        close(model(wider)[:, :8][TOKENS != 0], model(READING)[TOKENS != 0])


def test_a_text_does_not_know_its_companions(model: Any) -> None:
    with torch.no_grad():
        together = model(READING)
        for row, length in enumerate((8, 8, 8, 4)):
            alone = Reading(TOKENS[row : row + 1, :length], SEGMENTS[row : row + 1, :length], torch.ones(1, length) > 0)
            close(model(alone)[0], together[row, :length])


def test_saved_and_loaded_it_is_the_same(model: Any, case: Case, tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    save_tensors(file, weights_of(model))
    other = case.build(seed=2)
    with torch.no_grad():
        found = answers(model, READING)
        assert not torch.equal(answers(other, READING), found)
        put_weights(other, load_tensors(file), origin=file)
        assert torch.equal(answers(other, READING), found)


def test_states_are_those_of_every_layer(model: Any) -> None:
    with torch.no_grad():
        states = model.states(READING)
        assert len(states) == 3
        assert torch.equal(states[-1], model(READING))
        assert all((one - other).abs().max() > 1e-3 for one, other in pairwise(states))


def test_rows_sum_to_one_and_padding_has_no_weight(model: Any) -> None:
    with torch.no_grad(), record(model) as seen:
        model(READING)
    assert list(seen) == ["encoder.0.self", "encoder.1.self"]
    for layer in seen:
        weights = seen[layer].weights_BHQK
        close(weights.sum(-1), torch.ones_like(weights.sum(-1)))
        assert weights[3, ..., 4:].abs().sum() == 0


def test_recording_does_not_change_a_bit_and_fused_is_explicit(model: Any) -> None:
    with torch.no_grad():
        plain = answers(model, READING)
        with record(model):
            recorded = answers(model, READING)
        assert torch.equal(answers(model, READING), plain)
    torch.testing.assert_close(recorded, plain, atol=2e-5, rtol=1e-4)
    grads = []
    for listen in (False, True):
        for layer in attention_layers(model).values():
            layer.listener = Echo() if listen else None
        model.zero_grad()
        answers(model, READING).square().mean().backward()
        grads.append([p.grad.clone() for p in model.parameters()])
    for fused, explicit in zip(*grads, strict=True):
        torch.testing.assert_close(fused, explicit, atol=1e-4, rtol=1e-3)


def tagger(**options: Any) -> Any:
    torch.manual_seed(1)
    sizes = {name: value for name, value in SIZES.items() if name in type(PRESETS[0].options).model_fields}
    return build_model(PRESETS[0].name, {**sizes, **options}, VOCABULARY, task="tagging")


@pytest.mark.parametrize("options", [{"read": "last2", "combine": "concatenate"}, {"read": "all"}, {"read": "0"}])
@pytest.mark.parametrize("head", ["linear", "lstm"])
def test_a_tagger_reads_any_layers(options: dict[str, Any], head: str) -> None:
    model = tagger(head=head, **options)
    found = model.scores(READING)
    assert found.shape == (4, 8, 5)
    found.square().sum().backward()
    assert (model.encoder.layers[-1].feed_forward.inner.weight.grad is None) == (options["read"] == "0")
    wider = Reading(*(nn.functional.pad(one, (0, 5)) for one in (TOKENS, SEGMENTS, TOKENS != 0)))
    with torch.no_grad():
        close(model.eval().scores(wider)[:, :8][TOKENS != 0], model.scores(READING)[TOKENS != 0])


def test_a_frozen_body_learns_nothing_and_drops_nothing() -> None:
    model = tagger(frozen=True, head="lstm", dropout=0.0, attention_dropout=0.5).train()
    before = weights_of(model)["encoder.layers.0.self_attention.in_weight"].clone()
    settings = TrainSection(lr=0.1, weight_decay=0.5)
    optimizer = make_optimizer(model, settings)
    assert torch.equal(model.scores(READING), model.scores(READING))
    model.scores(READING).square().sum().backward()
    optimizer.step()
    assert torch.equal(weights_of(model)["encoder.layers.0.self_attention.in_weight"], before)
    assert all(parameter.grad is None for parameter in model.encoder.parameters())
    assert all(parameter.grad is not None for parameter in model.recurrent.parameters())
