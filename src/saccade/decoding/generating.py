"""Going on with texts, token by token: all tries of all prompts side by side.

Shapes: B prompts, N rows under way, S tokens of a prompt, V vocabulary.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
import torch
from torch import Tensor

from saccade.decoding.choosing import Sampling, draw, log_probability
from saccade.decoding.select import likeliest
from saccade.errors import DecodingError
from saccade.machine import one_thread

FEW = 8  # texts side by side, whose steps are too small for several threads

End = Literal["end", "stop", "length", "context"]
"""The model's own end mark, a stop string, as many tokens as were asked for, the end of the model's positions."""


class TextModel(Protocol):
    """What a language model offers to be written with."""

    @property
    def max_length(self) -> int | None: ...

    def start(self, prompts_BS: Tensor, lengths_B: Tensor) -> Any: ...

    def step(self, tokens_N: Tensor, state: Any) -> Tensor: ...


@dataclass(frozen=True)
class Generating:
    """How much is written: ``max_tokens`` at most, so many ``tries`` of each prompt; ``seed`` decides what is drawn.

    A try's chance is its own: it is the same whatever other prompts and tries stand beside it.
    """

    max_tokens: int = 256
    tries: int = 1
    seed: int = 1
    sampling: Sampling = field(default_factory=Sampling)

    def __post_init__(self) -> None:
        if self.max_tokens < 1:
            raise DecodingError(f"at least 1 token is written, got max-tokens {self.max_tokens}")
        if self.tries < 1:
            raise DecodingError(f"there is at least 1 try for each prompt, got {self.tries}")
        if self.seed < 0:
            raise DecodingError(f"the seed is 0 or above, got {self.seed}")
        if self.tries > 1 and self.sampling.greedy:
            raise DecodingError(
                f"{self.tries} tries without chance would all be the same text: raise the temperature above 0 (and "
                "top-k above 1), or ask for one try"
            )


@dataclass(frozen=True)
class Chance:
    """What decides how a prompt goes on where it is drawn: a seed, and the prompt's number among those asked for."""

    seed: int
    number: int


@dataclass(frozen=True, slots=True)
class New:
    """What one try has just written: a token and its log p; ``end`` when nothing follows. The end mark is no token."""

    text: int
    token: int | None
    log_probability: float
    end: End | None


class Generation:
    """Texts being written: ``step`` until it returns nothing. Text number b · tries + k is the k-th try of prompt b.

    A prompt is what the model reads first, start mark included, so it has at least one token.
    """

    def __init__(
        self,
        model: TextModel,
        prompts: Sequence[Sequence[int]],
        settings: Generating,
        *,
        eos_id: int,
        device: torch.device,
        first: int = 0,
        chances: Sequence[Chance] | None = None,
    ) -> None:
        """``first`` is the number of the first prompt among all that are asked for: it decides their chance.

        With ``chances``, one for each prompt, it does not.
        """
        self._model, self._settings, self._eos_id, self._device = model, settings, eos_id, device
        for number, prompt in enumerate(prompts, start=first + 1):
            _check_fits(prompt, number, model.max_length)
        tries = settings.tries
        # The last token of a prompt is the one that the first step is given.
        lengths = [len(prompt) - 1 for prompt in prompts]
        read_BS = torch.zeros(len(prompts), max(lengths, default=0), dtype=torch.long)
        for row, prompt in enumerate(prompts):
            read_BS[row, : lengths[row]] = torch.tensor(prompt[:-1], dtype=torch.long)
        lasts = [prompt[-1] for prompt in prompts for _ in range(tries)]
        self._newest_N = torch.tensor(lasts, dtype=torch.long, device=device)
        self._texts = list(range(len(lasts)))
        self._going = [True] * len(lasts)
        self._limits = [_limit(len(prompt), settings.max_tokens, model.max_length) for prompt in prompts]
        self._written = 0
        self._chances_NT: Tensor | None = None
        if not settings.sampling.greedy:
            chances = chances or [Chance(settings.seed, first + b) for b in range(len(prompts))]
            drawn = [
                np.random.default_rng([chance.seed, chance.number, k]).random(settings.max_tokens)
                for chance in chances
                for k in range(tries)
            ]
            self._chances_NT = torch.from_numpy(np.array(drawn)).to(device)
        if prompts:
            with torch.no_grad():
                self._state = model.start(read_BS.to(device), torch.tensor(lengths, device=device))
                if tries > 1:
                    of_N = torch.arange(len(prompts), device=device).repeat_interleave(tries)
                    self._state.keep(of_N, of_N)

    @torch.no_grad()
    def step(self) -> list[New]:
        """One more token for every text that goes on; nothing when all are done."""
        if not any(self._going):
            return []
        self._leave()
        with one_thread(len(self._texts) <= FEW):
            logits_NV = self._model.step(self._newest_N, self._state)
            if self._chances_NT is None:
                self._newest_N = likeliest(logits_NV)
            else:
                self._newest_N = draw(logits_NV, self._settings.sampling, self._chances_NT[:, self._written])
            likely = log_probability(logits_NV, self._newest_N).tolist()
        if not all(map(math.isfinite, likely)):
            raise DecodingError("the model gives no token a probability: its weights are spoilt")
        self._written += 1
        found = []
        for row, token in enumerate(self._newest_N.tolist()):
            if not self._going[row]:
                continue
            end = self._end(self._texts[row], token)
            self._going[row] = end is None
            found.append(New(self._texts[row], None if token == self._eos_id else token, likely[row], end))
        return found

    def stop(self, text: int) -> None:
        """This text goes on no more."""
        if text in self._texts:
            self._going[self._texts.index(text)] = False

    def _end(self, text: int, token: int) -> End | None:
        if token == self._eos_id:
            return "end"
        limit = self._limits[text // self._settings.tries]
        if self._written < limit:
            return None
        return "length" if self._written == self._settings.max_tokens else "context"

    def _leave(self) -> None:
        """Texts that are done leave when they are half of all, or when they would go beyond the model's positions."""
        tries = self._settings.tries
        beyond = any(
            not going and self._written >= self._limits[text // tries]
            for text, going in zip(self._texts, self._going, strict=True)
        )
        if not beyond and 2 * sum(self._going) > len(self._going):
            return
        kept = [row for row, going in enumerate(self._going) if going]
        kept_N = torch.tensor(kept, device=self._device)
        self._state.keep(kept_N, kept_N)
        self._newest_N = self._newest_N[kept_N]
        if self._chances_NT is not None:
            self._chances_NT = self._chances_NT[kept_N]
        self._texts = [self._texts[row] for row in kept]
        self._going = [True] * len(kept)


def _limit(prompt: int, most: int, max_length: int | None) -> int:
    """Tokens that can be written: the last of them is never read, so that it needs no position."""
    return most if max_length is None else min(most, max_length - prompt + 1)


def _check_fits(prompt: Sequence[int], number: int, max_length: int | None) -> None:
    if not prompt:
        raise DecodingError(f"prompt {number:,} has no token to begin with: give at least the start mark")
    if max_length is not None and len(prompt) > max_length:
        raise DecodingError(
            f"prompt {number:,} has {len(prompt):,} tokens with the start mark, but the model's context ends at "
            f"{max_length:,}: give a shorter prompt, or the end of this one"
        )
