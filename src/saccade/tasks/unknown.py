"""Unknown words: copy the source word that attention looked at (Luong et al. 2015; Jean et al. 2015).

A tokenizer of whole words writes a name it has never seen as ``<unk>``. Where the model looked while it wrote that, the
name stands. Shapes: H heads, Q tokens written, K source tokens.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from torch import nn

from saccade.attention import Recorder, attention_layers, clearest_cross, record, recorders
from saccade.data.tokenizers import Tokenizer
from saccade.decoding import Hypothesis
from saccade.errors import DecodingError


@dataclass(frozen=True)
class Copier:
    """Says which source words the unknown ones of a hypothesis are, while its batch is being recorded."""

    recorder: Recorder
    layer: str
    source: Tokenizer
    tags: int
    """Tokens that stand before the text."""

    def words(self, text: str, hypothesis: Hypothesis) -> list[str]:
        """For each unknown token the word of ``text`` with the largest weight, by the mean of the layer's heads."""
        unknown = [place for place, token in enumerate(hypothesis.tokens) if token == self.source.unk_id]
        if not unknown:
            return []
        pieces = [text[span.start : span.end] for span in self.source.encode(text).offsets]
        spoken = [place for place, piece in enumerate(pieces) if piece.strip()]
        weights_HQK = self.recorder.weights_along(self.layer, hypothesis.rows, self.tags + len(pieces))
        weights_QK = weights_HQK[:, :, self.tags :].mean(dim=0)
        return [pieces[spoken[int(weights_QK[place, spoken].argmax())]] for place in unknown]


def copied_from(model: nn.Module) -> str:
    """The layer that tends to align best; a model without attention to its source is refused."""
    layer = clearest_cross(attention_layers(model))
    if layer is None:
        raise DecodingError(
            "unknown words are replaced by the source word that attention looked at, but this model has no attention "
            "to its source: set decode.replace_unknown=false, or train a model that has, such as rnn-additive"
        )
    return layer


@contextmanager
def copying(model: nn.Module, source: Tokenizer, *, tags: int = 0) -> Iterator[Copier]:
    """Records the layer that tends to align best; where somebody records it already, what they see is used."""
    layer = copied_from(model)
    for recorder in recorders(model):
        if layer in recorder:
            yield Copier(recorder, layer, source, tags)
            return
    with record(model, layer) as own:
        yield Copier(own, layer, source, tags)
