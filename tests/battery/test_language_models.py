"""The same questions to every registered language model, whatever it is made of.

A language model reads ``tokens`` (``forward`` → states, ``logits``, ``loss``), and writes step by step (``start`` with
a prompt → state, ``step``, ``state.reorder``, ``state.keep``, ``state.join``). Nothing else is asked of it here.
"""

import re
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from attention.naive import Echo
from battery.cases import Case, cases
from saccade.attention import attention_layers, record
from saccade.models import Vocabulary, build_model, presets
from saccade.training.storage import load_tensors, save_tensors
from saccade.training.weights import put_weights, weights_of

pytestmark = pytest.mark.battery

CASES = cases("language-model")
PRESETS = [one for one in presets() if "language-model" in one.tasks]
PAD = 0
TEXT = torch.tensor([[1, 22, 23, 24, 25, 26, 27, 28], [1, 9, 8, 7, 6, 5, 4, 3], [1, 12, 29, 14, 15, 16, 17, 18]])
LONG = torch.randint(3, 30, (3, 20), generator=torch.Generator().manual_seed(6))
NOTHING = torch.zeros(3, 0, dtype=torch.long)


def close(found: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(found, expected, atol=2e-5, rtol=1e-5)


def loss(model: Any) -> Tensor:
    return cross_entropy(model.logits(model(TEXT[:, :-1])).flatten(0, 1), TEXT[:, 1:].flatten())


def written(model: Any, tokens: Tensor, prompts: Tensor | None = None, lengths: Tensor | None = None) -> Tensor:
    """The logits of tokens that are given one by one."""
    state = model.start(tokens[:, :0] if prompts is None else prompts, lengths)
    return torch.stack([model.step(tokens[:, t], state) for t in range(tokens.shape[1])], 1)


@pytest.fixture(params=CASES, ids=lambda case: case.id)
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found


@pytest.fixture
def model(case: Case) -> Any:
    return case.build()


def test_every_preset_is_here() -> None:
    assert {case.preset.name for case in CASES} == {one.name for one in PRESETS} != set()


@pytest.mark.parametrize("name", [one.name for one in PRESETS])
def test_the_docstring_tells_the_number_of_parameters(name: str) -> None:
    doc = next(one.doc for one in PRESETS if one.name == name)
    told = re.search(r"([\d,]{7,}) (?:parameters|here)", doc)
    vocabulary = re.search(r"vocabulary of ([\d,]+)", doc)
    assert told is not None
    assert vocabulary is not None
    size = int(vocabulary[1].replace(",", ""))
    with torch.device("meta"):
        model = build_model(name, {}, Vocabulary(source=size, target=size, shared=True))
    assert f"{sum(p.numel() for p in model.parameters()):,}" == told[1]


def test_forward(model: Any, case: Case) -> None:
    with torch.no_grad():
        states = model(TEXT)
        logits = model.logits(states)
    assert states.shape[:2] == (3, 8)
    assert logits.shape == (3, 8, case.vocabulary.target)
    assert logits.isfinite().all()
    assert logits[:, 1:].std(0).min() > 0, "every text gets the same answer"


def test_the_loss_is_that_of_the_logits(model: Any) -> None:
    with torch.no_grad():
        states = model(TEXT[:, :-1]).flatten(0, 1)
        found = model.loss(states, TEXT[:, 1:].flatten()) / states.shape[0]
        torch.testing.assert_close(found, loss(model))


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


def test_the_future_is_not_seen(model: Any) -> None:
    with torch.no_grad():
        states = model(TEXT)
        for position in range(1, 8):
            changed = TEXT.clone()
            changed[:, position:] = LONG[:, position:8]
            other = model(changed)
            close(other[:, :position], states[:, :position])
            assert (other[:, position] - states[:, position]).abs().max() > 1e-4


def test_the_past_is_seen(model: Any) -> None:
    """Every token has a say in the last state."""
    with torch.no_grad():
        last = model(TEXT)[:, -1]
        for position in range(8):
            changed = TEXT.clone()
            changed[:, position] = 10
            assert ((model(changed)[:, -1] - last).abs().amax(1) > 1e-6).all()


def test_padding_behind_changes_nothing(model: Any) -> None:
    with torch.no_grad():
        close(model(torch.cat((TEXT, torch.full((3, 6), PAD)), 1))[:, :8], model(TEXT))


def test_a_text_does_not_know_its_companions(model: Any) -> None:
    with torch.no_grad():
        together = model(TEXT)
        for text in range(3):
            close(model(TEXT[text][None])[0], together[text])
        order = torch.tensor([2, 0, 1])
        close(model(TEXT[order]), together[order])


def test_saved_and_loaded_it_is_the_same(model: Any, case: Case, tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    save_tensors(file, weights_of(model))
    other = case.build(seed=2)
    with torch.no_grad():
        states = model(TEXT)
        assert not torch.equal(other(TEXT), states)
        put_weights(other, load_tensors(file), origin=file)
        assert torch.equal(other(TEXT), states)
        assert torch.equal(other.logits(states), model.logits(states))


def test_rows_sum_to_one_in_every_layer(model: Any) -> None:
    with torch.no_grad(), record(model) as seen:
        model(TEXT)
    assert set(seen) == set(attention_layers(model))
    for layer in seen:
        assert layer.startswith("decoder."), "the names that views and lenses know"
        assert seen[layer].calls, f"{layer} was never asked"
        for weights in seen[layer].calls:
            assert (weights >= 0).all()
            sums = weights.sum(-1)
            # Only the first word of a text may find nothing before it.
            close(sums, torch.ones_like(sums) if weights.shape[3] else torch.zeros_like(sums))


@pytest.mark.parametrize("mode", ["evaluation", "training"])
def test_recording_does_not_change_a_bit(model: Any, mode: str) -> None:
    model.train(mode == "training")
    found = []
    with torch.no_grad():
        for layers in (None, "*", None):
            torch.manual_seed(8)
            if layers is None:
                found.append(model(TEXT))
            else:
                with record(model, layers):
                    found.append(model(TEXT))
    assert torch.equal(found[0], found[1])
    assert torch.equal(found[0], found[2])


def test_fused_is_explicit_and_so_are_the_gradients(model: Any) -> None:
    results = []
    for listen in (False, True):
        for layer in attention_layers(model).values():
            layer.listener = Echo() if listen else None
        with torch.no_grad():
            states = model(TEXT)
        model.zero_grad()
        loss(model).backward()
        results.append([states, *(p.grad.clone() for p in model.parameters())])
    for fused, explicit in zip(*results, strict=True):
        torch.testing.assert_close(fused, explicit, atol=2e-6, rtol=1e-4)


def test_step_by_step_is_the_whole(model: Any) -> None:
    with torch.no_grad():
        close(written(model, LONG), model.logits(model(LONG)))


def test_a_prompt_is_read_before_the_first_step(model: Any) -> None:
    with torch.no_grad():
        close(written(model, LONG[:, 12:], LONG[:, :12]), model.logits(model(LONG))[:, 12:])


def test_prompts_of_different_length(model: Any) -> None:
    """Shorter ones, and one of nothing, stand beside the longest; each goes on as if alone, whatever fills them up."""
    lengths = torch.tensor([2, 6, 0])
    with torch.no_grad():
        found = written(model, LONG[:, 6:11], LONG[:, :6], lengths)
        for row, length in enumerate(lengths.tolist()):
            alone = torch.cat((LONG[row, :length], LONG[row, 6:11]))[None]
            close(found[row], model.logits(model(alone))[0, length:])


def test_reordered_rows_go_on_from_where_they_came(model: Any) -> None:
    """Two beams a text; rows change places within their text, repeat and vanish."""
    beams = torch.randint(3, 30, (6, 8), generator=torch.Generator().manual_seed(9))
    rows = torch.tensor([1, 0, 3, 3, 4, 4])
    newest = torch.tensor([3, 4, 5, 6, 7, 8])
    with torch.no_grad():
        state = model.start(NOTHING)
        for t in range(8):
            model.step(beams[:, t], state)
        state.reorder(rows)
        found = model.step(newest, state)
        prefixes = torch.cat((beams[rows], newest[:, None]), 1)
        close(found, model.logits(model(prefixes))[:, -1])


def test_beams_share_their_prompt(model: Any) -> None:
    beams = torch.randint(3, 30, (6, 5), generator=torch.Generator().manual_seed(7))
    prompts = LONG[:, :4]
    with torch.no_grad():
        state = model.start(prompts)
        found = torch.stack([model.step(beams[:, t], state) for t in range(5)], 1)
        whole = torch.cat((prompts.repeat_interleave(2, 0), beams), 1)
        close(found, model.logits(model(whole))[:, 4:])


def test_a_prompt_goes_on_as_several_texts(model: Any) -> None:
    """Texts that are named twice part from there on: what one writes the other does not see."""
    tokens = torch.randint(3, 30, (5, 4), generator=torch.Generator().manual_seed(7))
    places, lengths = torch.tensor([2, 0, 0, 1, 2]), torch.tensor([3, 6, 0])
    with torch.no_grad():
        state = model.start(LONG[:, :6], lengths)
        state.keep(places, places)
        found = torch.stack([model.step(tokens[:, t], state) for t in range(4)], 1)
        for row, place in enumerate(places.tolist()):
            whole = torch.cat((LONG[place, : lengths[place]], tokens[row]))[None]
            close(found[row], model.logits(model(whole))[0, -4:])


def test_a_text_that_has_read_much_leaves_the_shorter_ones(model: Any) -> None:
    """Those that stay have read equally little, and go on as if the longer one had never been there."""
    with torch.no_grad():
        state = model.start(LONG[:, :9], torch.tensor([3, 9, 3]))
        model.step(LONG[:, 10], state)
        kept = torch.tensor([0, 2])
        state.keep(kept, kept)
        found = torch.stack([model.step(LONG[kept, t], state) for t in (11, 12)], 1)
        whole = torch.cat((LONG[kept, :3], LONG[kept, 10:13]), 1)
        close(found, model.logits(model(whole))[:, -2:])


def test_kept_texts_go_on_without_the_others(model: Any) -> None:
    beams = torch.randint(3, 30, (6, 4), generator=torch.Generator().manual_seed(9))
    more = torch.randint(3, 30, (4, 3), generator=torch.Generator().manual_seed(10))
    texts, rows = torch.tensor([1, 2]), torch.tensor([3, 2, 5, 5])
    with torch.no_grad():
        state = model.start(NOTHING)
        for t in range(4):
            model.step(beams[:, t], state)
        state.keep(texts, rows)
        found = torch.stack([model.step(more[:, t], state) for t in range(3)], 1)
        prefixes = torch.cat((beams[rows], more), 1)
        close(found, model.logits(model(prefixes))[:, 4:])


@pytest.mark.parametrize("beams", [1, 2])
def test_texts_that_join_are_written_as_if_alone(model: Any, beams: int) -> None:
    """One text is under way when two others join it; it is done when a third joins those."""
    tokens = torch.randint(3, 30, (4 * beams, 9), generator=torch.Generator().manual_seed(11))
    with torch.no_grad():
        state = model.start(NOTHING[:1])
        for t in range(4):
            model.step(tokens[:beams, t], state)
        state.join(model.start(NOTHING[:2]))
        for t in range(3):
            model.step(torch.cat((tokens[:beams, 4 + t], tokens[beams : 3 * beams, t])), state)
        state.keep(torch.tensor([1, 2]), torch.arange(beams, 3 * beams))
        state.join(model.start(NOTHING[:1]))
        found = [
            model.step(torch.cat((tokens[beams : 3 * beams, 3 + t], tokens[3 * beams :, t])), state) for t in range(5)
        ]
        alone = written(model, tokens[beams : 3 * beams, :8])
        close(torch.stack([each[: 2 * beams] for each in found], 1), alone[:, 3:])
        close(torch.stack([each[2 * beams :] for each in found], 1), written(model, tokens[3 * beams :, :5]))


@pytest.mark.parametrize("beams", [1, 2])
def test_texts_that_take_a_place_are_written_as_if_alone(model: Any, beams: int) -> None:
    tokens = torch.randint(3, 30, (3 * beams, 9), generator=torch.Generator().manual_seed(12))
    first, second, third = tokens.split(beams)
    with torch.no_grad():
        state = model.start(NOTHING[:2])
        for t in range(3):
            model.step(torch.cat((first[:, t], second[:, t])), state)
        state.replace(torch.tensor([0]), model.start(NOTHING[:1]))
        found = [model.step(torch.cat((third[:, t], second[:, 3 + t])), state) for t in range(5)]
        close(torch.stack([each[beams:] for each in found], 1), written(model, second[:, :8])[:, 3:])
        close(torch.stack([each[:beams] for each in found], 1), written(model, third[:, :5]))


def test_recorded_steps_are_the_rows_of_the_whole(model: Any) -> None:
    """What a layer shows while decoding, step after step, is what it shows of the whole text."""
    with torch.no_grad():
        with record(model) as whole:
            model(TEXT)
        with record(model) as steps:
            written(model, TEXT)
    for layer in whole:
        assert len(steps[layer].calls) == 8
        longest = max(call.shape[3] for call in whole[layer].calls)
        padded = [torch.nn.functional.pad(call, (0, longest - call.shape[3])) for call in whole[layer].calls]
        expected = torch.cat(padded, 2)
        for t, weights in enumerate(steps[layer].calls):
            close(weights[:, :, 0], expected[:, :, t, : weights.shape[3]])
            assert expected[:, :, t, weights.shape[3] :].abs().sum() == 0
