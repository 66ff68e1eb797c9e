from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from saccade.errors import RunError
from saccade.models import Vocabulary, build_model
from saccade.models.registry import GridShape
from saccade.training.storage import save_tensors
from saccade.training.weights import mean_weights, put_body, put_weights, wearing, weights_of
from tasks.parts import member


def test_the_mean_of_files_is_the_mean(tmp_path: Path) -> None:
    models = [member(seed=seed).model for seed in range(4)]
    files = [tmp_path / f"{number}.safetensors" for number in range(4)]
    for file, model in zip(files, models, strict=True):
        save_tensors(file, weights_of(model))
    mean = mean_weights(files)
    assert mean.keys() == weights_of(models[0]).keys()
    for name, found in mean.items():
        each = np.stack([weights_of(model)[name].numpy() for model in models])
        np.testing.assert_array_equal(found.numpy(), each.astype(np.float64).mean(axis=0).astype(np.float32))


def test_other_weights_for_a_while_and_then_exactly_its_own() -> None:
    model, other = member(seed=1).model, member(seed=2).model
    before = {name: tensor.clone() for name, tensor in weights_of(model).items()}
    with pytest.raises(KeyError), wearing(model, weights_of(other), origin=Path("other")):  # noqa: PT012
        assert all(torch.equal(weights_of(model)[name], tensor) for name, tensor in weights_of(other).items())
        raise KeyError
    assert all(torch.equal(weights_of(model)[name], tensor) for name, tensor in before.items())
    with wearing(model, None, origin=Path("none")):
        assert all(torch.equal(weights_of(model)[name], tensor) for name, tensor in before.items())


def test_a_shared_matrix_is_listed_once() -> None:
    model = member().model
    assert model.output.weight is model.source_embedding.tokens.weight
    assert len(weights_of(model)) == len(list(model.parameters()))


def test_weights_of_another_model() -> None:
    class Other(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = nn.Linear(2, 3)
            self.second = nn.Linear(3, 1, bias=False)

    given = {"first.weight": torch.ones(3, 5), "second.weight": torch.ones(1, 3), "third": torch.ones(1)}
    message = r"x does not fit the model \(missing: first.bias; unexpected: third; of another shape: first.weight\)"
    with pytest.raises(RunError, match=message):
        put_weights(Other(), given, origin=Path("x"))
    many = {f"w{n}": torch.ones(1) for n in range(9)}
    with pytest.raises(RunError, match=r"unexpected: w0, w1, w2, w3, w4 …\)"):
        put_weights(nn.Module(), many, origin=Path("x"))


def bert(task: str, **options: Any) -> nn.Module:
    small = {"dim": 16, "heads": 2, "layers": 1, "ff_dim": 16, "max_length": 16, **options}
    return build_model("bert-mini", small, Vocabulary(20, 20, shared=True, pad_id=0, labels=3), task=task)


def test_the_layers_on_top_of_a_tagger_are_a_head() -> None:
    tagger, classifier = bert("tagging", head="lstm"), bert("classification")
    given = weights_of(tagger)
    assert any(name.startswith("recurrent.") for name in given)
    assert put_body(classifier, given, origin=Path("tagger")) == ("pooler",)
    found = weights_of(classifier)
    assert all(torch.equal(found[name], given[name]) for name in found if not name.startswith("pooler."))
    assert put_body(bert("tagging", head="lstm"), found, origin=Path("classifier")) == ("recurrent",)
    with pytest.raises(RunError, match=r"unexpected: other\.weight"):
        put_body(classifier, {**found, "other.weight": torch.ones(1)}, origin=Path("x"))


def test_what_batch_norms_saw_belongs_to_the_weights() -> None:
    """The count of batches does not: nothing depends on it, and a mean of counts would be no count."""
    model, other = (nn.Sequential(nn.Conv2d(3, 4, 1), nn.BatchNorm2d(4)) for _ in range(2))
    model(torch.randn(5, 3, 2, 2))
    assert weights_of(model).keys() - dict(model.named_parameters()).keys() == {"1.running_mean", "1.running_var"}
    put_weights(other, weights_of(model), origin=Path("other"))
    picture = torch.randn(1, 3, 2, 2)
    assert torch.equal(other.eval()(picture), model.eval()(picture))


def test_hard_attention_begins_with_the_weights_of_soft_and_soft_with_hards() -> None:
    words = Vocabulary(source=0, target=20, shared=False, picture=GridShape(2, 8))
    soft, hard = (build_model(f"caption-{name}", {"dim": 8}, words) for name in ("soft", "hard"))
    before = weights_of(hard)["baseline_weight"].clone()
    assert put_body(hard, weights_of(soft), origin=Path("soft")) == ("baseline_weight",)
    assert torch.equal(weights_of(hard)["baseline_weight"], before)
    assert all(torch.equal(weights_of(hard)[name], tensor) for name, tensor in weights_of(soft).items())
    assert put_body(soft, weights_of(hard), origin=Path("hard")) == ()
    rnn = build_model("caption-rnn", {"dim": 8}, words)
    with pytest.raises(RunError, match="does not fit the model"):
        put_body(rnn, weights_of(soft), origin=Path("soft"))
