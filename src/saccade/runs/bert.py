"""What all runs of a BERT can do, whatever their head: look inside a text, and give vectors."""

from collections.abc import Sequence

import numpy as np
import torch

from saccade.attention import EVERYTHING, Asked, Written
from saccade.data.tokenizers import Tokenizer
from saccade.errors import DecodingError
from saccade.models import Bert, LayerChoice
from saccade.runs.run import Look, Run
from saccade.tasks.reading import Joined, batch_of, join
from saccade.tasks.vectors import Embedder, Floats, Pooling, WordVectors

LAST = LayerChoice()


class BertRun(Run):
    """A trained model that reads both ways."""

    model: Bert

    @property
    def tokenizer(self) -> Tokenizer:
        return self.tokenizers.target

    def look(self, text: str, second: str | None = None, *, asked: Asked = EVERYTHING) -> Look:
        """Reads a text or a pair and keeps which words each word looked at, in every layer."""
        if not text.strip() or (second is not None and not second.strip()):
            raise DecodingError("there is nothing to look at in an empty text")
        ids = self.tokenizer.encode_batch([text] if second is None else [text, second])
        return self.look_at(text if second is None else f"{text} {second}", self.joined(*ids), asked)

    def look_at(self, shown: str, joined: Joined, asked: Asked = EVERYTHING) -> Look:
        pieces = tuple(self.tokenizer.pieces(joined.tokens))
        with torch.no_grad(), asked.recorder(self.model) as seen:
            seen.start()
            self.model(batch_of([joined], self.tokenizer, self.device))
            seen.gather([Written(index=0, sentence=0, rows=None, source=pieces, target=(), read=())])
        return Look.of(shown, None, seen, asked)

    def sentence_vectors(
        self,
        texts: Sequence[str],
        layers: LayerChoice = LAST,
        *,
        pooling: Pooling = "mean",
        normalize: bool = False,
    ) -> Floats:
        """One vector for each text, (texts, D)."""
        return Embedder(self.model, self.tokenizer).sentences(texts, layers, pooling=pooling, normalize=normalize)

    def word_vectors(self, texts: Sequence[str], layers: LayerChoice = LAST) -> list[WordVectors]:
        """A vector for each word of each text."""
        return Embedder(self.model, self.tokenizer).words(texts, layers)

    @property
    def device(self) -> torch.device:
        return next(self.model.parameters()).device

    def joined(self, first: Sequence[int], second: Sequence[int] | None = None) -> Joined:
        """One or two texts with their marks; refused where the positions do not reach."""
        long = len(first) + 2 + (0 if second is None else len(second) + 1)
        if long > self.model.max_length:
            raise DecodingError(
                f"the text has {long:,} tokens with its marks, the model reads {self.model.max_length:,}"
            )
        own = (np.asarray(first), None if second is None else np.asarray(second))
        return join(self.tokenizer, *own, most=self.model.max_length)
