from collections.abc import Callable

import pytest
from pydantic import BaseModel

from saccade.errors import RecipeError
from saccade.recipe import Amount, Models, load_text

GOOD = {
    "task": "translation",
    "data": "{train: a.tsv}",
    "model": "{preset: transformer-tiny}",
}

Problems = Callable[..., list[str]]


@pytest.fixture
def problems(models: Models) -> Problems:
    """The lines of the error for a recipe whose sections are those of ``GOOD`` but for the given ones."""

    def found(*overrides: str, known: Models | None = models, **sections: str) -> list[str]:
        text = "".join(f"{key}: {value}\n" for key, value in (GOOD | sections).items() if value)
        with pytest.raises(RecipeError) as caught:
            load_text(text, overrides, models=known)
        summary, *lines = str(caught.value).splitlines()
        assert summary == f"recipe.yaml: {len(lines)} problem{'s' if len(lines) > 1 else ''}"
        return lines

    return found


def test_resolves_defaults_and_options(models: Models) -> None:
    recipe = load_text(
        "task: translation\ndata: {train: [a.tsv, b.tsv]}\nmodel: {preset: transformer-tiny, dropout: 0.3}\n"
        "train: {lr: 5e-3, batch_tokens: 1e4, betas: [0.9, 0.999]}\ntokenizer:\n",
        models=models,
    )
    assert recipe.data.train == ("a.tsv", "b.tsv")
    assert recipe.train.lr == 5e-3
    assert recipe.train.batch_tokens == 10_000
    assert recipe.train.betas == (0.9, 0.999)
    assert recipe.train.budget == Amount(30, "epochs")
    assert recipe.tokenizer.kind == "bpe"
    assert recipe.model.preset == "transformer-tiny"
    assert recipe.model.options == {
        "dim": 128,
        "heads": 4,
        "ff_dim": 256,
        "dropout": 0.3,
        "norm": "pre",
        "window": None,
        "reach": "all",
    }


def test_without_models_options_stay_as_given() -> None:
    recipe = load_text("task: translation\ndata: {train: a.tsv}\nmodel: {preset: any, dim: 7, new: true}\n")
    assert recipe.model.options == {"dim": 7, "new": True}


TASKS = (
    "task: expected one of translation, language-model, masked-language-model, classification, regression, tagging, "
    'picture-classification, captioning, got "singing"'
)
METRICS = (
    "train.metric: expected one of bleu, chrf, cider, accuracy, f1, matthews, pearson, spearman, loss, "
    'got "blue" (did you mean bleu?)'
)


@pytest.mark.parametrize(
    ("section", "value", "expected"),
    [
        ("train", "{warmup_step: 3}", "train.warmup_step: unknown key (did you mean train.warmup?)"),
        ("data", "{train: a, lr: 3}", "data.lr: unknown key (did you mean train.lr?)"),
        ("lr", "3", "lr: unknown key (did you mean train.lr?)"),
        ("data", "{train: a, seed: 3}", "data.seed: unknown key (did you mean seed?)"),
        ("train", "{dropout: 0.1}", "train.dropout: unknown key (did you mean model.dropout?)"),
        (
            "train",
            "{max_length: 9}",
            "train.max_length: unknown key (did you mean data.max_length or decode.max_length?)",
        ),
        ("trian", "{lr: 3}", "trian: unknown key (did you mean train?)"),
        ("train", "{smothing: 0.1}", "train.smothing: unknown key (did you mean train.label_smoothing?)"),
        ("decode", "{accumulat: 1}", "decode.accumulat: unknown key (did you mean train.accumulate?)"),
        ("train.lr", "3", "train.lr: unknown key (write lr inside the section train)"),
        ("train", "{<<: 3}", "train.<<: merge keys are not read; write the keys out"),
        (
            "decode",
            "{zzz: 1}",
            "decode.zzz: unknown key "
            "(decode has: beam, length_penalty, max_length, batch_tokens, nbest, consensus, replace_unknown)",
        ),
        (
            "zzz",
            "1",
            "zzz: unknown key (a recipe has: name, task, seed, data, tokenizer, model, train, decode)",
        ),
        ("train", "{warmup: soon}", 'train.warmup: expected a whole number, got "soon"'),
        ("train", '{warmup: "4"}', 'train.warmup: expected a whole number, got "4"'),
        ("train", "{warmup: 4.5}", "train.warmup: expected a whole number, got 4.5"),
        ("train", "{warmup: true}", "train.warmup: expected a whole number, got true"),
        ("train", "{accumulate: null}", "train.accumulate: expected a whole number, got null"),
        ("train", "{lr: fast}", 'train.lr: expected a number, got "fast"'),
        ("train", "{lr: 1e999}", 'train.lr: expected a number, got "1e999"'),
        ("train", "{tensorboard: yes}", 'train.tensorboard: expected true or false, got "yes"'),
        ("train", "{betas: 0.9}", "train.betas: expected a list, got 0.9"),
        ("train", "{betas: [0.9]}", "train.betas.1: missing; got [0.9]"),
        ("train", "{betas: [0.9, 0.9, 0.9]}", "train.betas: expected at most 2 values, got 3"),
        ("train", "{betas: [0.9, 1]}", "train.betas.1: must be less than 1, got 1"),
        ("train", "{lr: 0}", "train.lr: must be greater than 0, got 0"),
        ("train", "{average: 0}", "train.average: must be at least 1, got 0"),
        ("seed", "5000000000", "seed: must be at most 4294967295, got 5000000000"),
        ("train", "[a]", 'train: expected a section (keys with values), got ["a"]'),
        ("train", "fast", 'train: expected a section (keys with values), got "fast"'),
        ("train", "{metric: blue}", METRICS),
        ("task", "singing", TASKS),
        ("name", "42", "name: expected a text, got 42 (put it in quotes)"),
        ("name", '""', "name: expected a text, got an empty one"),
        ("name", "a/b", "name: expected a name that can be a folder's: no slashes, not only dots"),
        ("name", "..", "name: expected a name that can be a folder's: no slashes, not only dots"),
        (
            "data",
            "{train: [a, 3]}",
            'data.train: expected a text or a list of texts, none of them empty, got ["a", 3]',
        ),
        ("data", "{train: []}", "data.train: expected a text or a list of texts, none of them empty, got []"),
        (
            "data",
            "{train: a, source: en, target: en}",
            "data.target: the same as data.source; expected the other side of the pairs",
        ),
        (
            "train",
            "{budget: 60 stepz}",
            'train.budget: "60 stepz": expected a number and a unit, one of epochs, steps, tokens, flops, minutes, '
            'such as "30 epochs"',
        ),
        (
            "train",
            "{budget: 30}",
            "train.budget: 30: expected a number and a unit, one of epochs, steps, tokens, flops, minutes, "
            'such as "30 epochs"',
        ),
        (
            "train",
            "{warmup: 0}",
            "train.warmup: must be at least 1 with train.schedule inverse-sqrt, which decays from the warm-up's "
            "last step",
        ),
        ("decode", "{nbest: 6}", "decode.nbest: 6 hypotheses from a beam of 5; raise decode.beam"),
        ("model", "{preset: transformer-tiny, heads: four}", 'model.heads: expected a whole number, got "four"'),
        ("model", "{preset: transformer-tiny, ffdim: 4}", "model.ffdim: unknown key (did you mean model.ff_dim?)"),
        ("model", "{preset: rnn-attention, cell: gur}", "model.cell: expected one of gru, lstm, got "),
        (
            "model",
            "{preset: transformer-tyni}",
            'model.preset: unknown preset "transformer-tyni" (did you mean transformer-tiny?)',
        ),
        ("model", "{preset: zzz}", 'model.preset: unknown preset "zzz" (presets: transformer-tiny, rnn-attention)'),
        (
            "model",
            "{preset: transformer-tiny, dim: 10}",
            "model: dim 10 cannot be divided among 4 heads",
        ),
        (
            "model",
            "{preset: transformer-tiny, reach: far}",
            'model.reach: expected a whole number, got "far"; or expected all, got "far"',
        ),
    ],
)
def test_messages(problems: Problems, section: str, value: str, expected: str) -> None:
    line = list(GOOD | {section: value}).index(section) + 1
    (problem,) = problems(**{section: value})
    assert problem.startswith(f"recipe.yaml:{line}: {expected}")


def test_preset_options_are_candidates_for_other_sections_only_with_models(problems: Problems) -> None:
    (problem,) = problems(known=None, train="{ff_dim: 3}")
    assert "did you mean" not in problem


def test_nested_option_without_models(problems: Problems) -> None:
    assert problems(known=None, model="{preset: a, options: {dim: 3}}") == [
        "recipe.yaml:3: model.options: expected a single value; options stand beside preset, one key each"
    ]


def test_missing_keys_say_how_to_give_them(problems: Problems) -> None:
    assert problems(task="", data="", model="", seed="3") == [
        "recipe.yaml: task: missing (give it, such as task=translation)",
        "recipe.yaml: data.train: missing (give it, such as data.train=my.tsv)",
        "recipe.yaml: model.preset: missing (give it, such as model.preset=transformer-tiny)",
    ]


def test_missing_key_of_a_given_section_has_its_line(problems: Problems) -> None:
    assert problems(data="{valid: a.tsv}") == [
        "recipe.yaml:2: data.train: missing (give it, such as data.train=my.tsv)"
    ]


def test_an_override_is_not_blamed_for_what_its_section_lacks(problems: Problems) -> None:
    assert problems("data.valid=v.tsv", "trian.lr=3", data="") == [
        "recipe.yaml: data.train: missing (give it, such as data.train=my.tsv)",
        "trian.lr=3: trian: unknown key (did you mean train?)",
    ]


def test_overrides_stand_in_place_of_file_and_line(problems: Problems) -> None:
    assert problems("train.warmup_step=3", "model.heads=four", "nonsense", seed="-1") == [
        "recipe.yaml:4: seed: must be at least 0, got -1",
        "nonsense: expected key=value, such as train.lr=3e-4",
        "train.warmup_step=3: train.warmup_step: unknown key (did you mean train.warmup?)",
        'model.heads=four: model.heads: expected a whole number, got "four"',
    ]


def test_all_problems_at_once_in_the_order_of_lines(models: Models) -> None:
    text = """\
task: translation
data:
  train: a.tsv
  max_length: none
model:
  preset: transformer-tiny
  heads: four
  dropuot: 0.1
train: {lr: 1,
  warmup_step: 4,
  betas: [0.9,
    2]}
decode:
  beam: 4
  beam: 8
"""
    with pytest.raises(RecipeError) as caught:
        load_text(text, models=models)
    assert str(caught.value).splitlines() == [
        "recipe.yaml: 6 problems",
        'recipe.yaml:4: data.max_length: expected a whole number, got "none"',
        'recipe.yaml:7: model.heads: expected a whole number, got "four"',
        "recipe.yaml:8: model.dropuot: unknown key (did you mean model.dropout?)",
        "recipe.yaml:10: train.warmup_step: unknown key (did you mean train.warmup?)",
        "recipe.yaml:12: train.betas.1: must be less than 1, got 2",
        "recipe.yaml:15: decode.beam: given twice (first on line 14)",
    ]


def test_an_override_mends_a_file(models: Models) -> None:
    text = "task: translation\nmodel: {preset: transformer-tiny, dim: 10}\n"
    recipe = load_text(text, ["data.train=a.tsv", "model.dim=12"], models=models)
    assert recipe.model.options["dim"] == 12


def test_options_are_unchangeable(models: Models) -> None:
    recipe = load_text("task: translation\ndata: {train: a}\nmodel: {preset: rnn-attention}\n", models=models)
    with pytest.raises(TypeError):
        recipe.model.options["dim"] = 3  # type: ignore[index]


def test_catalogue_class_may_be_any_pydantic_class() -> None:
    class Bare(BaseModel):
        sizes: int

    text = "task: translation\ndata: {train: a}\nmodel: {preset: bare}\n"
    with pytest.raises(RecipeError, match=r"recipe.yaml:3: model.sizes: missing$"):
        load_text(text, models={"bare": Bare})
