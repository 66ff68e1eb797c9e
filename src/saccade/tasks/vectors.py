"""Contextual vectors of texts and of their words, from any layers of a BERT.

Shapes: B texts, T tokens, E width of the model, D = E, or E times the layers when these are concatenated.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import torch

from saccade.data.batches import in_length_order
from saccade.data.tokenizers import Tokenizer
from saccade.errors import DecodingError
from saccade.models import Bert, LayerChoice
from saccade.tasks.reading import Joined, batch_of, join

Pooling = Literal["mean", "first"]
Floats = npt.NDArray[np.float32]

BATCH_TOKENS = 4096


@dataclass(frozen=True)
class WordVectors:
    """The words of a text, as the tokenizer parts them, and a vector for each, (words, D)."""

    words: tuple[str, ...]
    vectors: Floats


class Embedder:
    """A BERT with its tokenizer, asked for vectors."""

    def __init__(self, model: Bert, tokenizer: Tokenizer) -> None:
        self.model = model
        self.tokenizer = tokenizer

    def sentences(
        self, texts: Sequence[str], layers: LayerChoice, *, pooling: Pooling = "mean", normalize: bool = False
    ) -> Floats:
        """(texts, D): the mean over all tokens of a text, marks included, or the state of its first, [CLS]."""
        found: dict[int, Floats] = {}
        for row, states_TD in self._states(texts, layers):
            vector = states_TD.mean(axis=0) if pooling == "mean" else states_TD[0]
            found[row] = vector / max(float(np.linalg.norm(vector)), 1e-12) if normalize else vector
        return np.stack([found[row] for row in range(len(texts))])

    def words(self, texts: Sequence[str], layers: LayerChoice) -> list[WordVectors]:
        """For each text its words, each with the mean of its pieces' states."""
        found: dict[int, WordVectors] = {}
        encoded = self.tokenizer.encode_batch(texts)
        for row, states_TD in self._states(texts, layers):
            ids = encoded[row]
            number = np.array(self.tokenizer.words(ids))
            words = self.tokenizer.decode(ids).split()
            states_TD = states_TD[1 : 1 + len(ids)]
            vectors = [states_TD[number == word].mean(axis=0) for word in range(len(words))]
            found[row] = WordVectors(tuple(words), np.stack(vectors))
        return [found[row] for row in range(len(texts))]

    def _states(self, texts: Sequence[str], layers: LayerChoice) -> "Sequence[tuple[int, Floats]]":
        joined = self._joined(texts)
        device = next(self.model.parameters()).device
        found: list[tuple[int, Floats]] = []
        for rows in in_length_order(np.array([len(one) for one in joined]), BATCH_TOKENS):
            reading = batch_of([joined[row] for row in rows], self.tokenizer, device)
            with torch.no_grad():
                states_BTD = layers.of(self.model.states(reading)).float().cpu().numpy()
            found += [(int(row), states_BTD[place, : len(joined[row])]) for place, row in enumerate(rows)]
        return found

    def _joined(self, texts: Sequence[str]) -> list[Joined]:
        encoded = self.tokenizer.encode_batch(texts)
        for number, (text, ids) in enumerate(zip(texts, encoded, strict=True), start=1):
            if not ids:
                raise DecodingError(f"text {number:,} is empty: there is nothing to make a vector of")
            if len(ids) + 2 > self.model.max_length:
                raise DecodingError(
                    f"text {number:,} has {len(ids) + 2:,} tokens with its marks, the model reads "
                    f"{self.model.max_length:,}: {text[:40]!r} …"
                )
        return [join(self.tokenizer, ids, most=self.model.max_length) for ids in encoded]
