from collections.abc import Callable, Sequence
from itertools import islice, product

import pytest
import torch
from torch import Tensor

from saccade.data.batches import pad
from saccade.data.examples import Pair
from saccade.evaluation.sentences import TRANSLATION_REWARDS, RewardName, sentence_bleu, sentence_gleu
from saccade.evaluation.translation import score_translations
from saccade.models import Seq2Seq, Vocabulary, build_model
from saccade.scenes import read_pairs
from saccade.tasks.reward import Writing, expected_risk, most_tokens
from saccade.tasks.translation import TranslationBatch, translation_loss
from saccade.tasks.translator import DecodeSettings, Member, Translator
from tasks.parts import SMALL, model_for, tokenizers_for

BOS, EOS, VOCABULARY = 1, 2, 5
REFERENCE = [3, 4]
SOURCE = torch.tensor([[3, EOS]])


@pytest.fixture
def toy() -> Seq2Seq:
    """Writes at most two tokens out of five: there are 21 texts."""
    torch.manual_seed(3)
    options = {**SMALL, "dim": 8, "positions": "learned", "max_length": 2, "decoder_layers": 1}
    model = build_model("transformer-tiny", options, Vocabulary(source=VOCABULARY, target=VOCABULARY, shared=True))
    assert isinstance(model, Seq2Seq)
    return model.train()


def gradient(model: Seq2Seq, loss: Tensor) -> Tensor:
    model.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    return torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None])


def enumerated(model: Seq2Seq, reward: RewardName) -> Tensor:
    """1 − Σ p(y) r(y) over all texts y."""
    score = {"bleu": sentence_bleu, "gleu": sentence_gleu}[reward]
    texts = [(EOS,), *((a, b) for a, b in product(range(VOCABULARY), repeat=2) if a != EOS)]
    assert len(texts) == 21
    worth = torch.zeros(())
    for text in texts:
        states = model(SOURCE, torch.tensor([[BOS, *text[:-1]]]))
        log_probs = torch.log_softmax(model.logits(states)[0], dim=-1)
        log_probability = sum((log_probs[t, token] for t, token in enumerate(text)), start=torch.zeros(()))
        worth = worth + log_probability.exp() * score([t for t in text if t != EOS], REFERENCE)
    return 1 - worth


def risk(
    model: Seq2Seq, source_BS: Tensor, references: Sequence[list[int]], samples: int, reward: RewardName = "bleu"
) -> Tensor:
    score = TRANSLATION_REWARDS[reward]
    writing = Writing(
        model,
        source_BS,
        lambda read_NT: model(source_BS.repeat_interleave(samples, dim=0), read_NT),
        limits=[most_tokens(len(reference)) for reference in references],
        bos_id=BOS,
        eos_id=EOS,
    )
    return expected_risk(
        writing, lambda place, texts: [score(text, references[place]) for text in texts], samples=samples
    )


@pytest.mark.parametrize("reward", ["bleu", "gleu"])
@pytest.mark.parametrize(("sentences", "samples"), [(200, 40), (4_000, 2)], ids=["many samples", "many pairs"])
def test_the_gradient_is_that_of_all_texts(toy: Seq2Seq, reward: RewardName, sentences: int, samples: int) -> None:
    exact = enumerated(toy, reward)
    torch.manual_seed(1)
    found = risk(toy, SOURCE.expand(sentences, -1), [REFERENCE] * sentences, samples, reward)
    assert toy.training
    assert found.item() / sentences == pytest.approx(exact.item(), abs=0.01)
    ours, theirs = gradient(toy, found / sentences), gradient(toy, exact)
    assert theirs.norm() > 1e-3
    assert ((ours - theirs).norm() / theirs.norm()).item() < 0.1


def test_the_seed_decides(toy: Seq2Seq) -> None:
    found = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        found.append(gradient(toy, risk(toy, SOURCE.expand(9, -1), [REFERENCE] * 9, 3)))
    assert torch.equal(found[0], found[1])
    assert not torch.equal(found[0], found[2])


class Scenes:
    """Little scenes to learn from and others to measure on."""

    def __init__(self) -> None:
        pairs = list(islice(read_pairs("en-fr"), 360))
        self.learned, self.held = pairs[:300], pairs[300:]
        self.tokenizers = tokenizers_for([text for pair in pairs for text in (pair.source, pair.target)])
        self.model = model_for(self.tokenizers, dim=32, decoder_layers=1, ff_dim=64)

    def learn(self, steps: int, loss: Callable[[list[Pair]], Tensor], *, lr: float) -> None:
        optimizer = torch.optim.Adam(self.model.train().parameters(), lr=lr)
        for step in range(steps):
            pairs = [self.learned[(step * 20 + i) % len(self.learned)] for i in range(20)]
            optimizer.zero_grad()
            (loss(pairs) / len(pairs)).backward()  # type: ignore[no-untyped-call]
            optimizer.step()

    def likelihood(self, pairs: list[Pair]) -> Tensor:
        sources, targets = self.ids(pairs)
        read, written = pad(targets, 0, prefix=[BOS]), pad(targets, 0, suffix=[EOS])
        batch = TranslationBatch(pad(sources, 0, suffix=[EOS]), read, written)
        return translation_loss(self.model, batch, label_smoothing=0.0).total

    def ids(self, pairs: list[Pair]) -> tuple[list[list[int]], list[list[int]]]:
        encode = self.tokenizers.source.encode_batch
        return encode([pair.source for pair in pairs]), encode([pair.target for pair in pairs])

    def risk(self, pairs: list[Pair], *, samples: int) -> Tensor:
        sources, targets = self.ids(pairs)
        return risk(self.model, pad(sources, 0, suffix=[EOS]), targets, samples)

    def held_reward(self) -> float:
        torch.manual_seed(9)
        with torch.no_grad():
            lost = self.risk(self.held, samples=4)
        return 1 - lost.item() / len(self.held)

    def held_bleu(self) -> float:
        translator = Translator([Member(self.model, self.tokenizers)])
        found = translator.translate([pair.source for pair in self.held], DecodeSettings(beam=1))
        scores = score_translations([one.text for one in found], [pair.target for pair in self.held], resamples=0)
        return scores.bleu.value


@pytest.mark.learning
def test_a_half_trained_translator_gets_better() -> None:
    """By its reward alone: no reference's likelihood has any part in the second training."""
    scenes = Scenes()
    scenes.learn(150, scenes.likelihood, lr=5e-3)
    before, bleu = scenes.held_reward(), scenes.held_bleu()
    scenes.learn(60, lambda pairs: scenes.risk(pairs, samples=5), lr=2e-3)
    assert scenes.held_reward() > before + 0.04
    assert scenes.held_bleu() > bleu + 1
