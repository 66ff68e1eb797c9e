from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from saccade.evaluation.caption_metrics import cider
from saccade.evaluation.caption_words import caption_words
from saccade.models import Captioner
from saccade.tasks.caption_corpus import CaptionCorpus
from saccade.tasks.caption_reward import END, CaptionWorth
from saccade.tasks.captioning import CaptionTask
from saccade.tasks.reward import RewardSettings
from tasks.captions import captioner_for, draw, prepared, settings_for, task_for

ROWS = np.arange(24)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> CaptionCorpus:
    place: Path = tmp_path_factory.mktemp("rewarded")
    return prepared(place / "run", settings_for(draw(place / "drawn"))).corpus


@pytest.fixture
def worth(corpus: CaptionCorpus) -> CaptionWorth:
    return CaptionWorth([one.captions for one in corpus.train], corpus.tokenizer)


def test_a_caption_is_worth_its_cider(corpus: CaptionCorpus, worth: CaptionWorth) -> None:
    """That of the standard code, for captions whose last word is their end."""
    said = [one.captions[number % 2].replace("wall", "house") for number, one in enumerate(corpus.train)]
    ours = [worth(number, [corpus.tokenizer.encode(text).ids])[0] for number, text in enumerate(said)]
    heard = [corpus.tokenizer.decode(corpus.tokenizer.encode(text).ids) for text in said]  # with unknown words
    references = [[(*caption_words(text), END) for text in one.captions] for one in corpus.train]
    theirs = cider([(*caption_words(text), END) for text in heard], references)
    assert 100 * sum(ours) / len(ours) == pytest.approx(theirs.value)
    assert 0 < min(ours) < max(ours) < 10


def test_a_caption_that_breaks_off_is_worth_less(corpus: CaptionCorpus, worth: CaptionWorth) -> None:
    whole = corpus.tokenizer.encode(corpus.train[4].captions[0]).ids
    full, broken, other, nothing = worth(4, [whole, whole[:-1], corpus.tokenizer.encode("the dog").ids, []])
    assert full > broken > other >= nothing >= 0


def test_or_its_bleu_against_all_references(corpus: CaptionCorpus) -> None:
    worth = CaptionWorth([one.captions for one in corpus.train], corpus.tokenizer, reward="bleu")
    whole = corpus.tokenizer.encode(corpus.train[4].captions[0]).ids
    full, broken, other, nothing = worth(4, [whole, whole[:-1], corpus.tokenizer.encode("the dog").ids, []])
    assert full == pytest.approx(1)
    assert full > broken > other >= nothing >= 0


@pytest.mark.parametrize("preset", ["caption-rnn", "caption-soft", "caption-hard", "caption-transformer"])
@pytest.mark.parametrize("share", [0.5, 1.0])
def test_the_loss_is_shared_between_likelihood_and_reward(corpus: CaptionCorpus, preset: str, share: float) -> None:
    model = captioner_for(corpus, preset, dropout=0.0)
    likelihood = task_for(corpus, label_smoothing=0.0).loss(model, ROWS).total
    alone, both = (_rewarded(corpus, share=one).loss(_seeded(model), ROWS).total for one in (1.0, share))
    assert both.item() == pytest.approx(((1 - share) * likelihood + share * alone).item(), rel=1e-5)
    # twelve pictures, each worth 0 to 10, are at most 10 better and at worst 1 short of what is asked for
    assert -9 * 12 < alone.item() <= 12
    both.backward()  # type: ignore[no-untyped-call]
    assert all(torch.isfinite(p.grad).all() for p in model.parameters() if p.grad is not None)


def test_hard_attention_learns_captions_where_it_wrote_them(corpus: CaptionCorpus) -> None:
    """At the likeliest place, while it draws captions and while it learns from them."""
    model = captioner_for(corpus, "caption-hard").train()
    looked: list[Tensor] = []

    class Watcher:
        def see(self, weights_NHQK: Tensor) -> None:
            looked.append(weights_NHQK[:, 0, 0])

    model.decoder.first.cross_attention.listener = Watcher()
    _rewarded(corpus).loss(_seeded(model), ROWS)
    assert looked
    assert all(torch.equal(one.sum(dim=-1), one.amax(dim=-1)) for one in looked), "one place, never a mean"


def test_no_unknown_word_is_drawn(corpus: CaptionCorpus, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []
    call = CaptionWorth.__call__

    def heard(self: CaptionWorth, number: int, texts: list[list[int]]) -> list[float]:
        drawn.extend(token for text in texts for token in text)
        return call(self, number, texts)

    monkeypatch.setattr(CaptionWorth, "__call__", heard)
    model = captioner_for(corpus)
    model.output.weight.data[corpus.tokenizer.unk_id] = 3 * model.output.weight.data.abs().max()
    _rewarded(corpus).loss(_seeded(model), ROWS)
    assert drawn
    assert corpus.tokenizer.unk_id not in drawn


@pytest.mark.learning
@pytest.mark.parametrize("preset", ["caption-soft", "caption-hard", "caption-transformer"])
def test_captions_get_better_by_their_reward_alone(corpus: CaptionCorpus, preset: str) -> None:
    model = captioner_for(corpus, preset, dim=32)
    _learn(task_for(corpus, label_smoothing=0.0), model, steps=30, lr=1e-2)
    task = _rewarded(corpus)
    before = _reward(task, model)
    _learn(task, model, steps=80, lr=2e-3)
    assert _reward(task, model) > before + 0.5


def _rewarded(corpus: CaptionCorpus, share: float = 1.0) -> CaptionTask:
    return task_for(corpus, label_smoothing=0.0, reward=RewardSettings("cider", share=share, samples=3))


def _seeded(model: Captioner) -> Captioner:
    torch.manual_seed(5)
    return model


def _learn(task: CaptionTask, model: Captioner, *, steps: int, lr: float) -> None:
    optimizer = torch.optim.Adam(model.train().parameters(), lr=lr)
    torch.manual_seed(7)
    for _ in range(steps):
        optimizer.zero_grad()
        loss: Tensor = task.loss(model, ROWS).total / len(ROWS)
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    model.eval()


def _reward(task: CaptionTask, model: Captioner) -> float:
    """The mean of what is drawn, of 20 times 36 captions."""
    torch.manual_seed(9)
    with torch.no_grad():
        return 1 - sum(task.loss(model, ROWS).total.item() for _ in range(20)) / 20 / len(task.corpus.train)
