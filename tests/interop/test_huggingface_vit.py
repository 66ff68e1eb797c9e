"""Hugging Face's Vision Transformer, tiny and random, in both directions."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from PIL import Image
from safetensors.torch import load_file, save_file

from saccade.data.examples import PictureRef
from saccade.data.images.reading import Fit
from saccade.data.images.tensors import Channels
from saccade.errors import ModelError
from saccade.interop.huggingface import Imported, read_folder, write_folder
from saccade.models import Vocabulary, build_model, find_preset
from saccade.runs import PictureRun, export_huggingface, import_huggingface, load
from saccade.tasks.sight import Sight
from saccade.training.weights import put_weights, weights_of

pytestmark = pytest.mark.parity

TASK = "picture-classification"
NAMES = ("cat", "dog", "bird")
OPTIONS = {"dim": 32, "heads": 4, "layers": 2, "ff_dim": 48, "size": 16, "patch": 4}
PICTURES = torch.randn(3, 3, 16, 16, generator=torch.Generator().manual_seed(2))


def theirs(kind: str = "ViTForImageClassification", **changes: Any) -> Any:
    torch.manual_seed(3)
    config = transformers.ViTConfig(
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=48,
        image_size=16,
        patch_size=4,
        **changes,
    )
    model = getattr(transformers, kind)(config).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, mean=float(parameter.mean() == 1), std=0.2)
    return model


def named() -> dict[str, Any]:
    return {"id2label": dict(enumerate(NAMES)), "label2id": {one: number for number, one in enumerate(NAMES)}}


def ours(found: Imported) -> Any:
    vocabulary = Vocabulary(0, 0, shared=True, labels=len(found.labels))
    model = build_model(found.preset, found.options, vocabulary, task=found.task)
    put_weights(model, found.weights, origin=Path("theirs"))
    return model.eval()


def close(found: torch.Tensor, expected: torch.Tensor) -> None:
    torch.testing.assert_close(found, expected, atol=2e-5, rtol=1e-4)


def test_a_vit_says_the_same_here(tmp_path: Path) -> None:
    peer = theirs(**named())
    peer.save_pretrained(tmp_path)
    found = read_folder(tmp_path)
    assert found.task == TASK
    assert found.tokenizer is None
    assert found.labels == NAMES
    assert (found.mean, found.std) == ((0.5, 0.5, 0.5), (0.5, 0.5, 0.5))
    model = ours(found)
    with torch.no_grad():
        expected = peer(PICTURES, output_hidden_states=True)
        close(model.scores(PICTURES), expected.logits)
        for one, other in zip(model.states(PICTURES)[:2], expected.hidden_states[:2], strict=True):
            close(one, other)


@pytest.mark.parametrize("size", [(24, 24), (8, 16), (32, 20)])
def test_positions_are_interpolated_as_theirs(tmp_path: Path, size: tuple[int, int]) -> None:
    peer = theirs("ViTModel")
    peer.save_pretrained(tmp_path)
    pictures = torch.randn(2, 3, *size)
    with torch.no_grad():
        expected = peer(pictures, interpolate_pos_encoding=True).last_hidden_state
        found = ours(read_folder(tmp_path)).grid(pictures)
    assert found.shape == (2, size[0] // 4, size[1] // 4, 32)
    close(found.flatten(1, 2), expected[:, 1:])


def test_labels_without_names(tmp_path: Path) -> None:
    peer = theirs(num_labels=2)
    peer.save_pretrained(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    config.pop("id2label", None)
    (tmp_path / "config.json").write_text(json.dumps(config))
    found = read_folder(tmp_path)
    assert found.labels == ("LABEL_0", "LABEL_1")
    with torch.no_grad():
        close(ours(found).scores(PICTURES), peer(PICTURES).logits)


@pytest.mark.parametrize("labels", [NAMES, ()])
def test_what_we_write_they_read(tmp_path: Path, labels: tuple[str, ...]) -> None:
    torch.manual_seed(5)
    model: Any = build_model("vit-mini", OPTIONS, Vocabulary(0, 0, shared=True, labels=len(labels))).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.2)
    options = {**find_preset("vit-mini").options.model_dump(), **OPTIONS}
    mean = (0.4, 0.5, 0.6)
    write_folder(tmp_path, task=TASK, options=options, weights=weights_of(model), labels=labels, mean=mean)
    kind = json.loads((tmp_path / "config.json").read_text())["architectures"][0]
    settings = {} if labels else {"add_pooling_layer": False}
    peer, info = getattr(transformers, kind).from_pretrained(tmp_path, output_loading_info=True, **settings)
    assert not info["missing_keys"]
    assert not info["unexpected_keys"]
    with torch.no_grad():
        found = peer.eval()(PICTURES)
        if labels:
            close(model.scores(PICTURES), found.logits)
            assert tuple(peer.config.id2label.values()) == labels
        else:
            close(model.grid(PICTURES).flatten(1, 2), found.last_hidden_state[:, 1:])
    back = read_folder(tmp_path)
    assert back.labels == labels
    assert back.mean == mean
    assert back.std == (0.5, 0.5, 0.5)
    assert back.weights.keys() == weights_of(model).keys()
    assert all(torch.equal(back.weights[name], one) for name, one in weights_of(model).items())
    written = json.loads((tmp_path / "preprocessor_config.json").read_text())
    assert written["size"] == {"height": 16, "width": 16}
    assert written["image_mean"] == list(mean)


def gradient() -> Image.Image:
    """60 × 40 pixels without edges, so that resampling in one or another order makes no difference."""
    down, right = np.mgrid[0:40, 0:60]
    return Image.fromarray(np.stack([4 * right, 6 * down, 2 * right + 3 * down], axis=-1).astype(np.uint8))


@pytest.mark.parametrize("fit", ["crop", "squash"])
def test_their_processor_sees_what_the_run_saw(tmp_path: Path, fit: Fit) -> None:
    theirs(**named()).save_pretrained(tmp_path / "theirs")
    import_huggingface(tmp_path / "theirs", tmp_path / "run")
    seen = Sight(20, fit, Channels((0.4,) * 3, (0.5,) * 3), NAMES)  # more pixels than the model was made for
    seen.save(tmp_path / "run")
    run = load(tmp_path / "run")
    assert isinstance(run, PictureRun)
    export_huggingface(run, tmp_path / "back")
    gradient().save(tmp_path / "a.png")
    ours_1 = seen.tensor(seen.read(PictureRef(tmp_path / "a.png", "a"))[None], torch.device("cpu"))
    processor = transformers.AutoImageProcessor.from_pretrained(tmp_path / "back")
    theirs_1 = processor(Image.open(tmp_path / "a.png"), return_tensors="pt")["pixel_values"]
    torch.testing.assert_close(theirs_1, ours_1, atol=0.05, rtol=0)
    peer = transformers.ViTForImageClassification.from_pretrained(tmp_path / "back").eval()
    with torch.no_grad():
        close(peer(ours_1).logits, run.model.scores(ours_1))
    import_huggingface(tmp_path / "back", tmp_path / "again")
    assert Sight.load(tmp_path / "again") == seen


def test_every_tensor_is_accounted_for(tmp_path: Path) -> None:
    theirs(**named()).save_pretrained(tmp_path)
    weights = load_file(tmp_path / "model.safetensors")
    weights["vit.more"] = weights.pop("vit.layernorm.bias")
    save_file(weights, tmp_path / "model.safetensors")
    with pytest.raises(
        ModelError, match=r"that its config\.json promises \(missing: vit\.layernorm\.bias; unexpected: vit\.more\)"
    ):
        read_folder(tmp_path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"hidden_act": "relu"}, "hidden_act is 'relu'; a ViT here has 'gelu'"),
        ({"qkv_bias": False}, "qkv_bias is False; a ViT here has True"),
    ],
)
def test_other_architectures_are_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    theirs(**changes).save_pretrained(tmp_path)
    with pytest.raises(ModelError, match=message):
        read_folder(tmp_path)


def test_what_config_and_preprocessing_do_not_say(tmp_path: Path) -> None:
    theirs().save_pretrained(tmp_path)
    (tmp_path / "preprocessor_config.json").write_text('{"image_mean": [0.5]}')
    with pytest.raises(ModelError, match="image_mean has 1 numbers; a ViT here sees 3 colours"):
        read_folder(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    del config["patch_size"]
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match=r"config\.json does not say patch_size"):
        read_folder(tmp_path)


def test_other_models_cannot_be_written(tmp_path: Path) -> None:
    options = find_preset("hybrid-mini").options.model_dump()
    with pytest.raises(ModelError, match="a model without patch is no Vision Transformer: of the models for pictures"):
        write_folder(tmp_path, task=TASK, options=options, weights={})
    with pytest.raises(ModelError, match="a model for tagging is written together with its tokenizer, and none was"):
        write_folder(tmp_path, task="tagging", options={}, weights={})


def test_a_run_says_the_same_and_goes_back(tmp_path: Path) -> None:
    model = theirs(**named())
    model.save_pretrained(tmp_path / "theirs")
    processor = transformers.ViTImageProcessor(size={"height": 16, "width": 16}, image_mean=[0.4] * 3)
    processor.save_pretrained(tmp_path / "theirs")
    import_huggingface(tmp_path / "theirs", tmp_path / "run")
    run = load(tmp_path / "run")
    assert isinstance(run, PictureRun)
    assert run.sight == Sight(16, "squash", Channels((0.4,) * 3, (0.5,) * 3), NAMES)
    pixels = np.random.default_rng(1).integers(0, 256, (16, 16, 3)).astype(np.uint8)
    Image.fromarray(pixels).save(tmp_path / "a.png")
    with torch.no_grad():
        expected = model(torch.from_numpy((pixels / 255 - 0.4) / 0.5).permute(2, 0, 1)[None].float()).logits.softmax(-1)
    [found] = run.classify([tmp_path / "a.png"])
    assert list(found.probabilities) == list(NAMES)
    assert list(found.probabilities.values()) == pytest.approx(expected[0].tolist(), abs=1e-5)
    assert run.look(tmp_path / "a.png").rollout().shape == (4, 4)
    export_huggingface(run, tmp_path / "back")
    again = transformers.ViTForImageClassification.from_pretrained(tmp_path / "back").eval()
    close(again(PICTURES).logits, model(PICTURES).logits)
    assert json.loads((tmp_path / "back" / "preprocessor_config.json").read_text())["image_mean"] == [0.4] * 3
