from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
import torch

from saccade.attention import record
from saccade.data.batches import pad
from saccade.data.examples import Pair
from saccade.errors import DecodingError
from saccade.models import Seq2Seq, Vocabulary, build_model
from saccade.tasks.corpus import CorpusSettings
from saccade.tasks.translation import TranslationBatch, translation_loss
from saccade.tasks.translator import DecodeSettings, Member, Tokenizers, Translator
from tasks.parts import PAIRS, many_pairs, model_for, prepared, task_for, tokenizers_for, write_pairs

COLOURS = {"red": "rouge", "blue": "bleu", "green": "vert", "white": "blanc", "black": "noir"}
TEXTS = ["the red star", "a\tsmall Zürich tree", "the blue ball", "green"]


STEPS = 300


def colours_and_names(random: Random) -> Pair:
    """A row of colours and of names that no vocabulary holds; the translation keeps their order."""
    words = [
        random.choice([*COLOURS]) if random.random() < 0.6 else f"Name{random.randrange(10**6)}"
        for _ in range(random.randint(4, 8))
    ]
    return Pair(" ".join(words), " ".join(COLOURS.get(word, word) for word in words))


@pytest.fixture(scope="module")
def colour_tokenizers() -> Tokenizers:
    return tokenizers_for([*COLOURS, *COLOURS.values()])


@pytest.fixture(scope="module")
def trained(colour_tokenizers: Tokenizers) -> Member:
    """A Transformer that has learned to translate the colours and to write ``<unk>`` for a name."""
    torch.manual_seed(1)
    tokenizer, random = colour_tokenizers.source, Random(1)
    model = model_for(colour_tokenizers, dim=32, decoder_layers=1, ff_dim=64)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    decay = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, STEPS)
    for _ in range(STEPS):
        pairs = [colours_and_names(random) for _ in range(32)]
        sources, targets = (tokenizer.encode_batch([getattr(p, side) for p in pairs]) for side in ("source", "target"))
        batch = TranslationBatch(
            pad(sources, 0, suffix=[tokenizer.eos_id]),
            pad(targets, 0, prefix=[tokenizer.bos_id]),
            pad(targets, 0, suffix=[tokenizer.eos_id]),
        )
        loss = translation_loss(model, batch, label_smoothing=0.0)
        optimizer.zero_grad()
        (loss.total / loss.tokens).backward()
        optimizer.step()
        decay.step()
    return Member(model.eval(), colour_tokenizers)


@pytest.mark.learning
@pytest.mark.parametrize("beam", [1, 4])
def test_a_trained_model_copies_names(trained: Member, beam: int) -> None:
    pairs = [colours_and_names(Random(seed)) for seed in range(100, 160)]
    sources, translator = [pair.source for pair in pairs], Translator([trained])
    plain = translator.translate(sources, DecodeSettings(beam=beam))
    copied = translator.translate(sources, DecodeSettings(beam=beam, replace_unknown=True))
    assert sum("<unk>" in one.text for one in plain) > 40
    assert not any("<unk>" in one.text for one in copied)
    right = sum(one.text == pair.target for one, pair in zip(copied, pairs, strict=True))
    assert right >= 0.9 * len(pairs)


@pytest.fixture
def silent() -> Member:
    """A random Transformer that writes nothing but ``<unk>``, wherever it looks."""
    tokenizers = tokenizers_for([text for pair in PAIRS for text in (pair.source, pair.target)])
    model = model_for(tokenizers, embeddings="separate")
    with torch.no_grad():
        norm = model.decoder.norm
        norm.weight.zero_()
        norm.bias.copy_(100 * model.output.weight[tokenizers.target.unk_id])
    return Member(model, tokenizers)


@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize("batch_tokens", [1, 8192], ids=["one by one", "together"])
def test_the_word_is_where_the_last_layer_but_one_looked(silent: Member, beam: int, batch_tokens: int) -> None:
    translator = Translator([silent])
    settings = DecodeSettings(beam=beam, max_length=4, batch_tokens=batch_tokens)
    with record(silent.model) as seen:
        plain = translator.translate(TEXTS, settings)
    assert [one.text for one in plain] == ["<unk> <unk> <unk> <unk>"] * 4
    words = [["the", "red", "star"], ["a", "", "small", "Zürich", "tree"], ["the", "blue", "ball"], ["green"]]
    expected = []
    for attended, spoken in zip(seen["decoder.0.cross"].attended, words, strict=True):
        weights = attended.weights_HQK.mean(0)[:, : len(spoken)].clone()
        weights[:, [not word for word in spoken]] = -1.0  # a tab is no word
        expected.append(" ".join(spoken[int(row.argmax())] for row in weights))
    copying = replace(settings, replace_unknown=True)
    assert [one.text for one in translator.translate(TEXTS, copying)] == expected
    for layers in ("*", "decoder.1.*"):  # somebody looks at the same layer, or at others
        with record(silent.model, layers) as seen:
            assert [one.text for one in translator.translate(TEXTS, copying)] == expected
        assert len(seen["decoder.1.cross"].attended) == 4
    assert all(layer.listener is None for layer in silent.model.modules() if hasattr(layer, "listener"))


def test_every_hypothesis_is_looked_after(silent: Member) -> None:
    """The second best writes some kind of space before or after an unknown word; nothing else is at all likely."""
    settings = DecodeSettings(beam=3, nbest=3, max_length=2)
    plain = Translator([silent]).translate(TEXTS, settings)
    copied = Translator([silent]).translate(TEXTS, replace(settings, replace_unknown=True))
    for before, after, text in zip(plain, copied, TEXTS, strict=True):
        assert [one.text.count("<unk>") for one in before.candidates] == [2, 1, 1]
        assert [len(one.text.split()) for one in after.candidates] == [2, 1, 1]
        assert all(set(one.text.split()) <= set(text.split()) for one in after.candidates)
        assert [one.score for one in after.candidates] == pytest.approx([one.score for one in before.candidates])


def test_what_is_edited_is_what_is_copied(silent: Member) -> None:
    settings = DecodeSettings(beam=2, max_length=3, replace_unknown=True)
    with record(silent.model) as seen:
        seen.edit("decoder.0.cross", key=1, weights=5.0)
        found = Translator([silent]).translate(["the red star", "the blue ball"], settings)
    assert [one.text for one in found] == ["red red red", "blue blue blue"]


def test_the_first_of_an_ensemble_shows_the_word(silent: Member) -> None:
    other = model_for(silent.tokenizers, seed=2, embeddings="separate")
    settings = DecodeSettings(beam=2, max_length=3, replace_unknown=True)
    with record(silent.model) as seen:
        seen.edit("decoder.0.cross", key=2, weights=5.0)
        found = Translator([silent, Member(other, silent.tokenizers)]).translate(["the red star"], settings)
    assert found[0].text == "star star star"


def test_a_model_without_attention_cannot(colour_tokenizers: Tokenizers) -> None:
    size = colour_tokenizers.source.vocab_size
    model = build_model("rnn-seq2seq", {"dim": 32}, Vocabulary(source=size, target=size, shared=True))
    assert isinstance(model, Seq2Seq)
    with pytest.raises(
        DecodingError,
        match=r"this model has no attention to its source: set decode\.replace_unknown=false, "
        "or train a model that has, such as rnn-additive",
    ):
        Translator([Member(model, colour_tokenizers)]).translate(["red"], DecodeSettings(replace_unknown=True))


def test_it_is_refused_before_any_training(tmp_path: Path) -> None:
    train = write_pairs(tmp_path / "train.tsv", many_pairs(24))
    corpus, _ = prepared(tmp_path / "corpus", CorpusSettings(train=(train,), valid=(train,), kind="words"))
    size = corpus.tokenizers.source.vocab_size
    model = build_model("rnn-seq2seq", {"dim": 32}, Vocabulary(source=size, target=size, shared=True))
    task_for(corpus).check_fits(model)
    asked = task_for(corpus, decode=DecodeSettings(replace_unknown=True))
    asked.check_fits(model_for(corpus.tokenizers))
    with pytest.raises(DecodingError, match="this model has no attention to its source"):
        asked.check_fits(model)
