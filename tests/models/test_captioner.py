"""What soft and hard attention add to the loss, against the formulas; hard attention against all that chance can do."""

import math
from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest
import torch
from torch import Tensor

import saccade
from saccade.attention import Choose, attention_layers, clearest_cross
from saccade.models import GridShape, Vocabulary, build_model, find_preset
from saccade.models.captioner import SCALE, Guide, HardCaptioner, SoftCaptioner

PLACES, WORDS = 4, 9
TARGET = torch.tensor([[1, 5, 6, 7], [1, 8, 4, 5]])
WRITTEN = torch.tensor([[5, 6, 7, 2], [8, 2, 0, 0]])
REAL = WRITTEN != 0
MEAN = -1  # not a place: the mean of all


def built(name: str, **options: Any) -> Any:
    torch.manual_seed(1)
    vocabulary = Vocabulary(source=WORDS, target=WORDS, shared=True, picture=GridShape(2, 3))
    model = build_model(name, {"dim": 4, "dropout": 0.0, **options}, vocabulary)
    for parameter in model.parameters():
        if parameter.ndim:
            torch.nn.init.normal_(parameter, std=0.8)
    return model.train()


def added(model: Any, pictures: Tensor, target: Tensor, written: Tensor) -> Tensor:
    """What the way of attending adds to the loss."""
    real = written != 0
    states = model(pictures, target)[real]
    found: Tensor = model.take_attention_loss(states, written[real], real)
    return found


@pytest.mark.parametrize("name", ["caption-rnn", "caption-soft", "caption-hard", "caption-transformer"])
def test_nothing_is_added_where_nothing_is_learned(name: str) -> None:
    options = {"heads": 2, "ff_dim": 8} if name == "caption-transformer" else {}
    model, pictures = built(name, **options), torch.randn(2, PLACES, 3)
    model.eval()
    state = torch.get_rng_state()
    assert added(model, pictures, TARGET, WRITTEN).item() == 0
    assert torch.equal(torch.get_rng_state(), state)
    model.train()
    assert (added(model, pictures, TARGET, WRITTEN).item() != 0) == (name in ("caption-soft", "caption-hard"))


@pytest.mark.parametrize("name", ["caption-soft", "caption-hard"])
def test_states_and_places_may_be_compared_in_fewer_numbers(name: str) -> None:
    """What is looked at is as wide as before."""
    attention = built(name, attention_dim=2).decoder.first.cross_attention
    assert attention.query.weight.shape == attention.key.weight.shape == (2, 4)
    model, pictures = built(name, attention_dim=2).eval(), torch.randn(2, PLACES, 3)
    assert model(pictures, TARGET).shape == (2, 4, 4)


@pytest.mark.parametrize("name", ["caption-rnn", "caption-soft", "caption-hard"])
def test_the_same_things_in_other_places_are_another_picture(name: str) -> None:
    """Also for who sees the whole picture as one vector."""
    model, picture = built(name).eval(), torch.randn(1, PLACES, 3)
    with torch.no_grad():
        here, there = (model.logits(model(each, TARGET[:1])) for each in (picture, picture.flip(1)))
    assert (here - there).abs().max() > 0.05


def test_soft_attention_wants_every_place_looked_at_once() -> None:
    """λ Σ_g (1 − Σ_t α_tg)², with the words of the caption and not its padding, in plain loops."""
    model, pictures = built("caption-soft", doubly=0.7), torch.randn(2, PLACES, 3)
    assert isinstance(model, SoftCaptioner)
    weights: list[Tensor] = []

    class Watcher:
        def see(self, weights_NHQK: Tensor) -> None:
            weights.append(weights_NHQK.detach()[:, 0, 0])

    model.decoder.first.cross_attention.listener = Watcher()
    found = added(model, pictures, TARGET, WRITTEN)
    expected = 0.0
    for caption in range(2):
        for place in range(PLACES):
            looked = sum(weights[word][caption, place].item() for word in range(int(REAL[caption].sum())))
            expected += 0.7 * (1 - looked) ** 2
    assert found.item() == pytest.approx(expected, rel=1e-5)
    found.backward()
    assert model.decoder.first.cross_attention.query.weight.grad.abs().sum() > 0


@pytest.mark.parametrize("name", ["caption-soft", "caption-hard", "caption-transformer"])
def test_a_guide_wants_attention_in_its_places(name: str) -> None:
    """−λ Σ log Σ_g∈places α, over the words whose places are known, in plain loops."""
    options = {"heads": 2, "ff_dim": 8} if name == "caption-transformer" else {}
    model, pictures = built(name, **options), torch.randn(2, PLACES, 3)
    torch.manual_seed(3)
    model(pictures, TARGET)
    weights = (model.choice.take().weights_NTK if name == "caption-hard" else model.kept.take()).detach()
    places = torch.zeros(2, 4, PLACES, dtype=torch.bool)
    places[0, 1, [0, 3]] = places[1, 0, 2] = True
    found = []
    for guide in (None, Guide(places, 0.7)):
        torch.manual_seed(3)
        states = model(pictures, TARGET)[REAL]
        found.append(model.take_attention_loss(states, WRITTEN[REAL], REAL, guide).item())
    expected = -0.7 * (math.log(weights[0, 1, 0] + weights[0, 1, 3]) + math.log(weights[1, 0, 2]))
    assert found[1] - found[0] == pytest.approx(expected, rel=1e-4)


def test_a_transformer_is_guided_where_people_look() -> None:
    """What it keeps is the mean of the heads of the layer that is shown, and nobody else's attention is taught."""
    model, pictures = built("caption-transformer", heads=2, ff_dim=8), torch.randn(2, PLACES, 3)
    with saccade.record(model, "decoder.1.cross") as seen:
        states = model(pictures, TARGET)[REAL]
    assert clearest_cross(attention_layers(model)) == "decoder.1.cross"
    shown = seen["decoder.1.cross"].weights_BHQK.mean(dim=1)
    places = torch.zeros(2, 4, PLACES, dtype=torch.bool)
    places[0, 1, [0, 3]] = True
    found = model.take_attention_loss(states, WRITTEN[REAL], REAL, Guide(places, 1.0))
    assert found.item() == pytest.approx(-math.log(shown[0, 1, 0] + shown[0, 1, 3]), rel=1e-5)
    found.backward()
    taught = {name: layer for name, layer in attention_layers(model).items() if name.endswith("cross")}
    gradients = {name: layer.out.weight.grad is not None for name, layer in taught.items()}
    assert gradients == {"decoder.0.cross": True, "decoder.1.cross": False, "decoder.2.cross": False}
    assert taught["decoder.1.cross"].in_weight.grad.abs().sum() > 0


def test_what_was_seen_of_other_pictures_can_be_forgotten() -> None:
    for name in ("caption-soft", "caption-hard"):
        model, pictures = built(name), torch.randn(2, PLACES, 3)
        model(pictures, TARGET)
        torch.manual_seed(4)
        states = model(pictures, TARGET)
        alone = model.take_attention_loss(states[REAL], WRITTEN[REAL], REAL).item()
        model(pictures, TARGET)
        model.forget_attention()
        torch.manual_seed(4)
        assert added(model, pictures, TARGET, WRITTEN).item() == alone


class Told(Choose):
    """Looks where it is told, and draws nothing."""

    def __init__(self, places: tuple[int, ...]) -> None:
        super().__init__()
        self.places = list(places)

    def see(self, weights_N11K: Tensor) -> Tensor:
        weights_NK, place = weights_N11K[:, 0, 0], self.places.pop(0)
        used_NK = torch.zeros_like(weights_NK)
        if place == MEAN:
            used_NK, log_N = weights_NK, torch.zeros(len(weights_NK))
        else:
            used_NK[:, place] = 1.0
            log_N = weights_NK[:, place].log()
        self._weights.append(weights_NK)
        self._log_probability.append(log_N)
        self._entropy.append(-(weights_NK * weights_NK.log()).sum(dim=-1))
        return used_NK[:, None, None]


@dataclass(frozen=True)
class Course:
    """One way in which chance may go: how likely it is, the reward it brings, how undecided attention was."""

    probability: Tensor
    reward: float
    entropy: Tensor


def course(model: HardCaptioner, picture: Tensor, places: tuple[int, ...], soft: float) -> Course:
    told = Told(places)
    model.decoder.first.within = told  # type: ignore[union-attr]
    log_words = torch.log_softmax(model.logits(model(picture, TARGET[:1, :2])), dim=-1)[0]
    drawn = told.take()
    chance = math.prod(soft if place == MEAN else 1 - soft for place in places)
    words = [log_words[word, WRITTEN[0, word]].item() for word in range(2)]
    return Course(chance * drawn.log_probability_NT.sum().exp(), sum(words) / 2, drawn.entropy_NT.sum())


@pytest.mark.parametrize("soft", [0.0, 0.5])
def test_draws_teach_on_average_what_all_that_chance_can_do_teaches(soft: float) -> None:
    """Four places (and the mean), two words: −λ_r ∇ Σ_s P(s) r_s − λ_e Σ_s P(s) ∇ H_s, without any draw."""
    model, picture = built("caption-hard", reward=1.5, entropy=0.3), torch.randn(1, PLACES, 3)
    assert isinstance(model, HardCaptioner)
    options = range(PLACES) if not soft else range(MEAN, PLACES)
    courses = [course(model, picture, places, soft) for places in product(options, repeat=2)]
    assert sum(one.probability.item() for one in courses) == pytest.approx(1, rel=1e-5)
    parts = [model.decoder.first.cross_attention.query.weight, model.decoder.first.cross_attention.score.v_HD]
    expected = sum(
        (-1.5 * one.reward * one.probability - 0.3 * one.probability.detach() * one.entropy for one in courses),
        torch.zeros(()),
    )
    wanted = torch.cat([one.flatten() for one in torch.autograd.grad(expected, parts)])

    choose = Choose(soft=soft)
    model.choice = model.decoder.first.within = choose  # type: ignore[union-attr]
    mean = sum(one.probability.item() * one.reward for one in courses)
    torch.nn.init.constant_(model.baseline_weight, mean / SCALE)
    times = 20_000
    found = added(
        model, picture.expand(times, -1, -1), TARGET[:1, :2].expand(times, -1), WRITTEN[:1, :2].expand(times, -1)
    )
    taught = torch.cat([one.flatten() for one in torch.autograd.grad(found / times, parts)])
    assert (taught - wanted).norm() < 0.12 * wanted.norm()
    # A step along it raises the reward that is to be expected: a wrong sign cannot hide behind a tolerance.
    assert torch.cosine_similarity(taught, wanted, dim=0) > 0.99


def test_the_words_themselves_are_learned_by_their_likelihood_alone() -> None:
    """The reward is a number: no gradient goes through it to the states or to the vocabulary."""
    model = built("caption-hard")
    states = torch.randn(6, 4, requires_grad=True)
    model(torch.randn(2, PLACES, 3), TARGET)
    model.take_attention_loss(states, WRITTEN[REAL], REAL).backward()
    assert states.grad is None
    # The output's weights are also the words' vectors, which lead to the weights of later steps; the reward adds none.
    assert model.baseline_weight.grad is not None


def test_the_baseline_moves_to_the_mean_reward() -> None:
    model, pictures = built("caption-hard", reward=0.0, entropy=0.0), torch.randn(2, PLACES, 3)
    assert model.baseline == pytest.approx(-math.log(WORDS))
    optimizer = torch.optim.Adam([model.baseline_weight], lr=1e-3)
    model.choice.soft = 1.0  # no chance: the rewards stay what they are
    for _ in range(200):
        optimizer.zero_grad()
        states = model(pictures, TARGET)[REAL]
        model.take_attention_loss(states, WRITTEN[REAL], REAL).backward()
        optimizer.step()
    log_words = torch.log_softmax(model.logits(model(pictures, TARGET)), dim=-1)
    right = log_words.gather(2, WRITTEN[:, :, None])[:, :, 0]
    rewards = [right[row][REAL[row]].mean().item() for row in range(2)]
    assert abs(sum(rewards) / 2 + math.log(WORDS)) > 0.2, "it was there from the beginning"
    assert model.baseline == pytest.approx(sum(rewards) / 2, abs=0.05)


def test_a_training_that_begins_with_weights_may_change_what_they_do_not_hold() -> None:
    assert find_preset("caption-soft").free == {"dropout", "doubly", "reward", "entropy"}
    assert find_preset("caption-transformer").free == {"dropout", "attention_dropout"}
