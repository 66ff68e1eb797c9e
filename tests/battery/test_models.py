"""The same questions to every registered translator, whatever it is made of.

A translator reads ``source`` and ``target`` (``forward`` → states, ``logits``), and writes step by step (``start`` →
state, ``step``, ``state.reorder``, ``state.keep``). Nothing else is asked of it here.
"""

import re
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from attention.naive import Echo
from battery import test_bert, test_captioners, test_pictures
from battery.cases import Case, cases
from saccade.attention import attention_layers, record
from saccade.models import Vocabulary, build_model, presets
from saccade.training.storage import load_tensors, save_tensors
from saccade.training.weights import put_weights, weights_of

pytestmark = pytest.mark.battery

CASES = cases("translation")
PRESETS = [one for one in presets() if "translation" in one.tasks]
PAD = 0
SOURCE = torch.tensor(
    [
        [5, 6, 7, 8, 9, 10, 11, 12, 2],
        [13, 14, 15, 2, PAD, PAD, PAD, PAD, PAD],
        [16, 5, 18, 19, 20, 21, 2, PAD, PAD],
    ]
)
TARGET = torch.tensor([[1, 22, 23, 24, 25, 26, 27, 28], [1, 9, 8, 7, 6, 5, 4, 3], [1, 12, 29, 14, 15, 16, 17, 18]])
LONG = torch.randint(3, 30, (3, 20), generator=torch.Generator().manual_seed(6))


def close(found: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(found, expected, atol=2e-5, rtol=1e-5)


def loss(model: Any) -> Tensor:
    return cross_entropy(model.logits(model(SOURCE, TARGET[:, :-1])).flatten(0, 1), TARGET[:, 1:].flatten())


@pytest.fixture(params=CASES, ids=lambda case: case.id)
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found


@pytest.fixture
def model(case: Case) -> Any:
    return case.build()


def test_every_preset_has_a_battery() -> None:
    batteries = {"translation", "language-model", *test_bert.TASKS, test_pictures.TASK, test_captioners.TASK}
    assert {task for one in presets() for task in one.tasks} == batteries, "a new task needs a battery beside this one"
    assert {case.preset.name for case in CASES} == {one.name for one in PRESETS}


@pytest.mark.parametrize("name", [one.name for one in PRESETS])
def test_the_docstring_tells_the_number_of_parameters(name: str) -> None:
    doc = next(one.doc for one in PRESETS if one.name == name)
    told = re.search(r"([\d,]{7,}) (?:parameters|here)", doc)
    vocabulary = re.search(r"shared vocabulary of ([\d,]+)", doc)
    assert told is not None
    assert vocabulary is not None
    size = int(vocabulary[1].replace(",", ""))
    with torch.device("meta"):
        model = build_model(name, {}, Vocabulary(source=size, target=size, shared=True))
    assert f"{sum(p.numel() for p in model.parameters()):,}" == told[1]


def test_forward(model: Any, case: Case) -> None:
    with torch.no_grad():
        states = model(SOURCE, TARGET)
        logits = model.logits(states)
    assert states.shape[:2] == (3, 8)
    assert logits.shape == (3, 8, case.vocabulary.target)
    assert logits.isfinite().all()
    assert logits.std(0).min() > 0, "every sentence gets the same answer"


def test_every_parameter_learns(model: Any) -> None:
    model.train()
    loss(model).backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.isfinite().all(), name
        assert parameter.grad.abs().sum() > 0, name


def test_it_learns_in_bfloat16(model: Any) -> None:
    model.train()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = loss(model)
    found.backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in model.parameters())


def test_the_seed_decides(case: Case) -> None:
    same, other = weights_of(case.build()), weights_of(case.build(seed=2))
    for name, tensor in weights_of(case.build()).items():
        assert torch.equal(tensor, same[name])
        assert not torch.equal(tensor, other[name])


def test_source_padding_is_not_seen(model: Any) -> None:
    padding = torch.full((3, 6), PAD)
    with torch.no_grad():
        close(model(torch.cat((SOURCE, padding), 1), TARGET), model(SOURCE, TARGET))


def test_every_source_token_is_seen(model: Any) -> None:
    """The other side of the padding test: nothing real is taken for padding."""
    with torch.no_grad():
        states = model(SOURCE, TARGET)
        for sentence, length in enumerate((9, 4, 7)):
            for position in range(length):
                changed = SOURCE.clone()
                changed[sentence, position] = 4
                moved = (model(changed, TARGET) - states).abs().amax((1, 2)) > 1e-4
                assert moved.tolist() == [row == sentence for row in range(3)]


def test_the_future_is_not_seen(model: Any) -> None:
    with torch.no_grad():
        states = model(SOURCE, TARGET)
        for position in range(1, 8):
            changed = TARGET.clone()
            changed[:, position:] = LONG[:, position:8]
            other = model(SOURCE, changed)
            close(other[:, :position], states[:, :position])
            assert (other[:, position] - states[:, position]).abs().max() > 1e-4


def test_the_length_of_the_target_does_not_matter(model: Any) -> None:
    with torch.no_grad():
        close(model(SOURCE, TARGET[:, :5]), model(SOURCE, TARGET)[:, :5])


def test_a_sentence_does_not_know_its_companions(model: Any) -> None:
    with torch.no_grad():
        together = model(SOURCE, TARGET)
        for sentence in range(3):
            source = SOURCE[sentence]
            alone = model(source[source != PAD][None], TARGET[sentence][None])
            close(alone[0], together[sentence])
        order = torch.tensor([2, 0, 1])
        close(model(SOURCE[order], TARGET[order]), together[order])


def test_saved_and_loaded_it_is_the_same(model: Any, case: Case, tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    save_tensors(file, weights_of(model))
    other = case.build(seed=2)
    with torch.no_grad():
        states = model(SOURCE, TARGET)
        assert not torch.equal(other(SOURCE, TARGET), states)
        put_weights(other, load_tensors(file), origin=file)
        assert torch.equal(other(SOURCE, TARGET), states)
        assert torch.equal(other.logits(states), model.logits(states))


def test_rows_sum_to_one_in_every_layer(model: Any) -> None:
    with torch.no_grad(), record(model) as seen:
        model(SOURCE, TARGET)
    assert set(seen) == set(attention_layers(model))
    for layer in seen:
        assert seen[layer].calls, f"{layer} was never asked"
        for weights in seen[layer].calls:
            assert (weights >= 0).all()
            sums = weights.sum(-1)
            # Only where there is padding, or no key at all, may a query find nothing to look at.
            close(sums[0], torch.ones_like(sums[0]) if weights.shape[3] else torch.zeros_like(sums[0]))
            assert ((sums - 1).abs() < 1e-5).logical_or(sums == 0).all()
        if layer.endswith("cross"):
            weights = torch.cat(seen[layer].calls, 2)
            assert weights[1, :, :, 4:].abs().sum() == 0
            close(weights.sum(-1), torch.ones(weights.shape[:-1]))


@pytest.mark.parametrize("mode", ["evaluation", "training"])
def test_recording_does_not_change_a_bit(model: Any, mode: str) -> None:
    model.train(mode == "training")
    found = []
    with torch.no_grad():
        for layers in (None, "*", None):
            torch.manual_seed(8)
            if layers is None:
                found.append(model(SOURCE, TARGET))
            else:
                with record(model, layers):
                    found.append(model(SOURCE, TARGET))
    assert torch.equal(found[0], found[1])
    assert torch.equal(found[0], found[2])


def test_fused_is_explicit_and_so_are_the_gradients(model: Any) -> None:
    results = []
    for listen in (False, True):
        for layer in attention_layers(model).values():
            layer.listener = Echo() if listen else None
        with torch.no_grad():
            states = model(SOURCE, TARGET)
        model.zero_grad()
        loss(model).backward()
        results.append([states, *(p.grad.clone() for p in model.parameters())])
    for fused, explicit in zip(*results, strict=True):
        torch.testing.assert_close(fused, explicit, atol=2e-6, rtol=1e-4)


def written(model: Any, source: Tensor, tokens: Tensor) -> Tensor:
    """The logits of tokens that are given one by one."""
    state = model.start(source)
    return torch.stack([model.step(tokens[:, t], state) for t in range(tokens.shape[1])], 1)


def test_step_by_step_is_the_whole(model: Any) -> None:
    with torch.no_grad():
        close(written(model, SOURCE, LONG), model.logits(model(SOURCE, LONG)))


def test_beams_share_their_source(model: Any) -> None:
    beams = torch.randint(3, 30, (9, 6), generator=torch.Generator().manual_seed(7))
    with torch.no_grad():
        shared = written(model, SOURCE, beams)
        close(shared, written(model, SOURCE.repeat_interleave(3, 0), beams))
        close(shared, model.logits(model(SOURCE.repeat_interleave(3, 0), beams)))


def test_reordered_rows_go_on_from_where_they_came(model: Any) -> None:
    """Two beams a sentence; rows change places within their sentence, repeat and vanish."""
    beams = torch.randint(3, 30, (6, 8), generator=torch.Generator().manual_seed(9))
    rows = torch.tensor([1, 0, 3, 3, 4, 4])
    newest = torch.tensor([3, 4, 5, 6, 7, 8])
    with torch.no_grad():
        state = model.start(SOURCE)
        for t in range(8):
            model.step(beams[:, t], state)
        state.reorder(rows)
        found = model.step(newest, state)
        prefixes = torch.cat((beams[rows], newest[:, None]), 1)
        close(found, model.logits(model(SOURCE.repeat_interleave(2, 0), prefixes))[:, -1])


def test_kept_sentences_go_on_without_the_others(model: Any) -> None:
    beams = torch.randint(3, 30, (6, 4), generator=torch.Generator().manual_seed(9))
    more = torch.randint(3, 30, (4, 3), generator=torch.Generator().manual_seed(10))
    sentences, rows = torch.tensor([1, 2]), torch.tensor([3, 2, 5, 5])
    with torch.no_grad():
        state = model.start(SOURCE)
        for t in range(4):
            model.step(beams[:, t], state)
        state.keep(sentences, rows)
        found = torch.stack([model.step(more[:, t], state) for t in range(3)], 1)
        prefixes = torch.cat((beams[rows], more), 1)
        close(found, model.logits(model(SOURCE[[1, 1, 2, 2]], prefixes))[:, 4:])


@pytest.mark.parametrize("beams", [1, 2])
def test_sentences_that_join_are_written_as_if_alone(model: Any, beams: int) -> None:
    """One sentence is under way when two others join it; it is done when a third joins those."""
    tokens = torch.randint(3, 30, (4 * beams, 9), generator=torch.Generator().manual_seed(11))
    sources = [SOURCE[:1], SOURCE[1:3], SOURCE[:1, :2]]
    with torch.no_grad():
        state = model.start(sources[0])
        for t in range(4):
            model.step(tokens[:beams, t], state)
        state.join(model.start(sources[1]))
        for t in range(3):
            model.step(torch.cat((tokens[:beams, 4 + t], tokens[beams : 3 * beams, t])), state)
        state.keep(torch.tensor([1, 2]), torch.arange(beams, 3 * beams))
        state.join(model.start(sources[2]))
        found = [
            model.step(torch.cat((tokens[beams : 3 * beams, 3 + t], tokens[3 * beams :, t])), state) for t in range(5)
        ]
        alone = written(model, sources[1], tokens[beams : 3 * beams, :8])
        close(torch.stack([each[: 2 * beams] for each in found], 1), alone[:, 3:])
        close(
            torch.stack([each[2 * beams :] for each in found], 1), written(model, sources[2], tokens[3 * beams :, :5])
        )


@pytest.mark.parametrize("beams", [1, 2])
def test_sentences_that_take_a_place_are_written_as_if_alone(model: Any, beams: int) -> None:
    """Of two sentences under way the first is done, and a longer one takes its place; a shorter one then takes that."""
    tokens = torch.randint(3, 30, (4 * beams, 9), generator=torch.Generator().manual_seed(12))
    first, second, third, fourth = tokens.split(beams)
    with torch.no_grad():
        state = model.start(SOURCE[1:])
        for t in range(3):
            model.step(torch.cat((first[:, t], second[:, t])), state)
        state.replace(torch.tensor([0]), model.start(SOURCE[:1]))
        found = [model.step(torch.cat((third[:, t], second[:, 3 + t])), state) for t in range(2)]
        state.replace(torch.tensor([0]), model.start(SOURCE[:1, :2]))
        last = [model.step(torch.cat((fourth[:, t], second[:, 5 + t])), state) for t in range(4)]
        close(torch.stack([each[beams:] for each in found + last], 1), written(model, SOURCE[2:], second)[:, 3:])
        close(torch.stack([each[:beams] for each in found], 1), written(model, SOURCE[:1], third[:, :2]))
        close(torch.stack([each[:beams] for each in last], 1), written(model, SOURCE[:1, :2], fourth[:, :4]))


def test_recorded_steps_are_the_rows_of_the_whole(model: Any) -> None:
    """What a layer shows while decoding, step after step, is what it shows of the whole sentence."""
    layers = [name for name in attention_layers(model) if name.startswith("decoder.")]
    with torch.no_grad():
        with record(model, layers) as whole:
            model(SOURCE, TARGET)
        with record(model, layers) as steps:
            written(model, SOURCE, TARGET)
    for layer in whole:
        expected = torch.cat(whole[layer].calls, 2)
        assert len(steps[layer].calls) == 8
        for t, weights in enumerate(steps[layer].calls):
            close(weights[:, :, 0], expected[:, :, t, : weights.shape[3]])
            assert expected[:, :, t, weights.shape[3] :].abs().sum() == 0
