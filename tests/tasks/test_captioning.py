from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from saccade.errors import DataError, ModelError
from saccade.evaluation.captions import score_captions
from saccade.evaluation.word_groups import GENDERED
from saccade.models import Captioner
from saccade.tasks.caption_corpus import CaptionCorpus
from saccade.tasks.captioning import CaptionTask
from saccade.tasks.describer import CaptionMember, Describer
from saccade.tasks.equalizing import Equalizing, hidden_words
from saccade.tasks.translator import DecodeSettings
from saccade.training.flops import counted_flops, measured_cost
from tasks.captions import Prepared, captioner_for, draw, prepared, settings_for, task_for

PRESETS = ("caption-rnn", "caption-soft", "caption-hard", "caption-transformer", "caption-vit")
ROWS = np.array([0, 5, 3, 14])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """Women, men and dogs; the first woman has no box."""
    place = tmp_path_factory.mktemp("captions")
    drawn = draw(place / "drawn", boxless=1)
    return prepared(place / "run", settings_for(drawn, regions=drawn.regions, hides=hidden_words(GENDERED)))


@pytest.fixture
def corpus(made: Prepared) -> CaptionCorpus:
    return made.corpus


def alone(task: CaptionTask, model: Captioner, row: int, picture: Tensor) -> Tensor:
    """log p of all words after each word of one caption, (T, V), with nothing beside it."""
    tokenizer, ids = task.corpus.tokenizer, task.corpus.captions[row].tolist()
    states = model(picture, torch.tensor([[tokenizer.bos_id, *ids]]))
    return torch.log_softmax(model.logits(states)[0], dim=-1)


def picture_of(task: CaptionTask, row: int) -> int:
    return int(task.corpus.picture_of[row][0])


def by_hand(task: CaptionTask, model: Captioner, rows: list[int], smoothing: float) -> float:
    """(1 − ε) · −log p(token) + ε · mean over the vocabulary of −log p, each caption for itself."""
    total = torch.zeros(())
    for row in rows:
        nll = -alone(task, model, row, task.corpus.pictures.batch([picture_of(task, row)]))
        for step, token in enumerate([*task.corpus.captions[row].tolist(), task.corpus.tokenizer.eos_id]):
            total = total + (1 - smoothing) * nll[step, token] + smoothing * nll[step].mean()
    return total.item()


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("smoothing", [0.0, 0.2])
def test_the_loss_is_the_smoothed_cross_entropy_of_real_tokens(
    corpus: CaptionCorpus, preset: str, smoothing: float
) -> None:
    task, model = task_for(corpus, label_smoothing=smoothing), captioner_for(corpus, preset)
    loss = task.loss(model, ROWS)
    assert loss.tokens == task.tokens(ROWS) == sum(len(corpus.captions[int(row)]) + 1 for row in ROWS)
    assert loss.total.item() == pytest.approx(by_hand(task, model, ROWS.tolist(), smoothing), rel=1e-4)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_picture_is_read_once_for_its_captions(corpus: CaptionCorpus, preset: str) -> None:
    """Rows 2 and 3 speak of one picture, and of another one row 8; the loss is as if each were read for itself."""
    task, model = task_for(corpus, label_smoothing=0.0), captioner_for(corpus, preset)
    rows = np.array([3, 8, 2])
    read: list[int] = []
    hook = model.places.register_forward_hook(lambda _, given, __: read.append(len(given[0])))
    together = task.loss(model, rows).total.item()
    hook.remove()
    assert read == [2]
    assert together == pytest.approx(by_hand(task, model, rows.tolist(), 0.0), rel=1e-4)


def test_captions_of_a_picture_stand_in_one_batch(corpus: CaptionCorpus) -> None:
    """All but those that the end of a batch parts."""
    task = task_for(corpus)
    batches = task.batches.epoch(0)
    pictures = sum(task.work(rows)[-1] for rows in batches)
    assert len(corpus.train) <= pictures < len(corpus.train) + len(batches)


def test_companions_and_their_padding_change_nothing(corpus: CaptionCorpus) -> None:
    """Also what soft attention adds: captions of other lengths alone and together."""
    task, model = task_for(corpus), captioner_for(corpus).train()
    assert len({len(corpus.captions[int(row)]) for row in ROWS}) > 1
    each = [task.loss(model, ROWS[place : place + 1]).total.item() for place in range(len(ROWS))]
    assert task.loss(model, ROWS).total.item() == pytest.approx(sum(each), rel=1e-5)
    model.eval()
    assert sum(each) > task.loss(model, ROWS).total.item() + 1, "soft attention adds nothing in training"


def test_validation_is_greedy_text_and_the_loss_without_smoothing(corpus: CaptionCorpus) -> None:
    task, model = task_for(corpus, label_smoothing=0.3, valid_pictures=7), captioner_for(corpus, "caption-hard")
    with torch.no_grad():
        state = torch.get_rng_state()
        validation = task.validate(model)
        assert torch.equal(torch.get_rng_state(), state)
        # training and validation pictures are the same file here
        expected = by_hand(task, model, list(range(24)), 0.0) / task.tokens(np.arange(24))
    assert validation.loss == pytest.approx(expected, rel=1e-4)
    member = CaptionMember(model, corpus.tokenizer, corpus.valid_pictures.batch)
    greedy = [one.text for one in Describer([member]).caption(7, DecodeSettings(beam=1, max_length=12))]
    references = [one.captions for one in corpus.valid[:7]]
    scores = {one.name: one.value for one in score_captions(greedy, references, resamples=0, with_meteor=False).scores}
    assert validation.scores == {"cider": scores["CIDEr"], "bleu": scores["BLEU-4"]}
    assert [one.hypothesis for one in validation.samples] == greedy[:5]
    assert validation.samples[1].source == corpus.valid[1].name
    assert validation.samples[1].reference == "a man before a blue wall number 1 / the blue wall and a man ."


def equalizing(corpus: CaptionCorpus, *, confusion: float, confident: float) -> Equalizing:
    return Equalizing.of(GENDERED, corpus.tokenizer, confusion=confusion, confident=confident)


def added(corpus: CaptionCorpus, model: Captioner, rows: np.ndarray, *, confusion: float, confident: float) -> float:
    """What equalizing adds to the loss of these rows."""
    plain = task_for(corpus).loss(model, rows).total.item()
    how = equalizing(corpus, confusion=confusion, confident=confident)
    return task_for(corpus, equalizing=how).loss(model, rows).total.item() - plain


@pytest.mark.parametrize("preset", ["caption-soft", "caption-transformer"])
def test_equalizing_adds_exactly_the_two_losses(corpus: CaptionCorpus, preset: str) -> None:
    """Caption by caption, place by place; rows 0 and 1 are of a woman without a box."""
    task, model = task_for(corpus), captioner_for(corpus, preset)
    rows = np.array([0, 3, 4, 2, 13, 1])
    women, men = equalizing(corpus, confusion=1, confident=1).tokens
    assert corpus.hidden is not None
    confused = unsure = 0.0
    for row in rows.tolist():
        number = picture_of(task, row)
        ids = corpus.captions[row].tolist()
        for place, token in enumerate(ids):
            if token not in women | men:
                continue
            own, other = (women, men) if token in women else (men, women)
            p = alone(task, model, row, corpus.pictures.batch([number]))[place].exp()
            unsure += (p[list(other)].sum() / (p[list(own)].sum() + 1e-6)).item()
            if number:
                blind = alone(task, model, row, corpus.hidden.batch([number]))[place].exp()
                confused += (blind[list(women)].sum() - blind[list(men)].sum()).abs().item()
    assert confused > 0
    assert added(corpus, model, rows, confusion=0, confident=2.0) == pytest.approx(2 * unsure, rel=1e-3)
    assert added(corpus, model, rows, confusion=30.0, confident=0) == pytest.approx(30 * confused, rel=1e-3, abs=2e-3)


def test_captions_without_a_groups_word_add_nothing(corpus: CaptionCorpus) -> None:
    model = captioner_for(corpus)
    dogs = np.array([4, 5, 10])
    assert "dog" in task_for(corpus).describe(dogs[:1])[0]
    assert added(corpus, model, dogs, confusion=10, confident=1) == 0
    assert added(corpus, model, np.array([0, 1]), confusion=10, confident=0) == 0, "there is nothing to paint over"


def test_equalizing_leaves_soft_and_hard_attention_what_they_are(corpus: CaptionCorpus) -> None:
    """The second look must not be taken for words of the first; and everything learns."""
    for preset in ("caption-soft", "caption-hard"):
        model = captioner_for(corpus, preset).train()
        how = equalizing(corpus, confusion=10, confident=1)
        for _ in range(2):
            task_for(corpus, equalizing=how).loss(model, ROWS).total.backward()  # type: ignore[no-untyped-call]
        assert all(one.grad is not None and one.grad.isfinite().all() for one in model.parameters())


def test_equalizing_needs_hidden_persons(corpus: CaptionCorpus) -> None:
    with pytest.raises(DataError) as told:
        task_for(replace(corpus, hidden=None), equalizing=equalizing(corpus, confusion=1, confident=1))
    assert str(told.value) == (
        "equalizing needs pictures with the persons hidden, which this corpus does not have: give train.equalize when "
        "the training begins"
    )


@pytest.mark.parametrize("preset", PRESETS)
def test_operations_are_foreseen_to_the_last(corpus: CaptionCorpus, preset: str) -> None:
    task, model = task_for(corpus), captioner_for(corpus, preset)
    rows = np.array([0, 1, 7, 9, 20])
    assert measured_cost(task, model).flops(task.work(rows)) == pytest.approx(
        counted_flops(task, model, rows), rel=1e-3
    )


def test_examples_are_described_for_messages(corpus: CaptionCorpus) -> None:
    (said,) = task_for(corpus).describe(np.array([3]))
    assert said == f"{corpus.train[1].name}: 'the blue wall and a man .'"


def test_facts(corpus: CaptionCorpus) -> None:
    facts = task_for(corpus).facts()
    assert (facts.examples, facts.valid, facts.unit) == (24, 12, "captions")
    assert facts.vocabulary == (corpus.tokenizer.vocab_size,)
    assert facts.shown[0] == {"caption": ["a", "woman", "before", "a", "red", "wall", "number", "0"]}


def test_spoilt_weights_are_said(corpus: CaptionCorpus) -> None:
    task, model = task_for(corpus), captioner_for(corpus)
    with torch.no_grad():
        model.output.weight.fill_(torch.nan)
        with pytest.raises(ModelError, match="the validation loss is nan: the model's weights are spoilt"):
            task.validate(model)


def test_another_kind_of_model_is_refused(corpus: CaptionCorpus) -> None:
    with pytest.raises(ModelError, match="captioning needs a captioner, got Linear"):
        task_for(corpus).loss(nn.Linear(2, 2), np.array([0]))
