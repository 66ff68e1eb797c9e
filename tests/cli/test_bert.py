"""What the verbs for BERTs do and refuse, on models of random weights."""

from pathlib import Path

from command import command

BERT = (
    *("model.dim=16", "model.heads=2", "model.layers=1", "model.ff_dim=16", "model.max_length=32", "model.dropout=0"),
    *("data.max_length=32", "train.threads=1", "train.workers=1", "train.warmup=1", "train.budget=1 steps"),
)


def test_plain_tags_are_learned_and_scored_word_by_word(tmp_path: Path) -> None:
    data = tmp_path / "pos.txt"
    data.write_text("".join(f"the DET\ndog{n} NOUN\nruns VERB\n\n" for n in range(12)), encoding="utf-8")
    run = str(tmp_path / "pos")
    tags = ("task=tagging", "data.tags=plain", f"data.train={data}", f"data.valid={data}")
    done = command("train", "bert-mini", *tags, *BERT, "--run", run)
    assert done.exit_code == 0, (done.stderr, done.exception)
    assert "labels: DET, NOUN, VERB" in done.stderr
    done = command("evaluate", run, "--data", str(data))
    assert done.exit_code == 0, done.stderr
    (score,) = done.stdout.splitlines()[1:]
    assert score.startswith("word accuracy")
    assert " to " in score
    assert "sentences:12|bs:1000" in score
