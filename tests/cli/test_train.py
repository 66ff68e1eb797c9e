"""`saccade train` on good and on bad input, as a user meets it."""

import json
from pathlib import Path

import pytest

from command import SMALL, TRANSLATOR, command, process, refused
from saccade.training.folder import RunFolder
from tasks.parts import many_pairs, write_pairs

QUICK = (*SMALL, "train.budget=2 steps", "train.warmup=2")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def no_training(*arguments: str) -> str:
    """The message of a training that could not begin, and leaves no run folder behind."""
    message = refused("train", "transformer-tiny", *arguments, "--run", "run")
    assert not Path("run").exists()
    return message


def test_from_a_table_to_a_model_without_any_yaml(tmp_path: Path) -> None:
    write_pairs(Path("pairs.tsv"), many_pairs(60))
    done = process("train", "transformer-tiny", "data.train=pairs.tsv", *QUICK, cwd=tmp_path)
    said = done.stderr.decode()
    assert done.returncode == 0, said
    assert "train: pairs.tsv: read 60 pairs, kept all" in said
    assert "report: runs/transformer-tiny-1/report.html" in said
    run = tmp_path / "runs" / "transformer-tiny-1"
    for name in (
        "recipe.yaml",
        "tokenizer.json",
        "model.safetensors",
        "last",
        "metrics.jsonl",
        "report.html",
        "samples",
    ):
        assert (run / name).exists(), name
    translated = process("translate", str(run), cwd=tmp_path, stdin=b"sentence number 4\n\nof many\n")
    assert translated.returncode == 0
    assert translated.stdout.count(b"\n") == 3
    again = command("train", "transformer-tiny", "data.train=pairs.tsv", *QUICK)
    assert "run: runs/transformer-tiny-2" in again.stderr


def test_a_very_long_line_is_dropped_and_said() -> None:
    pairs = many_pairs(60)
    lines = [f"{pair.source}\t{pair.target}\n" for pair in pairs]
    lines.insert(30, f"{'x' * 100_000}\t{'y' * 100_000}\n")
    Path("pairs.tsv").write_text("".join(lines))
    done = command("train", "transformer-tiny", "data.train=pairs.tsv", *QUICK, "--run", "run")
    assert done.exit_code == 0, done.stderr
    report = (
        "read 61 pairs, kept 60; dropped 1 too long (first: pairs.tsv:31, source of 100,000 characters, limit 5,000)"
    )
    assert report in done.stderr


def test_unequal_line_counts() -> None:
    Path("a.en").write_text("one\ntwo\nthree\n")
    Path("a.de").write_text("eins\nzwei\n")
    message = no_training("data.train=a.{en,de}", *QUICK)
    assert message.endswith("saccade: a.en has 3 lines, a.de has 2: parallel files must have equal length\n")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "pairs.tsv is empty: expected at least one line"),
        (b"one\teins\nt\xffwo\tzwei\n", "pairs.tsv:2: not UTF-8: byte 0xff at byte offset 1 of the line"),
        (b"one\teins\nt\0wo\tzwei\n", "pairs.tsv:2: holds a NUL byte: this is not a text file, or it is damaged"),
        (b"\n\n \t \n\n", "pairs.tsv: only blank lines: none of 4 pairs has text on both sides"),
        (b"one\teins\ntwo\n", "pairs.tsv:2: 1 column, expected 2"),
    ],
)
def test_bad_files(content: bytes, message: str) -> None:
    Path("pairs.tsv").write_bytes(content)
    assert message in no_training("data.train=pairs.tsv", *QUICK)


def test_a_missing_file() -> None:
    write_pairs(Path("pairs.tsv"), many_pairs(3))
    message = no_training("data.train=pears.tsv", *QUICK)
    assert "pears.tsv: no such file (did you mean pairs.tsv?)" in message


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("train.warmup_step=3", "train.warmup_step: unknown key (did you mean train.warmup?)"),
        ("train.patience=soon", 'train.patience: expected a whole number, got "soon"'),
        ("model.dimension=3", "model.dimension: unknown key"),
        ("train.schedule=cosin", "(did you mean cosine?)"),
    ],
)
def test_bad_keys_and_values(wrong: str, message: str) -> None:
    assert message in no_training("data.train=pairs.tsv", *QUICK, wrong)


def test_an_unknown_preset() -> None:
    message = refused("train", "transformer-tinny", "data.train=pairs.tsv")
    assert 'no recipe "transformer-tinny"' in message
    assert "did you mean transformer-tiny?" in message


def test_a_width_that_heads_cannot_share() -> None:
    write_pairs(Path("pairs.tsv"), many_pairs(60))
    wrong = [o.replace("model.heads=2", "model.heads=3") for o in QUICK]
    message = no_training("data.train=pairs.tsv", *wrong)
    assert "model.heads: model.dim 32 is not divisible by 3 heads" in message
    done = command("train", "transformer-tiny", "data.train=pairs.tsv", *QUICK, "--run", "run")
    assert done.exit_code == 0  # mended, the same command goes through


def test_a_vocabulary_larger_than_the_text_allows() -> None:
    write_pairs(Path("pairs.tsv"), many_pairs(60))
    message = no_training("data.train=pairs.tsv", *QUICK, "tokenizer.size=30000")
    assert "tokenizer.size 30,000: this text allows at most " in message


def test_longer_than_the_positions_allow() -> None:
    write_pairs(Path("pairs.tsv"), many_pairs(60))
    learned = [*QUICK, "model.positions=learned", "model.max_length=40"]
    done = command(
        "train", "transformer-tiny", "data.train=pairs.tsv", *learned, "tokenizer.kind=words", "--run", "run"
    )
    assert done.exit_code == 0, done.stderr
    message = refused("translate", "run", stdin=f"short\n\n{'word ' * 50}\n")
    assert message.startswith("saccade: text 3 has ")
    assert "tokens, but the model's positions end at 40 with the end mark: split it into shorter texts" in message
    kept = command("translate", "run", stdin="sentence number 4\n\n")
    assert kept.stdout.endswith("\n\n")


def test_a_run_folder_that_is_in_the_way(translator: Path) -> None:
    message = refused("train", "transformer-tiny", *TRANSLATOR, "--run", str(translator))
    assert f"{translator} already holds a run: go on with `saccade resume {translator}`" in message
    Path("notes").mkdir()
    Path("notes/a.txt").write_text("mine")
    assert "exists and is not a run folder" in refused("train", "transformer-tiny", *TRANSLATOR, "--run", "notes")
    assert Path("notes/a.txt").read_text() == "mine"


def test_two_trainings_in_one_folder(translator: Path) -> None:
    before = (translator / "recipe.yaml").read_text()
    with RunFolder.open(translator).training():
        said = process("resume", str(translator), "train.budget=50 epochs", cwd=Path.cwd())
    assert said.returncode == 2
    assert f"saccade: {translator} is in use: another training writes into it\n" in said.stderr.decode()
    assert (translator / "recipe.yaml").read_text() == before


def test_resuming_what_is_done_changes_nothing(translator: Path) -> None:
    before = (translator / "model.safetensors").read_bytes(), (translator / "metrics.jsonl").read_bytes()
    done = command("resume", str(translator))
    assert done.exit_code == 0, done.stderr
    assert "done (8 epochs): best at step" in done.stderr
    assert ((translator / "model.safetensors").read_bytes(), (translator / "metrics.jsonl").read_bytes()) == before


def test_the_last_words_name_the_best_validation(translator: Path) -> None:
    rows = [json.loads(line) for line in (translator / "metrics.jsonl").read_text().splitlines()]
    best = max((row for row in rows if row["kind"] == "valid"), key=lambda row: (row["score"], -row["loss"]))
    said = command("resume", str(translator)).stderr
    assert f"best at step {best['step']:,}, validation loss {best['loss']:.3f}, BLEU {best['bleu']:.1f}" in said
