from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from saccade.errors import DecodingError, ModelError
from saccade.evaluation.sentences import sentence_gleu
from saccade.evaluation.translation import score_translations
from saccade.layers import MixtureOfExperts
from saccade.tasks.base import Loss
from saccade.tasks.corpus import Corpus, CorpusSettings
from saccade.tasks.reward import RewardSettings, Writing, expected_risk, most_tokens
from saccade.tasks.translation import TranslationTask, translation_loss
from saccade.tasks.translator import DecodeSettings, Member, Translator
from tasks.parts import PAIRS, many_pairs, model_for, prepared, task_for, write_pairs


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    longer = [replace(pair, source=f"{pair.source} and {pair.source}") for pair in PAIRS]
    spec = write_pairs(tmp_path / "pairs.tsv", [*PAIRS, *longer])
    return prepared(tmp_path / "run", CorpusSettings(train=(spec,), valid=(spec,), kind="words"))[0]


def by_hand(task: TranslationTask, model: nn.Module, rows: list[int], smoothing: float) -> float:
    """Each pair alone, so without any padding: (1 − ε) · −log p(token) + ε · mean over the vocabulary of −log p."""
    total = torch.zeros(())
    tokenizer = task.corpus.tokenizers.target
    for row in rows:
        source, target = task.corpus.source[row].tolist(), task.corpus.target[row].tolist()
        states = model(torch.tensor([[*source, tokenizer.eos_id]]), torch.tensor([[tokenizer.bos_id, *target]]))
        nll = -torch.log_softmax(model.logits(states)[0], dim=-1)  # type: ignore[operator]
        for step, token in enumerate([*target, tokenizer.eos_id]):
            total = total + (1 - smoothing) * nll[step, token] + smoothing * nll[step].mean()
    return total.item()


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.4])
def test_the_loss_is_the_smoothed_cross_entropy_of_real_tokens(corpus: Corpus, smoothing: float) -> None:
    task, model = task_for(corpus, label_smoothing=smoothing), model_for(corpus.tokenizers)
    rows = np.array([0, 4, 9, 17, 12])
    loss = task.loss(model, rows)
    assert loss.tokens == task.tokens(rows) == sum(len(corpus.target[i]) + 1 for i in rows)
    assert loss.total.item() == pytest.approx(by_hand(task, model, rows.tolist(), smoothing), rel=1e-5)


def test_more_padding_changes_nothing(corpus: Corpus) -> None:
    task, model = task_for(corpus), model_for(corpus.tokenizers)
    batch = task.batch([corpus.source[0], corpus.source[9]], [corpus.target[0], corpus.target[9]])
    wider = type(batch)(*(nn.functional.pad(t, (0, 7)) for t in (batch.source_BS, batch.read_BT, batch.written_BT)))
    losses = [translation_loss(model, one, label_smoothing=0.1) for one in (batch, wider)]
    assert losses[0].total.item() == pytest.approx(losses[1].total.item(), rel=1e-6)
    assert losses[0].tokens == losses[1].tokens


def test_two_passes_cost_what_one_does_and_what_sets_them_apart(corpus: Corpus) -> None:
    task, twice = task_for(corpus), task_for(corpus, consistency=5.0)
    model, rows = model_for(corpus.tokenizers, dropout=0.3), np.array([0, 9, 12])
    once = task.loss(model.eval(), rows)
    assert twice.loss(model, rows).total.item() == pytest.approx(once.total.item(), rel=1e-6), "nothing is dropped here"
    assert twice.loss(model, rows).tokens == once.tokens
    torch.manual_seed(3)
    apart = twice.loss(model.train(), rows).total.item()
    torch.manual_seed(3)
    assert apart > task_for(corpus, consistency=1e-9).loss(model, rows).total.item() + 0.1


def test_experts_add_their_balance_for_each_token_in_training_alone(corpus: Corpus) -> None:
    task, model = task_for(corpus), model_for(corpus.tokenizers, experts=3, balance=0.5)
    rows = np.array([0, 9, 12])

    def total(*, training: bool) -> float:
        torch.manual_seed(4)
        return task.loss(model.train(training), rows).total.item()

    with_balance, evaluated = total(training=True), total(training=False)
    assert all(mixture.routing is None for mixture in mixtures(model)), "a graph is kept beyond its step"
    for mixture in mixtures(model):
        mixture.balance = 0.0
    without = total(training=True)
    batch = task.batch([corpus.source[i] for i in rows], [corpus.target[i] for i in rows])
    torch.manual_seed(4)
    model.train()(batch.source_BS, batch.read_BT)
    for mixture in mixtures(model):
        mixture.balance = 0.5
    uneven = model.take_balance_loss(batch.source_BS, batch.written_BT).item()
    assert uneven > 0
    assert with_balance - without == pytest.approx(task.tokens(rows) * uneven, rel=1e-3)
    assert total(training=False) == evaluated


def mixtures(model: nn.Module) -> list[MixtureOfExperts]:
    return [module for module in model.modules() if isinstance(module, MixtureOfExperts)]


@pytest.mark.parametrize("share", [0.25, 1.0])
def test_a_reward_has_its_share_of_the_loss(corpus: Corpus, share: float) -> None:
    task, model, rows = task_for(corpus), model_for(corpus.tokenizers), np.array([0, 9, 12])
    likelihood, reward = task.loss(model, rows), RewardSettings("gleu", share, samples=3)
    batch, references = task.batch([corpus.source[i] for i in rows], []), [corpus.target[i].tolist() for i in rows]
    torch.manual_seed(5)
    writing = Writing(
        model,
        batch.source_BS,
        lambda read_NT: model(batch.source_BS.repeat_interleave(3, dim=0), read_NT),
        limits=[most_tokens(len(reference)) for reference in references],
        bos_id=1,
        eos_id=2,
    )
    risk = expected_risk(
        writing, lambda place, texts: [sentence_gleu(text, references[place]) for text in texts], samples=3
    )
    task.reward = reward
    torch.manual_seed(5)
    found = task.loss(model, rows)
    assert found.tokens == likelihood.tokens
    assert found.total.item() == pytest.approx((1 - share) * likelihood.total.item() + share * risk.item(), rel=1e-6)
    assert found.total.item() != pytest.approx(likelihood.total.item(), rel=1e-3)


def test_validation_is_greedy_text_and_the_loss_without_smoothing(corpus: Corpus) -> None:
    task, model = task_for(corpus, label_smoothing=0.3), model_for(corpus.tokenizers)
    with torch.no_grad():
        state = torch.get_rng_state()
        validation = task.validate(model)
        assert torch.equal(torch.get_rng_state(), state)
        # training and validation pairs are the same file here
        expected = by_hand(task, model, list(range(18)), 0.0) / task.tokens(np.arange(18))
    assert validation.loss == pytest.approx(expected, rel=1e-5)
    assert validation.scores.keys() == {"bleu", "chrf"}
    assert len(validation.samples) == 5
    greedy = Translator([Member(model, corpus.tokenizers)]).translate(
        [pair.source for pair in corpus.valid[:5]], DecodeSettings(beam=1)
    )
    assert [one.hypothesis for one in validation.samples] == [one.text for one in greedy]
    assert [one.reference for one in validation.samples] == [pair.target for pair in corpus.valid[:5]]


def test_spoilt_weights_are_said(corpus: Corpus) -> None:
    task, model = task_for(corpus), model_for(corpus.tokenizers)
    with torch.no_grad():
        model.output.weight.fill_(torch.nan)
        with pytest.raises(ModelError, match="the validation loss is nan: the model's weights are spoilt"):
            task.validate(model)
    with pytest.raises(DecodingError, match="the model gives no token a probability: its weights are spoilt"):
        Translator([Member(model, corpus.tokenizers)]).translate(["the red star"], DecodeSettings())


def test_examples_are_described_for_messages(corpus: Corpus) -> None:
    assert task_for(corpus).describe(np.array([0])) == [f"{PAIRS[0].source!r} → {PAIRS[0].target!r}"]


def test_another_kind_of_model_is_refused(corpus: Corpus) -> None:
    with pytest.raises(ModelError, match="translation needs a sequence-to-sequence model, got Linear"):
        task_for(corpus).loss(nn.Linear(2, 2), np.array([0]))


def test_bpe_dropout_is_for_training_alone_and_depends_on_the_seed(tmp_path: Path) -> None:
    train = write_pairs(tmp_path / "train.tsv", many_pairs(60))
    corpus, _ = prepared(tmp_path / "corpus", CorpusSettings(train=(train,), valid=(train,), kind="bpe"))
    plain, dropping = task_for(corpus), task_for(corpus, bpe_dropout=0.3)
    model, rows = model_for(corpus.tokenizers), np.arange(12)

    def found(task: TranslationTask, seed: int) -> Loss:
        torch.manual_seed(seed)
        with torch.no_grad():
            return task.loss(model, rows)

    assert found(plain, 1).tokens == found(plain, 2).tokens == plain.tokens(rows)
    assert found(dropping, 1).tokens > plain.tokens(rows)
    assert found(dropping, 1).total == found(dropping, 1).total != found(dropping, 2).total
    with torch.no_grad():
        assert dropping.validate(model).loss == plain.validate(model).loss


def test_validation_of_several_directions_scores_each_of_them(tmp_path: Path) -> None:
    specs = tuple(
        f"{write_pairs(tmp_path / f'{into}.tsv', pairs)}:{{xx,{into}}}"
        for into, pairs in (("en", PAIRS), ("fr", [replace(pair, source=f"a {pair.source}") for pair in PAIRS]))
    )
    corpus, _ = prepared(tmp_path / "run", CorpusSettings(train=specs, valid=specs, kind="words", tag="target"))
    task, model = task_for(corpus), model_for(corpus.tokenizers)
    with torch.no_grad():
        found = task.validate(model)
    assert list(found.scores) == ["bleu", "chrf", "bleu.xx-en", "chrf.xx-en", "bleu.xx-fr", "chrf.xx-fr"]
    translator = Translator([Member(model, corpus.tokenizers)])
    for into, samples in (("en", found.samples[::2]), ("fr", found.samples[1::2])):
        alone = translator.translate([one.source for one in samples], DecodeSettings(beam=1), into=into)
        assert [one.hypothesis for one in samples] == [one.text for one in alone]
    some = [pair for pair in corpus.valid if pair.into == "fr"]
    texts = [one.text for one in translator.translate([p.source for p in some], DecodeSettings(beam=1), into="fr")]
    expected = score_translations(texts, [pair.target for pair in some], resamples=0)
    assert found.scores["chrf.xx-fr"] == pytest.approx(expected.chrf.value)


def test_a_model_of_lower_cased_text_is_watched_against_lower_cased_references(tmp_path: Path) -> None:
    spec = write_pairs(tmp_path / "pairs.tsv", [replace(pair, target=pair.target.upper()) for pair in PAIRS])
    corpus, _ = prepared(tmp_path / "run", CorpusSettings(train=(spec,), valid=(spec,), kind="words", lowercase=True))
    sources = [pair.source for pair in PAIRS]
    task, model = task_for(corpus), model_for(corpus.tokenizers)
    adam = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(30):  # enough to write some of the words
        adam.zero_grad()
        task.loss(model, np.arange(9)).total.backward()
        adam.step()
    with torch.no_grad():
        found = task.validate(model)
        written = Translator([Member(model, corpus.tokenizers)]).translate(sources, DecodeSettings(beam=1))
    texts = [one.text for one in written]
    lowered = score_translations(texts, [pair.target for pair in PAIRS], resamples=0)
    assert found.scores["bleu"] == pytest.approx(lowered.bleu.value)
    assert found.scores["chrf"] == pytest.approx(lowered.chrf.value)
    assert lowered.bleu.value > 0
