import pytest
import torch
from torch import nn

from saccade.errors import RunError
from saccade.models import Vocabulary, build_model
from saccade.training.optimizers import load_optimizer_tensors, make_optimizer, optimizer_tensors
from tasks.parts import member
from training.trainings import settings


def step(model: nn.Module, optimizer: torch.optim.Optimizer, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    for parameter in model.parameters():
        parameter.grad = torch.randn(parameter.shape, generator=generator)
    optimizer.step()


@pytest.mark.parametrize(("kind", "expected"), [("adam", torch.optim.Adam), ("adamw", torch.optim.AdamW)])
def test_the_kind_and_its_numbers(kind: str, expected: type) -> None:
    optimizer = make_optimizer(member().model, settings(optimizer=kind, betas=[0.8, 0.95], eps=1e-7, lr=0.02))
    assert type(optimizer) is expected
    assert optimizer.defaults["betas"] == (0.8, 0.95)
    assert (optimizer.defaults["eps"], optimizer.defaults["lr"]) == (1e-7, 0.02)


def test_only_matrices_decay() -> None:
    model = member().model
    before = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
    optimizer = make_optimizer(model, settings(optimizer="adamw", weight_decay=0.1, lr=0.5))
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    optimizer.step()
    for name, parameter in model.named_parameters():
        expected = before[name] * (1 - 0.5 * 0.1) if parameter.ndim > 1 else before[name]
        torch.testing.assert_close(parameter.detach(), expected)


def test_muon_is_for_what_lies_between_embeddings_and_output() -> None:
    model = member().model
    optimizer = make_optimizer(model, settings(optimizer="muon"))
    step(model, optimizer, 1)
    turned = {name for name, parameter in model.named_parameters() if "momentum" in optimizer.state[parameter]}
    assert turned == {
        name
        for name, parameter in model.named_parameters()
        if parameter.ndim == 2 and name.startswith(("encoder.", "decoder."))
    }


@pytest.mark.parametrize(
    ("preset", "options", "hidden", "others"),
    [
        ("resnet-mini", {}, ["layer1.0.conv1.weight"], ["fc.weight", "bn1.weight"]),
        (
            "vit-mini",
            {"dim": 16, "heads": 2, "layers": 1},
            ["encoder.layers.0.self_attention.in_weight"],
            ["labels.weight", "embedding.class_token", "embedding.positions.table"],
        ),
    ],
)
def test_muon_takes_kernels_and_leaves_what_embeds_and_answers(
    preset: str, options: dict[str, int], hidden: list[str], others: list[str]
) -> None:
    model = build_model(preset, options, Vocabulary(source=0, target=0, shared=True, labels=3))
    optimizer = make_optimizer(model, settings(optimizer="muon"))
    named = dict(model.named_parameters())
    taken = {id(parameter) for parameter in optimizer.param_groups[-1]["params"]}
    assert all(id(named[name]) in taken for name in hidden)
    assert not any(id(named[name]) in taken for name in others)


@pytest.mark.parametrize("kind", ["adam", "adamw", "muon"])
def test_the_state_goes_out_and_in_again(kind: str) -> None:
    model, twin = member().model, member().model
    optimizer, fresh = (make_optimizer(each, settings(optimizer=kind)) for each in (model, twin))
    for seed in range(3):
        step(model, optimizer, seed)
    twin.load_state_dict(model.state_dict())
    kept = {name: tensor.clone() for name, tensor in optimizer_tensors(optimizer, model).items()}
    load_optimizer_tensors(fresh, twin, kept)
    step(model, optimizer, 9)
    step(twin, fresh, 9)
    for name, parameter in model.named_parameters():
        assert torch.equal(parameter, twin.get_parameter(name))
    for name, tensor in optimizer_tensors(fresh, twin).items():
        assert torch.equal(tensor, optimizer_tensors(optimizer, model)[name])


def test_the_state_of_another_model() -> None:
    model = member().model
    optimizer = make_optimizer(model, settings())
    with pytest.raises(RunError, match=r"the checkpoint has no optimiser state for .*: it belongs to another model"):
        load_optimizer_tensors(optimizer, model, {"else/step": torch.ones(())})
