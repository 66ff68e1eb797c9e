"""The other engine, with our weights, writes what ours writes."""

import builtins
from pathlib import Path
from typing import Any

import pytest

from command import command, refused
from saccade.data.tokenizers import Tokenizer, train_tokenizer
from saccade.errors import DecodingError, ModelError
from saccade.interop.ctranslate2 import CTranslate2Engine, export_ctranslate2
from saccade.models import Seq2Seq, Vocabulary, build_model
from saccade.runs import EngineRun, Run, load

TEXTS = [
    "the four birds are not grey",
    "",
    "a small red circle is left of two blue squares",
    "I see that a woman wears a grey shirt",
    "   ",
    "two big dogs",
]
SMALL = {"dim": 32, "heads": 4, "ff_dim": 48, "encoder_layers": 2, "decoder_layers": 3, "dropout": 0.0}


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return train_tokenizer(["the cat sat on the mat and saw another cat"] * 3, kind="words")


def model(tokenizer: Tokenizer, **options: object) -> Seq2Seq:
    built = build_model(
        "transformer-tiny", {**SMALL, **options}, Vocabulary(tokenizer.vocab_size, tokenizer.vocab_size, True)
    )
    assert isinstance(built, Seq2Seq)
    return built.eval()


@pytest.mark.parametrize("beam", [1, 5])
def test_a_trained_run_translates_alike(run: Run, beam: int) -> None:
    ours = run.translate(TEXTS, beam=beam)
    theirs = EngineRun(run).translate(TEXTS, beam=beam)
    assert [one.text for one in theirs] == [one.text for one in ours]
    assert [one.candidates[0].score for one in theirs] == pytest.approx(
        [one.candidates[0].score for one in ours], abs=1e-4
    )
    assert all(one.finished for one in theirs)


@pytest.mark.parity
@pytest.mark.parametrize(
    "options",
    [
        {"norm": "post"},
        {"activation": "gelu"},
        {"activation": "gelu-tanh"},
        {"activation": "swish", "norm": "post"},
        {"positions": "learned", "max_length": 64},
        {"positions": "none"},
        {"embeddings": "separate"},
    ],
    ids=str,
)
def test_every_kind_of_transformer_scores_alike(options: dict[str, object], tokenizer: Tokenizer) -> None:
    """Random weights: the best hypothesis of a wide beam and its score agree."""
    from saccade.tasks.translator import DecodeSettings, Member, Tokenizers, Translator

    built = model(tokenizer, **options)
    ours = Translator([Member(built, Tokenizers(tokenizer, tokenizer))]).translate(
        ["the cat sat", "another mat"], DecodeSettings(beam=4, max_length=12)
    )
    engine = CTranslate2Engine(built, tokenizer, tokenizer, threads=1)
    ids = tokenizer.encode_batch(["the cat sat", "another mat"])
    theirs = engine.translate(ids, beam=4, length_penalty=1.0, max_length=12)
    for one, other in zip(ours, theirs, strict=True):
        if one.finished and other[0].finished:
            assert tokenizer.decode(other[0].tokens) == one.text
            assert other[0].score == pytest.approx(one.candidates[0].score, abs=1e-4)
        else:
            assert one.finished == other[0].finished


def test_what_the_engine_cannot_do(tokenizer: Tokenizer, tmp_path: Path) -> None:
    for options, message in (
        ({"score": "additive"}, "only the score scaled-dot"),
        ({"score": "dot"}, "only the score scaled-dot"),
        ({"window": 3}, "does not know restricted attention"),
        ({"experts": 3}, "does not know mixtures of experts: model.experts must be null"),
        ({"combine": "concatenate", "embeddings": "separate"}, "does not know concatenated positions"),
    ):
        with pytest.raises(ModelError, match=message):
            export_ctranslate2(model(tokenizer, **options), tokenizer, tokenizer, tmp_path)
    recurrent = build_model("rnn-dot", {"dim": 8}, Vocabulary(tokenizer.vocab_size, tokenizer.vocab_size, True))
    assert isinstance(recurrent, Seq2Seq)
    with pytest.raises(ModelError, match="knows Transformers, and this model has a RecurrentEncoder"):
        export_ctranslate2(recurrent, tokenizer, tokenizer, tmp_path)


def test_without_the_library(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith("ctranslate2"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(DecodingError, match=r'this needs CTranslate2: pip install "saccade\[export\]"'):
        EngineRun(run)


def test_from_the_command_line(translator: Path, tmp_path: Path) -> None:
    import ctranslate2

    done = command("export", str(translator), "--precision", "int8", "--output", str(tmp_path / "out"))
    assert done.exit_code == 0, done.stderr
    assert ctranslate2.contains_model(str(tmp_path / "out"))
    lines = "two big dogs\n\na red star\n"
    ours = command("translate", str(translator), stdin=lines)
    for engine in ("ctranslate2", "ctranslate2-int8"):
        theirs = command("translate", str(translator), "--engine", engine, stdin=lines)
        assert theirs.exit_code == 0, theirs.stderr
        assert len(theirs.stdout.splitlines()) == 3
        assert theirs.stdout.splitlines()[1] == ""
    float32 = command("translate", str(translator), "--engine", "ctranslate2", stdin=lines)
    assert float32.stdout == ours.stdout
    nbest = command("translate", str(translator), "--engine", "ctranslate2", "--nbest", "2", stdin="two big dogs\n")
    assert len(nbest.stdout.splitlines()) == 2


def test_no_ensembles(translator: Path, tuned: Path) -> None:
    message = refused("translate", str(translator), str(tuned), "--engine", "ctranslate2", stdin="x\n")
    assert "CTranslate2 decodes one run, not an ensemble" in message


def test_an_unknown_engine(translator: Path) -> None:
    assert load(translator)
    done = command("translate", str(translator), "--engine", "magic", stdin="x\n")
    assert done.exit_code == 2
