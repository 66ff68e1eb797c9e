import pytest
from pydantic import BaseModel, ValidationError
from torch import nn

from saccade.errors import ModelError
from saccade.models import Vocabulary, build_model, catalogue, find_preset, presets
from saccade.models.transformer import TransformerOptions

VOCABULARY = Vocabulary(source=50, target=50, shared=True)
SIZES = {"dim": 16, "heads": 2, "ff_dim": 32, "encoder_layers": 1, "decoder_layers": 1}


def test_presets_are_listed_in_order_with_their_summaries() -> None:
    names = [one.name for one in presets()]
    sizes = ["transformer-tiny", "transformer-small", "transformer-base", "transformer-big"]
    assert [name for name in names if name in sizes] == sizes
    assert len(set(names)) == len(names)
    for one in presets():
        assert one.tasks
        assert one.summary
        assert "\n" not in one.summary
        assert find_preset(one.name) is one


@pytest.mark.parametrize(
    ("asked", "hint"),
    [("transformer-tinny", " (did you mean transformer-tiny?)"), ("base", ""), ("Transformer_Base", "")],
)
def test_unknown_preset(asked: str, hint: str) -> None:
    with pytest.raises(ModelError) as refused:
        build_model(asked, {}, VOCABULARY)
    assert str(refused.value).startswith(f"no preset '{asked}'{hint}")
    assert str(refused.value).endswith(f"; there are {', '.join(one.name for one in presets())}")


def test_the_catalogue_has_each_presets_own_defaults() -> None:
    assert list(catalogue()) == [one.name for one in presets()]
    for one in presets():
        schema = catalogue()[one.name]
        assert issubclass(schema, type(one.options))
        assert schema().model_dump() == one.options.model_dump()
        assert schema.__doc__ == one.doc


def test_making_a_catalogue_does_not_touch_the_options() -> None:
    before = TransformerOptions()
    assert catalogue()["transformer-tiny"]().model_dump()["dim"] == 128
    assert TransformerOptions() == before
    assert before.dim == 512


@pytest.mark.parametrize("name", [one.name for one in presets()])
def test_every_option_is_described(name: str) -> None:
    for option, info in catalogue()[name].model_fields.items():
        assert info.description, option


def problems(schema: type[BaseModel], **options: object) -> list[tuple[str, str]]:
    with pytest.raises(ValidationError) as refused:
        schema.model_validate(options)
    return [(".".join(str(part) for part in e["loc"]), e["type"]) for e in refused.value.errors()]


@pytest.mark.parametrize(
    ("option", "value", "kind"),
    [
        ("dim", "wide", "int_parsing"),
        ("dim", 12.5, "int_from_float"),
        ("dim", 0, "greater_than"),
        ("heads", -1, "greater_than"),
        ("encoder_layers", 0, "greater_than"),
        ("decoder_layers", None, "int_type"),
        ("ff_dim", 0, "greater_than"),
        ("dropout", 1.0, "less_than"),
        ("dropout", -0.1, "greater_than_equal"),
        ("attention_dropout", 1, "less_than"),
        ("norm", "middle", "literal_error"),
        ("activation", "sigmoid", "literal_error"),
        ("score", "cosine", "literal_error"),
        ("positions", "rotary", "literal_error"),
        ("combine", "multiply", "literal_error"),
        ("max_length", 0, "greater_than"),
        ("window", 0, "greater_than"),
        ("embeddings", "one", "literal_error"),
        ("width", 128, "extra_forbidden"),
    ],
)
def test_wrong_options_are_refused(option: str, value: object, kind: str) -> None:
    assert problems(catalogue()["transformer-tiny"], **{option: value}) == [(option, kind)]


@pytest.mark.parametrize("options", [{"heads": 3}, {"dim": 130}, {"dim": 30, "heads": 4}], ids=str)
def test_heads_must_divide_the_width(options: dict[str, int]) -> None:
    dim, heads = options.get("dim", 128), options.get("heads", 4)
    with pytest.raises(ValidationError, match=f"model.dim {dim} is not divisible by {heads} heads") as refused:
        catalogue()["transformer-tiny"].model_validate(options)
    assert [error["loc"] for error in refused.value.errors()] == [("heads",)]


@pytest.mark.parametrize("preset", ["bert-mini", "caption-transformer", "caption-vit", "gpt-mini", "vit-mini"])
def test_heads_must_divide_the_width_of_every_transformer(preset: str) -> None:
    with pytest.raises(ValidationError, match=r"model.dim 250 is not divisible by \d+ heads"):
        catalogue()[preset].model_validate({"dim": 250})


@pytest.mark.parametrize("options", [{}, {"embeddings": "shared"}, {"embeddings": "tied"}], ids=str)
def test_concatenated_positions_need_separate_embeddings(options: dict[str, str]) -> None:
    schema = catalogue()["transformer-tiny"]
    with pytest.raises(ValidationError, match=r"model\.combine concatenate .* set model\.embeddings=separate"):
        schema.model_validate({"combine": "concatenate", **options})
    schema.model_validate({"combine": "concatenate", "embeddings": "separate"})


def test_all_problems_at_once() -> None:
    found = problems(catalogue()["transformer-base"], dim="wide", norm="middle", colour="red")
    assert [option for option, _ in found] == ["dim", "norm", "colour"]


def test_options_are_frozen() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        catalogue()["transformer-base"]().dim = 8


def test_options_replace_the_presets_own() -> None:
    model = build_model("transformer-big", SIZES, VOCABULARY)
    assert isinstance(model, nn.Module)
    assert max(max(p.shape) for p in model.parameters()) == 50
