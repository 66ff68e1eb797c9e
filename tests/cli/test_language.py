"""`saccade` with language models, as a user meets it."""

import json
from pathlib import Path

import pytest

from command import command, refused
from tasks.texts import sentence, write_texts

QUICK = (
    *("data.context=24", "model.dim=16", "model.dropout=0.1", "train.batch_tokens=96", "train.budget=6 steps"),
    *("train.warmup=2", "train.threads=1", "train.log_every=2"),
)
WORDS = "tokenizer.kind=words"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_texts(Path("my.txt"), 60)


def trained(preset: str = "lstmn-lm", tokenizer: str = WORDS) -> str:
    done = command("train", preset, "data.train=my.txt", *QUICK, tokenizer, "--run", "run")
    assert done.exit_code == 0, done.stderr
    return done.stderr


def test_from_a_text_to_a_model_without_any_yaml() -> None:
    said = trained(tokenizer="tokenizer.kind=characters")
    for words in (
        "documents held out of train",
        "tokenizer: characters, ",
        "model: lstmn-lm, ",
        "bits per byte",
        "report: run",
    ):
        assert words in said
    assert "BLEU" not in said
    assert "translate" not in said
    for name in ("recipe.yaml", "tokenizer.json", "model.safetensors", "last", "metrics.jsonl", "report.html"):
        assert (Path("run") / name).exists(), name
    rows = [json.loads(line) for line in Path("run/metrics.jsonl").read_text().splitlines()]
    valid = [row for row in rows if row["kind"] == "valid"]
    assert valid[-1]["metric"] == "loss"
    assert valid[-1]["score"] == -valid[-1]["loss"]
    assert {"perplexity", "bits_per_byte", "bits_per_character"} <= valid[-1].keys()
    assert "Samples" in Path("run/report.html").read_text()


def test_evaluate_and_compare() -> None:
    trained()
    write_texts(Path("test.txt"), 9)
    done = command("evaluate", "run", "--data", "test.txt", "--json")
    assert done.exit_code == 0, done.stderr
    result = json.loads(done.stdout)
    assert [score["name"] for score in result["scores"]] == ["perplexity", "bits per byte", "bits per character"]
    assert all(score["interval"]["low"] <= score["value"] <= score["interval"]["high"] for score in result["scores"])
    assert (result["sentences"], result["unit"], result["data"]) == (9, "documents", "test.txt")
    kept = json.loads(Path("run/results.json").read_text())["results"]
    assert len(kept) == 1
    done = command("evaluate", "run", "--data", "test.txt", "--against", "run")
    assert "test.txt: 9 documents" in done.stdout
    assert "difference +0.000 (+0.000 to +0.000), p = 1.000" in done.stdout


def test_unknown_words_are_said() -> None:
    trained()
    Path("test.txt").write_text("the purple star\n")
    done = command("evaluate", "run", "--data", "test.txt")
    assert "no bits per byte: the text has words that the vocabulary has not (tokenizer.kind words)" in done.stdout


def test_view_prints_which_earlier_words_each_word_looked_at() -> None:
    trained()
    done = command("view", "run", "the red star is", "--output", "a.html")
    assert done.exit_code == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "<s>"  # nothing before it
    assert lines[1].split() == ["the", "<s>", "1.00"]
    assert [line.split()[0] for line in lines] == ["<s>", "the", "red", "star", "is"]
    assert sum(float(number) for number in lines[3].split()[2::2]) == pytest.approx(1, abs=0.02)
    page = Path("a.html").read_text()
    assert "decoder.0.self" in page
    assert "<dt>Text</dt><dd>the red star is</dd>" in page
    assert command("view", "run", sentence(3), "--output", "a.png").exit_code == 0


def test_check_shows_what_the_model_reads() -> None:
    done = command("check", "rnn-lm", "data.train=my.txt", *QUICK, WORDS, "--pairs", "40")
    assert done.exit_code == 0, done.stderr
    assert "my.txt: only the first 40 documents were looked at; there are more" in done.stderr
    assert "the·red·star·number·0·is" in done.stdout
    assert " training documents, " in done.stdout
    assert "tokens/s" in done.stdout


def test_what_language_models_do_not_do() -> None:
    trained("rnn-lm")
    assert "rnn-lm has no attention to look at" in refused("view", "run", "the red star")
    assert "was trained for task language-model, which does not translate" in refused("translate", "run", stdin="a\n")
    assert "was trained for task language-model, which does not translate" in refused("export", "run")
    assert "a language model reads one text: --target and --to are for translators" in refused(
        "view", "run", "a", "--target", "b"
    )
    assert "--beam is for translators" in refused("evaluate", "run", "--data", "my.txt", "--beam", "2")
    assert "language models are evaluated one at a time" in refused("evaluate", "run", "run", "--data", "my.txt")
    assert "the recipe names no data.test" in refused("evaluate", "run")


def test_what_cannot_be_trained() -> None:
    message = refused("train", "rnn-lm", "data.train=my.txt", "train.metric=bleu", "data.source=en")
    assert "rnn-lm: 2 problems" in message
    assert "train.metric: task language-model has no bleu; expected loss" in message
    assert "unknown kind of file" in refused("train", "rnn-lm", "data.train=pairs.tsv", *QUICK)
    assert "a row has data.context 24 tokens, more than a whole batch of 10" in refused(
        "train", "rnn-lm", "data.train=my.txt", *(o.replace("tokens=96", "tokens=10") for o in QUICK)
    )
    assert not Path("runs").exists() or not list(Path("runs").iterdir())
