from pathlib import Path

import pytest

from saccade.errors import RecipeError
from saccade.recipe import Models, load, load_text

TEXT = "task: translation\ndata: {train: a.tsv}\nmodel: {preset: transformer-tiny}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _refused(source: str | Path, models: Models | None = None) -> str:
    with pytest.raises(RecipeError) as caught:
        load(source, models=models)
    return str(caught.value)


def test_file_gives_its_stem_as_name(folder: Path, models: Models) -> None:
    (folder / "mine.yaml").write_text(TEXT)
    assert load("mine.yaml", models=models).name == "mine"
    assert load(folder / "mine.yaml", ["name=other"], models=models).name == "other"


def test_byte_order_mark_and_windows_lines(folder: Path) -> None:
    (folder / "mine.yml").write_bytes(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
    assert load("mine.yml").data.train == "a.tsv"


def test_messages_name_the_file_as_given(folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "mine.yaml").write_text(TEXT + "sed: 3\n")
    assert _refused("sub/mine.yaml") == (
        "sub/mine.yaml: 1 problem\nsub/mine.yaml:4: sed: unknown key (did you mean seed?)"
    )


def test_shipped_recipe_by_name(folder: Path) -> None:
    (folder / "scenes-en-fr").mkdir()  # a run folder of that name does not hide it
    recipe = load("scenes-en-fr", ["train.lr=3e-4"])
    assert recipe.name == "scenes-en-fr"
    assert recipe.train.lr == 3e-4


def test_preset_needs_no_file(folder: Path, models: Models) -> None:
    recipe = load("transformer-tiny", ["data.train=my.tsv", "model.dropout=0.2"], models=models)
    assert (recipe.name, recipe.task, recipe.data.train) == ("transformer-tiny", "translation", "my.tsv")
    assert recipe.model.options["dropout"] == 0.2


def test_the_model_of_a_run_takes_the_place_of_the_recipes_own(folder: Path, models: Models) -> None:
    (folder / "mine.yaml").write_text(TEXT.replace("transformer-tiny}", "rnn-attention, dim: 32, dropout: 0.3}"))
    text = TEXT.replace("transformer-tiny}", "transformer-tiny, dim: 64, heads: 2, dropout: 0.2}")
    model = load_text(text, models=models).model
    found = load("mine.yaml", models=models, model_of=model, free={"dropout"}).model
    assert (found.preset, found.options["dim"], found.options["heads"]) == ("transformer-tiny", 64, 2)
    assert found.options["dropout"] == 0.3
    over = load("mine.yaml", ["model.dropout=0.4", "model.norm=post"], models=models, model_of=model, free={"dropout"})
    assert (over.model.options["dropout"], over.model.options["norm"]) == (0.4, "post")
    untold = load("transformer-tiny", ["data.train=a.tsv"], models=models, model_of=model, free={"dropout"}).model
    assert untold.options["dropout"] == 0.2


def test_preset_without_data_says_how_to_give_it(folder: Path, models: Models) -> None:
    assert _refused("transformer-tiny", models) == (
        "transformer-tiny: 1 problem\ntransformer-tiny: data.train: missing (give it, such as data.train=my.tsv)"
    )


@pytest.mark.parametrize(
    ("source", "meant"),
    [
        ("scenes-en-rf", "scenes-en-fr"),
        ("scenes-en-fr.yaml", "scenes-en-fr"),
        ("transformer-tin", "transformer-tiny"),
        ("my_recipe.yaml", "my-recipe.yaml"),
        ("sub/deep.yaml", "sub/deeper.yaml"),
    ],
)
def test_not_found_with_a_near_one(folder: Path, models: Models, source: str, meant: str) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "deeper.yaml").write_text(TEXT)
    (folder / "my-recipe.yaml").write_text(TEXT)
    assert _refused(source, models) == (
        f'no recipe "{source}": neither a file, nor a shipped recipe, nor a preset (did you mean {meant}?)'
    )


def test_not_found_lists_what_there_is(folder: Path, models: Models) -> None:
    message = _refused("zzz", models)
    assert message.startswith('no recipe "zzz": neither a file, nor a shipped recipe, nor a preset\nshipped recipes: ')
    assert message.endswith("presets: transformer-tiny, rnn-attention")
    assert _refused("nowhere/at/all").endswith("presets: none given")


def test_folders(folder: Path) -> None:
    (folder / "run").mkdir()
    assert _refused("run") == "run is a folder, expected a recipe file"
    (folder / "run" / "recipe.yaml").write_text(TEXT)
    assert _refused("run") == "run is a folder; did you mean run/recipe.yaml?"


def test_data_file_in_place_of_a_recipe(folder: Path) -> None:
    (folder / "my.tsv").write_text("a\tb\n")
    assert _refused("my.tsv") == (
        "my.tsv is not a recipe, which ends in .yaml or .yml; "
        "to train on it, name a preset: saccade train transformer-tiny data.train=my.tsv"
    )


def test_too_large(folder: Path) -> None:
    (folder / "big.yaml").write_bytes(b"#" * 1_000_001)
    assert _refused("big.yaml") == "big.yaml has 1,000,001 bytes, a recipe at most 1,000,000; is it a data file?"


def test_not_utf8(folder: Path) -> None:
    (folder / "old.yaml").write_bytes(b"task: translation\nname: caf\xe9\n")
    assert _refused("old.yaml") == "old.yaml:2: not UTF-8 text; save the recipe as UTF-8"


def test_impossible_name(folder: Path) -> None:
    assert _refused("a" * 5000).endswith(" cannot be read: File name too long")


def test_unreadable(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "mine.yaml").write_text(TEXT)

    def denied(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", denied)
    assert _refused("mine.yaml") == "mine.yaml cannot be read: Permission denied"
