import json
from pathlib import Path

import pytest

from command import SCENES, SMALL, command, refused
from tasks.parts import many_pairs, write_pairs


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_good_recipe(tmp_path: Path) -> None:
    done = command("check", "transformer-tiny", *SCENES, *SMALL, "--pairs", "300")
    assert done.exit_code == 0, done.stderr
    assert "recipe: transformer-tiny: every key is known and in its bounds" in done.stderr
    for word in ("examples, as the model reads them", "parameters", "padding", "target tokens/s", "GiB", "time:"):
        assert word in done.stdout
    assert "scenes:en-fr?size=3000: only the first 300 pairs were looked at; there are more" in done.stderr
    assert "floating-point operations an epoch of the part that was looked at\n" in done.stdout
    assert "for 30 epochs of the part that was looked at; of all data more, validation not counted" in done.stdout
    assert list(tmp_path.iterdir()) == []  # it writes nothing


def test_as_json() -> None:
    write_pairs(Path("pairs.tsv"), many_pairs(60))
    done = command("check", "transformer-tiny", "data.train=pairs.tsv", *SMALL, "--json")
    assert "were looked at" not in done.stderr
    facts = json.loads(done.stdout)
    assert facts["pairs"] + facts["valid"] == 60
    assert not facts["part_only"]
    assert facts["tokens_per_second"] > 0
    assert facts["seconds"] > 0
    assert facts["memory"] > 0
    assert len(facts["examples"]) == 3
    assert facts["vocabulary"][0] == facts["vocabulary"][1]


def test_json_tells_that_only_a_part_was_looked_at() -> None:
    write_pairs(Path("pairs.tsv"), many_pairs(60))
    done = command("check", "transformer-tiny", "data.train=pairs.tsv", *SMALL, "--pairs", "40", "--json")
    facts = json.loads(done.stdout)
    assert facts["part_only"]
    assert facts["pairs"] + facts["valid"] == 40


def test_a_part_need_not_have_the_whole_vocabulary() -> None:
    write_pairs(Path("pairs.tsv"), many_pairs(60))
    asked = ("check", "transformer-tiny", "data.train=pairs.tsv", *SMALL, "tokenizer.size=30000")
    assert "this text allows at most" in refused(*asked)
    done = command(*asked, "--pairs", "40", "--json")
    assert json.loads(done.stdout)["vocabulary"][0] < 30_000


def test_unknown_words_without_attention_to_copy_them_by() -> None:
    write_pairs(Path("pairs.tsv"), many_pairs(60))
    asked = ("data.train=pairs.tsv", "model.dim=16", "train.threads=1", "decode.replace_unknown=true")
    assert "set decode.replace_unknown=false, or train a model that has" in refused("check", "rnn-seq2seq", *asked)


def test_a_bad_recipe_shows_every_problem_at_once(tmp_path: Path) -> None:
    Path("mine.yaml").write_text(
        "task: translation\n"
        "data: {train: pairs.tsv}\n"
        "model: {preset: transformer-tin}\n"
        "train:\n  warmup_step: 3\n  lr: fast\n"
    )
    message = refused("check", "mine.yaml", "decode.beam=0")
    assert "mine.yaml: 4 problems" in message
    assert 'mine.yaml:3: model.preset: unknown preset "transformer-tin" (did you mean transformer-tiny?)' in message
    assert "mine.yaml:5: train.warmup_step: unknown key (did you mean train.warmup?)" in message
    assert 'mine.yaml:6: train.lr: expected a number, got "fast"' in message
    assert "decode.beam" in message


def test_bad_data() -> None:
    assert "gone.tsv: no such file" in refused("check", "transformer-tiny", "data.train=gone.tsv", *SMALL)
