"""A trained language model, from Python."""

from pathlib import Path

import pytest
import torch

import saccade
from command import command
from saccade.errors import DataError, DecodingError, RunError
from saccade.evaluation.results import read_results
from saccade.runs import LanguageRun, compare_texts, load_translator
from tasks.texts import write_texts


@pytest.fixture(scope="module")
def language_run(tmp_path_factory: pytest.TempPathFactory) -> LanguageRun:
    place = tmp_path_factory.mktemp("language")
    done = command(
        *("train", "lstmn-lm", f"data.train={write_texts(place / 'my.txt', 60)}"),
        *("data.context=24", "tokenizer.kind=words", "model.dim=16", "model.layers=2", "model.dropout=0"),
        *("train.batch_tokens=96", "train.budget=6 steps", "train.warmup=2", "train.threads=1"),
        *("--run", str(place / "run")),
    )
    assert done.exit_code == 0, done.stderr
    run = saccade.load(place / "run")
    assert isinstance(run, LanguageRun)
    return run


def test_it_says_what_it_is(language_run: LanguageRun) -> None:
    assert language_run.layers == ("decoder.0.self", "decoder.1.self")
    assert repr(language_run).endswith(", lstmn-lm)")


def test_stories_of_scenes_are_a_test_set(language_run: LanguageRun) -> None:
    documents = language_run.documents("scenes:stories?size=3")
    assert [document.where for document in documents] == [f"scenes:stories test {number}" for number in (1, 2, 3)]


def test_look(language_run: LanguageRun) -> None:
    look = language_run.look("the red star is")
    assert look.target is None
    assert [one.layer for one in look.layers] == list(language_run.layers)
    assert look.clearest() is look.layers[-1]
    for one in look.layers:
        assert one.queries == one.keys == ("<s>", "the", "red", "star", "is")
        weights = one.weights_HQK[0]
        assert weights[0].sum() == 0
        torch.testing.assert_close(weights[1:].sum(-1), torch.ones(4))
        assert torch.equal(weights, weights.tril(-1))
    assert "the red star is" in look._repr_html_()
    with pytest.raises(DecodingError, match="there is nothing to look at in an empty text"):
        language_run.look(" ")


def test_a_look_changes_nothing(language_run: LanguageRun) -> None:
    before = language_run.continued("the red", most=5)
    language_run.look("the red star")
    assert language_run.continued("the red", most=5) == before
    assert 0 < len(before.split()) <= 5


def test_generate(language_run: LanguageRun) -> None:
    one = language_run.generate("the red", max_tokens=5, temperature=0)
    assert one.text.removeprefix(" ") == language_run.continued("the red", most=5)
    several = language_run.generate(["the red", "the blue"], max_tokens=5, tries=3, top_k=None)
    assert [(each.prompt, len(each.tries)) for each in several] == [("the red", 3), ("the blue", 3)]
    stopped = language_run.generate("the red", stop=" ", max_tokens=5, temperature=0)
    assert (stopped.text, stopped.tries[0].end) == (one.text.split(" ")[0], "stop")
    with pytest.raises(DecodingError, match="generate knows no setting 'heat'; it has max_tokens, seed, temperature"):
        language_run.generate("the red", heat=2)


def test_a_head_can_be_changed_while_a_text_is_written(language_run: LanguageRun) -> None:
    plain = language_run.generate("the red", max_tokens=5, temperature=0)
    with saccade.record(language_run, "decoder.0.self") as seen:
        assert language_run.generate("the red", max_tokens=5, temperature=0) == plain
        assert sum(call.shape[2] for call in seen["decoder.0.self"].calls) == 3 + len(plain.tries[0].tokens) - 1
        seen.edit("decoder.0.self", weights=0.0)
        other = language_run.generate("the red", max_tokens=5, temperature=0)
    assert other.tries[0].log_probability != plain.tries[0].log_probability
    assert language_run.generate("the red", max_tokens=5, temperature=0) == plain


def test_a_text_beyond_the_positions(language_run: LanguageRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language_run.model.embedding.positions, "max_length", 4)
    with pytest.raises(
        DecodingError, match=r"the text has 5 tokens, but the model's positions end at 4 with the start"
    ):
        language_run.look("the red star is red")


def test_evaluate(language_run: LanguageRun, tmp_path: Path) -> None:
    path = write_texts(tmp_path / "test.txt", 7)
    found = language_run.evaluate(path)
    assert len(found.documents) == len(found.read) == found.scores.documents == 7
    vocabulary = language_run.tokenizer.vocab_size
    assert f"|context:24|tokenizer:words.{vocabulary}|" in found.scores.perplexity.signature
    assert read_results(language_run.folder.path)[-1]["data"] == path
    assert compare_texts(found, found).difference == 0
    other = language_run.evaluate(write_texts(tmp_path / "other.txt", 6))
    with pytest.raises(DataError, match="two runs can only be compared on the same test documents"):
        compare_texts(found, other)
    with pytest.raises(DataError, match=r"the recipe names no data.test"):
        language_run.evaluate()


def test_it_does_not_translate(language_run: LanguageRun) -> None:
    with pytest.raises(RunError, match="was trained for task language-model, which does not translate"):
        load_translator(language_run.folder.path)
