"""Captioner: reads a picture as a grid of places and writes a text about it, word by word.

Shapes: B pictures, G places, C width of their vectors, T words, N words that are real, E width of the model.
"""

import math
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from saccade.attention import AttentionLayer, Choose, Keep, attention_layers, clearest_cross
from saccade.layers import Decoder, Encoded, Encoder, PlaceEmbedding, State, TokenEmbedding, log_probabilities
from saccade.models.writer import Writer

SCALE = 32.0  # of the baseline
LEAST = 1e-6  # attention of which the logarithm is taken


@dataclass(frozen=True)
class CaptionParts:
    """What every captioner is put together from; ``places`` turns pictures into (B, G, E)."""

    places: nn.Module
    target_embedding: TokenEmbedding
    encoder: Encoder
    decoder: Decoder[Any]
    output: nn.Linear
    pad_id: int


@dataclass(frozen=True)
class Guide:
    """Where attention should lie at each word: ``places_BTG`` is True there, and nowhere where that is not known."""

    places_BTG: Tensor
    weight: float

    def loss(self, weights_BTG: Tensor) -> Tensor:
        """−λ Σ_t log Σ_{g ∈ places} α_tg over the words whose places are known (Liu et al. 2017)."""
        within_BT = (weights_BTG.float() * self.places_BTG).sum(dim=-1)
        return -self.weight * within_BT[self.places_BTG.any(dim=-1)].clamp_min(LEAST).log().sum()


class Captioner(Writer):
    """p(caption | picture) = Π_t softmax(W · decoder(caption_<t, encoder(places)))."""

    HEADS: ClassVar[tuple[str, ...]] = ("baseline_weight",)
    """What only hard attention has, so that it can begin with soft attention's weights, and soft with hard's."""

    def __init__(self, parts: CaptionParts) -> None:
        super().__init__()
        self.places = parts.places
        self.target_embedding = parts.target_embedding
        self.encoder = parts.encoder
        self.decoder = parts.decoder
        self.output = parts.output
        self.pad_id = parts.pad_id

    @property
    def places_count(self) -> int:
        """How many places a picture is read as."""
        return next(len(part.positions) for part in self.places.modules() if isinstance(part, PlaceEmbedding))

    def forward(self, picture: Tensor, target_BT: Tensor, picture_B: Tensor | None = None) -> Tensor:
        """The decoder's states (B, T, E) when it is given the right prefix at every position.

        ``picture_B`` says which of the pictures each caption speaks of; without it, one after the other.
        """
        source = self._read(picture)
        if picture_B is not None:
            source = source.select(picture_B)
        states: Tensor = self.decoder(self.target_embedding(target_BT), source)
        return states

    def start(self, picture: Tensor) -> State:
        """Reads the pictures; the state goes to ``step``."""
        state: State = self.decoder.start(self._read(picture))
        return state

    def _read(self, picture: Tensor) -> Encoded:
        x_BGE = self.places(picture)
        read: Encoded = self.encoder(x_BGE, torch.ones(x_BGE.shape[:2], dtype=torch.bool, device=x_BGE.device))
        return read

    can_be_guided: ClassVar[bool] = False
    """Whether ``take_attention_loss`` heeds a guide."""

    def take_attention_loss(
        self, states_NE: Tensor, tokens_N: Tensor, real_BT: Tensor, guide: Guide | None = None
    ) -> Tensor:
        """What the way of attending adds to the loss of the words that ``forward`` has just seen; most add nothing."""
        del states_NE, tokens_N, guide
        return real_BT.new_zeros((), dtype=torch.float32)

    def forget_attention(self) -> None:
        """Drops what ``forward`` has kept for that loss."""

    def settled(self) -> AbstractContextManager[None]:
        """Looks, for as long as that, as it does when it writes: nothing is left to chance, also in training."""
        return nullcontext()


class SoftCaptioner(Captioner):
    """Every place should be looked at once in a caption: λ Σ_g (1 − Σ_t α_tg)² (doubly stochastic, Xu et al. 2015)."""

    can_be_guided = True

    def __init__(self, parts: CaptionParts, *, kept: Keep, doubly: float) -> None:
        super().__init__(parts)
        self.kept = kept
        self.doubly = doubly

    def take_attention_loss(
        self, states_NE: Tensor, tokens_N: Tensor, real_BT: Tensor, guide: Guide | None = None
    ) -> Tensor:
        if not self.training:
            return super().take_attention_loss(states_NE, tokens_N, real_BT)
        weights_BTG = self.kept.take() * real_BT[:, :, None]
        even = self.doubly * (1 - weights_BTG.sum(dim=1)).square().sum()
        return even if guide is None else even + guide.loss(weights_BTG)

    def forget_attention(self) -> None:
        self.kept.clear()


class TransformerCaptioner(Captioner):
    """Several heads of several layers look at once; a guide shows one layer, by the mean of its heads, its places.

    It is the layer that is read where nobody chose another, so that what people look at is what was shown.
    """

    can_be_guided = True

    def __init__(self, parts: CaptionParts) -> None:
        super().__init__(parts)
        self.kept = Keep()

    def forward(self, picture: Tensor, target_BT: Tensor, picture_B: Tensor | None = None) -> Tensor:
        self.forget_attention()  # what nobody has taken since the last time belongs to other words
        self._guided.within = self.kept if self.training else None
        return super().forward(picture, target_BT, picture_B)

    @property
    def _guided(self) -> AttentionLayer:
        layers = attention_layers(self)
        return layers[clearest_cross(layers) or ""]

    def take_attention_loss(
        self, states_NE: Tensor, tokens_N: Tensor, real_BT: Tensor, guide: Guide | None = None
    ) -> Tensor:
        if guide is None or not self.training:
            return super().take_attention_loss(states_NE, tokens_N, real_BT)
        return guide.loss(self.kept.take() * real_BT[:, :, None])

    def forget_attention(self) -> None:
        self.kept.clear()


class HardCaptioner(Captioner):
    """One place for every word, learned by its reward (REINFORCE, Williams 1992; Xu et al. 2015).

        gradient  ∇ Σ_t log p(w_t) + λ_r (r − b) ∇ Σ_t log α_{s_t} + λ_e ∇ Σ_t H(α_t)

    for each caption, with the reward r = mean_t log p(w_t). Only steps at which a place was drawn have a log α.

    The baseline b begins at −log V, where nothing is known, and follows the rewards: it is a weight with a loss of its
    own, so that all processes of a training share it and a checkpoint holds it. Adam moves a weight by about the
    learning rate in a step, but b has some units to go; so the weight is b / 32 and its loss ((r − b) / 32)², whose
    gradient is also too small to count when gradients are clipped.
    """

    can_be_guided = True

    def __init__(self, parts: CaptionParts, *, choice: Choose, reward: float, entropy: float) -> None:
        super().__init__(parts)
        self.choice = choice
        self.reward = reward
        self.entropy = entropy
        self.baseline_weight = nn.Parameter(torch.tensor(-math.log(parts.output.out_features) / SCALE))

    @property
    def baseline(self) -> float:
        """The reward that is expected."""
        return SCALE * self.baseline_weight.item()

    def take_attention_loss(
        self, states_NE: Tensor, tokens_N: Tensor, real_BT: Tensor, guide: Guide | None = None
    ) -> Tensor:
        if not self.training:
            return super().take_attention_loss(states_NE, tokens_N, real_BT)
        drawn = self.choice.take()
        words_BT = real_BT.new_zeros(real_BT.shape, dtype=torch.float32)
        words_BT[real_BT] = log_probabilities(states_NE.detach(), self.output.weight.detach(), tokens_N)
        reward_B = words_BT.sum(dim=1) / real_BT.sum(dim=1)
        ahead_B = reward_B - SCALE * self.baseline_weight
        places_B = (drawn.log_probability_NT * real_BT).sum(dim=1)
        undecided = (drawn.entropy_NT * real_BT).sum()
        followed = (ahead_B / SCALE).square().sum()
        learned = followed - self.reward * (ahead_B.detach() * places_B).sum() - self.entropy * undecided
        return learned if guide is None else learned + guide.loss(drawn.weights_NTK)

    def forget_attention(self) -> None:
        self.choice.clear()

    @contextmanager
    def settled(self) -> Iterator[None]:
        self.choice.settled = True
        try:
            yield
        finally:
            self.choice.settled = False
