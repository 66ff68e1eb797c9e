"""A small BERT is pretrained through the command line and fine-tuned for each kind of answer, each to a threshold."""

import json
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import transformers

from command import command, process, refused
from saccade.evaluation.results import read_results

pytestmark = pytest.mark.learning

COLOURS = ("red", "blue", "green", "white")
ANIMALS = ("dog", "cat", "bird", "horse")
PLACES = ("Paris", "Rome", "Oslo", "Lima")
SMALL = (
    *("model.dim=48", "model.heads=4", "model.layers=2", "model.ff_dim=96"),
    *("model.dropout=0", "model.attention_dropout=0", "train.threads=1"),
)


def story(dice: random.Random) -> list[str]:
    """Every line speaks of the same animal in the same colour and place."""
    colour, animal, place = dice.choice(COLOURS), dice.choice(ANIMALS), dice.choice(PLACES)
    lines = [
        f"there was a {colour} {animal} in {place} .",
        f"the {animal} was {colour} .",
        f"in {place} lived the {colour} {animal} .",
        f"nobody in {place} saw a {animal} .",
    ]
    dice.shuffle(lines)
    return lines


def write_stories(path: Path, count: int, seed: int) -> str:
    dice = random.Random(seed)
    path.write_text("\n\n".join("\n".join(story(dice)) for _ in range(count)) + "\n", encoding="utf-8")
    return path.name


@cache
def pretrained_in(place: Path) -> Path:
    train, valid = write_stories(place / "train.txt", 800, 1), write_stories(place / "valid.txt", 60, 2)
    done = process(
        *(
            "train",
            "bert-mini",
            f"data.train={train}",
            f"data.valid={valid}",
            "data.context=40",
            "model.max_length=64",
            *SMALL,
        ),
        *("train.budget=30 epochs", "train.batch_tokens=1024", "train.lr=4e-3", "train.warmup=100"),
        *("train.validate_every=10 epochs", "--run", "bert"),
        cwd=place,
        timeout=400,
    )
    assert done.returncode == 0, done.stderr.decode()
    return place / "bert"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bert")


@pytest.fixture(scope="module")
def bert(place: Path) -> Path:
    return pretrained_in(place)


def last_validation(run: Path) -> dict[str, float]:
    rows = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    found: dict[str, float] = [row for row in rows if row["kind"] == "valid"][-1]
    return found


def test_hidden_words_are_found_and_followers_told(bert: Path) -> None:
    scores = last_validation(bert)
    assert scores["masked_accuracy"] > 70
    assert scores["next_accuracy"] > 80
    assert (bert / "report.html").exists()


def test_fill(bert: Path, tmp_path: Path) -> None:
    text = "the [MASK] was red . there was a red horse in Oslo ."
    done = command("fill", str(bert), text, "--view", str(tmp_path / "gap.html"))
    assert done.exit_code == 0, done.stderr
    assert done.stdout.splitlines()[0] == "the horse was red . there was a red horse in Oslo ."
    assert "[MASK]" in (tmp_path / "gap.html").read_text()
    found = json.loads(command("fill", str(bert), text, "--best", "2", "--json").stdout)
    assert len(found["gaps"][0]) == 2
    assert found["gaps"][0][0]["probability"] >= found["gaps"][0][1]["probability"]
    assert "there is no [MASK] in 'the dog'" in refused("fill", str(bert), "the dog")
    assert "expected 1 to" in refused("fill", str(bert), text, "--best", "0")
    assert "tokens with its marks, the model reads 64" in refused("fill", str(bert), "[MASK] " + "dog " * 70)


def test_view_of_a_pair(bert: Path, tmp_path: Path) -> None:
    page = tmp_path / "pair.html"
    done = command("view", str(bert), "the dog was red .", "--second", "a dog in Rome .", "--output", str(page))
    assert done.exit_code == 0, done.stderr
    assert "encoder.1.self" in page.read_text()


@pytest.mark.parametrize("ending", ["npz", "jsonl", "parquet"])
@pytest.mark.parametrize("of", ["sentences", "words"])
def test_embed(bert: Path, tmp_path: Path, of: str, ending: str) -> None:
    out = tmp_path / f"vectors.{ending}"
    texts = "the dog was red .\na cat\n"
    layers = ("--layers", "last2", "--combine", "concatenate")
    done = command("embed", str(bert), str(out), "--of", of, *layers, stdin=texts)
    assert done.exit_code == 0, done.stderr
    expected = 2 if of == "sentences" else 7
    assert f"{expected} vectors" in done.stderr
    if ending == "npz":
        assert np.load(out)["vectors"].shape == (expected, 96)
    elif ending == "jsonl":
        assert [len(json.loads(line)["vector"]) for line in out.read_text().splitlines()] == [96] * expected
    else:
        import pyarrow.parquet

        assert len(pyarrow.parquet.read_table(out)["vector"][0]) == 96


def test_what_cannot_be_embedded(bert: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "v.npz")
    assert "vectors are written as .parquet, .npz, .jsonl" in refused("embed", str(bert), "v.txt", stdin="a dog")
    assert "the input is empty" in refused("embed", str(bert), out, stdin="")
    assert "text 2 is empty" in refused("embed", str(bert), out, stdin="a dog\n\n")
    assert "expected last, last4, all, or numbers" in refused("embed", str(bert), out, "--layers", "x", stdin="a dog")
    assert "layer 7: this model has 0 (its embeddings) to 2" in refused(
        "embed", str(bert), out, "--layers", "7", stdin="a"
    )


def labelled(place: Path, name: str, line: Callable[[random.Random], str], header: str, count: int) -> str:
    dice = random.Random(name)
    path = place / name
    path.write_text(header + "".join(line(dice) for _ in range(count)), encoding="utf-8")
    return str(path)


def second_colour(dice: random.Random) -> str:
    """A pair of which the second text alone decides."""
    one, other = dice.choice(COLOURS), dice.choice(COLOURS)
    label = "dark" if other in COLOURS[1:3] else "light"
    return f"the {dice.choice(ANIMALS)} was {one} .\ta {other} {dice.choice(ANIMALS)} .\t{label}\n"


def animals_counted(dice: random.Random) -> str:
    words = dice.choices((*ANIMALS, *COLOURS), k=5)
    return f"{' '.join(words)} .\t{sum(word in ANIMALS for word in words) / 2}\n"


def tagged(dice: random.Random) -> str:
    words = f"{dice.choice(ANIMALS)} in {dice.choice(PLACES)} saw Unseenville{dice.randrange(3)}".split()
    return f"{words[0]} O\n{words[1]} O\n{words[2]} B-LOC\n{words[3]} O\n{words[4]} B-NEW\n\n"


def tuned(place: Path, bert: Path, name: str, *arguments: str) -> Path:
    run = place / name
    done = process(
        *("train", *arguments, "data.max_length=60", "train.threads=1", "train.batch_tokens=512", "train.lr=1e-3"),
        *("train.warmup=20", "--run", str(run), "--init-from", str(bert)),
        cwd=place,
        timeout=400,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert b"begun with other weights, but new:" in done.stderr
    return run


def test_a_classifier_of_pairs(place: Path, bert: Path, tmp_path: Path) -> None:
    header = "sentence1\tsentence2\tlabel\n"
    train = labelled(place, "colours.tsv", second_colour, header, 600)
    test = labelled(place, "colours-test.tsv", second_colour, header, 100)
    run = tuned(
        place, bert, "colours", "bert-mini", "task=classification", f"data.train={train}", "train.budget=5 epochs"
    )
    done = command("evaluate", str(run), "--data", test, "--output", str(tmp_path / "said.txt"))
    assert done.exit_code == 0, done.stderr
    scores = {score["name"]: score["value"] for score in read_results(run)[-1]["scores"]}
    assert scores["accuracy"] > 90
    assert {"accuracy", "Matthews correlation", "F1"} == scores.keys()
    assert len((tmp_path / "said.txt").read_text().splitlines()) == 100
    assert read_results(run)[-1]["sentences"] == 100
    said = command("classify", str(run), "the dog was red .", "a red cat .").stdout
    assert said.startswith("light  ")
    both = command("classify", str(run), "--json", stdin="a red dog .\ta blue cat .\na cat .\ta white dog .\n").stdout
    assert [json.loads(line)["label"] for line in both.splitlines()] == ["dark", "light"]
    assert "some lines are pairs" in refused("classify", str(run), stdin="a\tb\nc\n")
    assert "line 2 is empty" in refused("classify", str(run), stdin="a\n\n")
    assert "is for translators" in refused("evaluate", str(run), "--data", test, "--beam", "2")
    bad = tmp_path / "bad.tsv"
    bad.write_text(header + "a dog\ta cat\tperhaps\n")
    assert 'unknown label "perhaps"' in refused("evaluate", str(run), "--data", str(bad))
    assert "gives no labels" in refused("classify", str(bert), "a")
    assert "only a pretrained BERT fills gaps" in refused("fill", str(run), "a [MASK]")


def test_a_number_for_each_text(place: Path, bert: Path) -> None:
    train = labelled(place, "counts.tsv", animals_counted, "text\tscore\n", 600)
    test = labelled(place, "counts-test.tsv", animals_counted, "text\tscore\n", 100)
    arguments = ("task=regression", f"data.train={train}", "train.budget=6 epochs", "model.pool=mean")
    run = tuned(place, bert, "counts", "bert-mini", *arguments)
    assert "pool: mean" in (run / "recipe.yaml").read_text()  # over what the pretrained run says
    assert command("evaluate", str(run), "--data", test).exit_code == 0
    assert read_results(run)[-1]["scores"][0]["value"] > 90
    number = float(command("classify", str(run), "dog dog cat red blue .").stdout)
    assert number == pytest.approx(1.5, abs=0.5)


def test_a_tagger_of_words(place: Path, bert: Path) -> None:
    train = labelled(place, "places.txt", tagged, "", 400)
    test = labelled(place, "places-test.txt", tagged, "", 60)
    run = tuned(place, bert, "places", "bert-mini", "task=tagging", f"data.train={train}", "train.budget=8 epochs")
    done = command("evaluate", str(run), "--data", test)
    assert done.exit_code == 0, done.stderr
    assert "entity F1" in done.stdout
    assert read_results(run)[-1]["scores"][0]["value"] > 95
    assert command("classify", str(run), "dog in Rome saw Unseenville1").stdout == (
        "dog/O  in/O  Rome/B-LOC  saw/O  Unseenville1/B-NEW\n"
    )


def test_what_cannot_be_learned(place: Path, bert: Path, tmp_path: Path) -> None:
    def message(text: str, *more: str) -> str:
        path = tmp_path / "data.tsv"
        path.write_text(text)
        return refused("train", "bert-mini", "task=classification", f"data.train={path}", "data.holdout=0.4", *more)

    assert "a classifier needs two classes" in message("text\tlabel\n" + "".join(f"a {i}\tyes\n" for i in range(20)))
    assert "no column for the label" in message("text\tcolour\na dog\tred\n")
    assert 'no column or key "verdict"' in message("text\tcolour\na dog\tred\n", "data.label=verdict")
    assert "has no bleu" in message("text\tlabel\na\tb\n", "train.metric=bleu")
    del bert, place


def test_back_and_forth_through_hugging_face(bert: Path, tmp_path: Path) -> None:
    done = command("export", str(bert), "--to", "huggingface", "--output", str(tmp_path / "theirs"))
    assert done.exit_code == 0, done.stderr
    assert transformers.AutoModelForMaskedLM.from_pretrained(tmp_path / "theirs").config.hidden_size == 48
    done = command("import", "huggingface", str(tmp_path / "theirs"), "--run", str(tmp_path / "back"))
    assert done.exit_code == 0, done.stderr
    text = "the [MASK] was red . there was a red horse in Oslo ."
    assert command("fill", str(tmp_path / "back"), text).stdout == command("fill", str(bert), text).stdout
    assert "no such folder" in refused("import", "huggingface", str(tmp_path / "gone"))
    assert "is for CTranslate2" in refused("export", str(bert), "--to", "huggingface", "--precision", "int8")


@pytest.mark.parametrize(("size", "known"), [(400, True), (20, False)])
def test_on_stories_it_is_said_what_could_be_known(place: Path, size: int, known: bool) -> None:
    """Not where the tokenizer cuts words into pieces: the grammar speaks of words."""
    run = place / f"stories-{size}"
    data = (f"data.train=scenes:stories?size={size}", "data.valid=scenes:stories?size=10", "data.context=96")
    done = command(
        "train", "bert-mini", *data, *SMALL, "model.max_length=96", "train.budget=1 steps", "--run", str(run)
    )
    assert done.exit_code == 0, done.stderr
    done = command("evaluate", str(run), "--data", "scenes:stories?size=12")
    assert done.exit_code == 0, done.stderr
    assert ("a reader who knew the grammar would find" in done.stdout) == known
    assert "hidden words" in done.stdout
    if known:
        ideal = json.loads(command("evaluate", str(run), "--data", "scenes:stories?size=12", "--json").stdout)["ideal"]
        assert 60 < ideal["words"] < 100
        assert 90 < ideal["pairs"] <= 100
