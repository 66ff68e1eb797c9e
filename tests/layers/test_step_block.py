from dataclasses import replace
from typing import Any, TypeVar

import pytest
import torch
from torch import Tensor, nn

from saccade.attention import record
from saccade.layers import Encoded, TransformerDecoder, TransformerStack
from saccade.layers.blocks import BlockShape

Module = TypeVar("Module", bound=nn.Module)

SHAPE = BlockShape(dim=16, heads=4, ff_dim=32, dropout=0.5, activation="gelu-tanh")


def drawn(module: Module) -> Module:
    """With weights that leave nothing as it is."""
    torch.manual_seed(1)
    for parameter in module.parameters():
        nn.init.normal_(parameter, std=0.4)
    return module.eval()


def stack_of(shape: BlockShape) -> TransformerStack:
    return drawn(TransformerStack(shape, layers=2))


def stepped(stack: TransformerStack, x_BTE: Tensor) -> Tensor:
    state = stack.start(len(x_BTE))
    with torch.no_grad():
        return torch.cat([stack.step(x_BTE[:, t : t + 1], state) for t in range(x_BTE.shape[1])], dim=1)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("window", [None, 2])
def test_steps_are_what_the_modules_compute(bias: bool, window: int | None) -> None:
    stack = stack_of(replace(SHAPE, bias=bias, window=window))
    x_BTE = torch.randn(3, 7, 16)
    assert stack.start(1).blocks is not None
    with torch.no_grad():
        torch.testing.assert_close(stepped(stack, x_BTE), stack(x_BTE), rtol=1e-4, atol=1e-5)


def test_who_listens_sees_each_step_and_changes_nothing() -> None:
    stack = stack_of(SHAPE)
    x_BTE = torch.randn(2, 5, 16)
    alone = stepped(stack, x_BTE)
    with record(stack) as seen:
        assert torch.equal(stepped(stack, x_BTE), alone)
    calls = seen["1.self"].calls
    assert [call.shape for call in calls] == [(2, 4, 1, keys) for keys in range(1, 6)]


def test_weights_that_change_while_a_text_is_written_count() -> None:
    stack = stack_of(SHAPE)
    state = stack.start(1)
    x_11E = torch.randn(1, 1, 16)
    with torch.no_grad():
        stack.step(x_11E, state)
        for parameter in stack.layers.parameters():
            parameter.zero_()
        torch.testing.assert_close(stack.step(x_11E, state), stack.norm(x_11E))


def test_other_blocks_go_through_their_modules() -> None:
    x_BTE = torch.randn(2, 4, 16)
    for shape in (replace(SHAPE, norm="post"), replace(SHAPE, experts=4)):
        stack = stack_of(shape)
        assert stack.start(1).blocks is None
        with torch.no_grad():
            torch.testing.assert_close(stepped(stack, x_BTE), stack(x_BTE), rtol=1e-4, atol=1e-5)


def test_in_training_steps_drop_out() -> None:
    stack = stack_of(SHAPE).train()
    x_BTE = torch.randn(2, 3, 16)
    assert not torch.equal(stepped(stack, x_BTE), stepped(stack, x_BTE))


@pytest.mark.parametrize("changes", [{}, {"bias": False}, {"window": 2}, {"norm": "post"}, {"experts": 4}])
def test_steps_with_a_source_are_what_the_modules_compute(changes: dict[str, Any]) -> None:
    decoder = drawn(TransformerDecoder(replace(SHAPE, **changes), layers=2))
    source = Encoded(torch.randn(2, 6, 16), torch.tensor([[True] * 6, [True] * 4 + [False] * 2]))
    x_BTE = torch.randn(2, 5, 16)
    state = decoder.start(source)
    assert (state.blocks is None) == bool({"norm", "experts"} & changes.keys())
    with torch.no_grad():
        steps = [decoder.step(x_BTE[:, t : t + 1], state) for t in range(5)]
        torch.testing.assert_close(torch.cat(steps, dim=1), decoder(x_BTE, source), rtol=1e-4, atol=1e-5)
