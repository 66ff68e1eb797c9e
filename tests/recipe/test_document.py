import pytest

from saccade.errors import RecipeError
from saccade.recipe.document import Document
from saccade.recipe.problems import Origin

TEXT = """\
task: translation
train:
  lr: 1e-3
  betas: [0.9, 0.98]
"""


def _overridden(*overrides: str) -> Document:
    document = Document.of_text(TEXT, "recipe.yaml")
    document.override(overrides)
    return document


@pytest.mark.parametrize(
    ("override", "section", "key", "value"),
    [
        ("train.lr=3e-4", "train", "lr", 3e-4),
        ('train.budget="60 steps"', "train", "budget", "60 steps"),
        ("train.budget=60 steps", "train", "budget", "60 steps"),
        ("train.clip=null", "train", "clip", None),
        ("train.betas=[0.8, 0.9]", "train", "betas", [0.8, 0.9]),
        ("data.train=a.tsv", "data", "train", "a.tsv"),
        ("data.train=corpus/train.{en,de}", "data", "train", "corpus/train.{en,de}"),
        ("data.train=scenes:en-fr", "data", "train", "scenes:en-fr"),
        ("data.train=a=b.tsv", "data", "train", "a=b.tsv"),
        ("data.train='a #b'", "data", "train", "a #b"),
        (" data.train = a.tsv ", "data", "train", "a.tsv"),
        ("model={preset: x, dim: 8}", "model", "dim", 8),
    ],
)
def test_overrides_lay_values(override: str, section: str, key: str, value: object) -> None:
    document = _overridden(override)
    assert document.problems == []
    inner = document.values[section]
    assert isinstance(inner, dict)
    assert inner[key] == value
    assert document.origin((section, key)) == Origin(override, is_override=True)


def test_other_keys_keep_their_line() -> None:
    document = _overridden("train.lr=1", "train.betas=[1, 2, 3]")
    assert str(document.origin(("task",))) == "recipe.yaml:1"
    assert str(document.origin(("train",))) == "recipe.yaml:2"
    assert str(document.origin(("train", "betas", 2))) == "train.betas=[1, 2, 3]"
    assert str(document.origin(("data", "train"))) == "recipe.yaml"


def test_one_key_twice_is_what_a_shell_makes_of_braces() -> None:
    (problem,) = _overridden("data.train=train.en", "data.train=train.de").problems
    assert str(problem) == (
        "data.train=train.de: data.train given twice, first as data.train=train.en; "
        "an override with braces or spaces needs quotes around it in a shell"
    )


def test_an_override_opens_an_empty_section() -> None:
    document = Document.of_text("data:\n", "recipe.yaml")
    document.override(["data.train=a.tsv"])
    assert document.values == {"data": {"train": "a.tsv"}}


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("train.lr", "expected key=value, such as train.lr=3e-4"),
        ("=3", "expected key=value, such as train.lr=3e-4"),
        ("train..lr=3", "expected key=value, such as train.lr=3e-4"),
        ("train.clip=", "no value after =; for none write train.clip=null"),
        ("train.lr.x=3", "train.lr is a single value and has no key x"),
        ("task.x.y=3", "task is a single value and has no key x"),
        ("model={dim: 1, dim: 2}", "dim given twice"),
        ("data.train=a #b", "# starts a comment in the value; a text that holds it needs quotes inside the value"),
    ],
)
def test_malformed_overrides(override: str, message: str) -> None:
    (problem,) = _overridden(override).problems
    assert str(problem) == f"{override}: {message}"


def test_unreadable_value() -> None:
    (problem,) = _overridden("data.train=*.tsv").problems
    assert str(problem).startswith("data.train=*.tsv: not valid YAML: ")
    assert str(problem).endswith("; a text with special characters needs quotes inside the value")


@pytest.mark.parametrize(("text", "given"), [("", "nothing"), ("- a\n", "a list"), ("hello\n", "a text")])
def test_top_must_be_a_mapping(text: str, given: str) -> None:
    with pytest.raises(RecipeError) as caught:
        Document.of_text(text, "recipe.yaml")
    assert str(caught.value) == (
        f"recipe.yaml: 1 problem\nrecipe.yaml:1: expected a mapping such as task: translation, got {given}"
    )


def test_syntax_errors_have_line_and_column() -> None:
    with pytest.raises(RecipeError) as caught:
        Document.of_text("a: 1\nb: ]\n", "recipe.yaml")
    assert str(caught.value).startswith("recipe.yaml: 1 problem\nrecipe.yaml:2:4: not valid YAML: ")
