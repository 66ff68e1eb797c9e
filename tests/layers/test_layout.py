import torch
from torch.nn.functional import linear

from saccade.layers import by_column
from saccade.models import Vocabulary, build_model


def test_weights_lie_by_column_and_are_what_they_were() -> None:
    model = build_model("transformer-tiny", {"dim": 16, "heads": 2, "ff_dim": 24}, Vocabulary(20, 20, shared=True))
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    by_column(model)
    after = model.state_dict()
    assert all(torch.equal(tensor, after[name]) for name, tensor in before.items())
    block = model.get_submodule("decoder.layers.0")
    laid_out = ("feed_forward.inner.weight", "self_attention.out.weight", "cross_attention.in_weight")
    assert all(block.get_parameter(name).t().is_contiguous() for name in laid_out)
    assert block.get_parameter("feed_forward.outer.weight").is_contiguous()
    assert model.get_parameter("output.weight") is model.get_parameter("target_embedding.tokens.weight")


def test_products_are_the_same() -> None:
    layer = torch.nn.Linear(32, 48)
    x, weight = torch.randn(16, 32), layer.weight.detach().clone()
    by_column(layer)
    torch.testing.assert_close(layer(x), linear(x, weight, layer.bias))
