"""`saccade` with language models, as a user meets it."""

import json
import re
from pathlib import Path

import pytest

from command import command, refused
from saccade.decoding import Generating
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
        "saccade view run",
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


GPT = ("model.heads=2", "model.layers=1", "model.max_length=32")


def written(*options: str, stdin: str = "") -> str:
    done = command("generate", "run", *options, stdin=stdin)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def test_generate() -> None:
    done = command("train", "gpt-mini", "data.train=my.txt", *QUICK, *GPT, WORDS, "--run", "run")
    assert 'saccade generate run --prompt "…"' in done.stderr
    shown = written("--prompt", "the red star", "--max-tokens", "5")
    assert shown.startswith("the red star ")
    assert shown.endswith("\n")
    assert written("--max-tokens", "5", stdin="the red star\n") == shown
    assert written("--prompt", "the red star", "--max-tokens", "5", "--seed", "2") != shown
    as_json = json.loads(written("--prompt", "the red star", "--max-tokens", "5", "--json"))
    assert as_json["prompt"] + as_json["tries"][0]["text"] + "\n" == shown
    assert as_json["tries"][0].keys() == {"text", "tokens", "log_probability", "end", "attempt", "score"}

    ranked = written("--prompt", "the", "--tries", "4", "--temperature", "1.2", "--top-k", "9", "--max-tokens", "6")
    scores = [float(score) for score in re.findall(r"^\d\. log p a token (-[\d.]+), \d tokens, ", ranked, re.MULTILINE)]
    assert len(scores) == 4
    assert scores == sorted(scores, reverse=True)
    two = written("--prompt", "the red", "--prompt", "the blue", "--temperature", "0", "--max-tokens", "3")
    assert re.fullmatch(r"the red [^\n]+\n\nthe blue [^\n]+\n", two)
    many = json.loads(written("--prompt", "the", "--tries", "9", "--stop", "e", "--top-p", "0.9", "--json"))
    assert any(each["end"] == "stop" for each in many["tries"])
    assert not any("e" in each["text"] for each in many["tries"])


def test_a_context_that_is_full_is_said_and_a_prompt_beyond_it_refused() -> None:
    command("train", "gpt-mini", "data.train=my.txt", *QUICK, *GPT, "tokenizer.kind=characters", "--run", "run")
    done = command("generate", "run", "--prompt", "the red", "--temperature", "0")
    ended = json.loads(written("--prompt", "the red", "--temperature", "0", "--json"))["tries"][0]["end"]
    assert ended == "context"
    assert "the text reached the end of the model's context of 32 tokens and went on no further" in done.stderr
    message = refused("generate", "run", "--prompt", 33 * "a")
    assert "prompt 1 has 34 tokens with the start mark, but the model's context ends at 32: give a shorter" in message
    assert refused("generate", "run", "--prompt", 33 * "a") == message
    assert command("generate", "run", "--prompt", 33 * "a").stdout == ""


def test_a_translator_does_not_go_on_with_a_text(translator: Path) -> None:
    message = refused("generate", str(translator), "--prompt", "a")
    assert "was trained for task translation, which does not go on with a text" in message


def test_what_generate_cannot_do() -> None:
    trained("rnn-lm")
    assert "would all be the same text" in refused(
        "generate", "run", "--prompt", "a", "--tries", "3", "--temperature", "0"
    )
    assert "standard input: not UTF-8 (byte 0xff at 2)" in refused("generate", "run", stdin=b"ab\xff")


def test_the_help_of_generate_tells_the_defaults() -> None:
    said = " ".join(re.sub(r"[│╭╮╰╯─]", " ", command("generate", "--help").stdout).split())
    settings = Generating()
    assert f"0 always takes the likeliest. Default: {settings.sampling.temperature}." in said
    assert f"rank them by likelihood. Default: {settings.tries}." in said
    assert f"the same texts. Default: {settings.seed}." in said
    assert f"Most tokens of a text. Default: {settings.max_tokens}." in said


def test_check_shows_what_the_model_reads() -> None:
    done = command("check", "rnn-lm", "data.train=my.txt", *QUICK, WORDS, "--pairs", "40")
    assert done.exit_code == 0, done.stderr
    assert "my.txt: only the first 40 documents were looked at; there are more" in done.stderr
    assert "the·red·star·number·0·is" in done.stdout
    assert " training documents of the part that was looked at, " in done.stdout
    assert "tokens/s" in done.stdout


def test_what_language_models_do_not_do() -> None:
    assert " view " not in trained("rnn-lm"), "what is refused is not proposed either"
    assert "rnn-lm has no attention to look at" in refused("view", "run", "the red star")
    assert "was trained for task language-model, which does not translate" in refused("translate", "run", stdin="a\n")
    assert "was trained for task language-model, which does not translate" in refused("export", "run")
    assert "--target and --to are for translators" in refused("view", "run", "a", "--target", "b")
    assert "--beam is for translators" in refused("evaluate", "run", "--data", "my.txt", "--beam", "2")
    assert "--consensus is for captioners" in refused("evaluate", "run", "--data", "my.txt", "--consensus")
    assert "captioners and language models are evaluated one at a time" in refused(
        "evaluate", "run", "run", "--data", "my.txt"
    )
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
