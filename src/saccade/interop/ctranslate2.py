"""CTranslate2: a trained translator in the format of that inference engine, and the engine as a translator here.

Needs the extra ``saccade[export]``. The engine searches and batches in its own way; its translations equal ours up to
ties between hypotheses.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np
from torch import Tensor, nn

from saccade.attention import MultiHead
from saccade.attention.scores import Dot
from saccade.data.tokenizers import Tokenizer
from saccade.errors import DecodingError, ModelError
from saccade.layers import FeedForward, TokenEmbedding, TransformerDecoder, TransformerEncoder
from saccade.models import Seq2Seq

Precision = Literal["float32", "int8"]

POSITIONS = 1024  # of sinusoidal positions, which have no end of their own, as many are written


def export_ctranslate2(
    model: Seq2Seq, source: Tokenizer, target: Tokenizer, folder: Path, *, precision: Precision = "float32"
) -> None:
    """Writes ``model`` into ``folder`` as CTranslate2 reads it, with its weights in ``precision``."""
    library = _library()
    encoder, decoder = model.encoder, model.decoder
    if not isinstance(encoder, TransformerEncoder) or not isinstance(decoder, TransformerDecoder):
        raise ModelError(
            f"CTranslate2 knows Transformers, and this model has a {type(encoder).__name__}: translate with Saccade"
        )
    first: Any = encoder.layers[0]
    attention: MultiHead = first.self_attention
    if not isinstance(attention.score, Dot) or not attention.score.scaled:
        raise ModelError("CTranslate2 knows only the score scaled-dot")
    if encoder.window is not None or decoder.window is not None:
        raise ModelError("CTranslate2 does not know restricted attention: model.window must be null")
    if not isinstance(first.feed_forward, FeedForward):
        raise ModelError("CTranslate2 does not know mixtures of experts: model.experts must be null")
    specs = library.specs
    activations = {
        "ReLU()": specs.Activation.RELU,
        "GELU(approximate='none')": specs.Activation.GELU,
        "GELU(approximate='tanh')": specs.Activation.GELUTanh,
        "SiLU()": specs.Activation.SWISH,
    }
    spec = specs.TransformerSpec.from_config(
        (len(encoder.layers), len(decoder.layers)),
        attention.heads,
        pre_norm=first.self_residual.place == "pre",
        activation=activations[repr(first.feed_forward.activation)],
    )
    _embedding(spec.encoder, spec.encoder.embeddings[0], model.source_embedding)
    _embedding(spec.decoder, spec.decoder.embeddings, model.target_embedding)
    for part, written in ((encoder, spec.encoder), (decoder, spec.decoder)):
        if isinstance(part.norm, nn.LayerNorm):
            _norm(written.layer_norm, part.norm)
        for block, layer in zip(part.layers, written.layer, strict=True):
            _block(layer, block)
    spec.decoder.projection.weight = _array(model.output.weight)
    spec.register_source_vocabulary(_tokens(source))
    spec.register_target_vocabulary(_tokens(target))
    spec.config.add_source_eos = True
    spec.validate()
    spec.optimize(quantization=precision)
    folder.mkdir(parents=True, exist_ok=True)
    spec.save(str(folder))


@dataclass(frozen=True)
class EngineHypothesis:
    """One translation as the engine gives it: ids without the end mark, and log p / length^α."""

    tokens: tuple[int, ...]
    score: float
    finished: bool


class CTranslate2Engine:
    """A translator of token ids that lives in CTranslate2."""

    def __init__(
        self, model: Seq2Seq, source: Tokenizer, target: Tokenizer, *, precision: Precision = "float32", threads: int
    ) -> None:
        self._source, self._target = _tokens(source), _tokens(target)
        self._ids = {token: number for number, token in enumerate(self._target)}
        self._eos_id = target.eos_id
        with TemporaryDirectory(prefix="saccade-ctranslate2-") as place:
            export_ctranslate2(model, source, target, Path(place), precision=precision)
            self._translator = _library().Translator(
                place, device="cpu", compute_type=precision, intra_threads=1, inter_threads=threads
            )

    def translate(
        self,
        sources: Sequence[Sequence[int]],
        *,
        beam: int,
        length_penalty: float,
        max_length: int,
        nbest: int = 1,
        batch: int = 64,
    ) -> list[list[EngineHypothesis]]:
        """The ``nbest`` translations of each source, best first, from sources without their end mark."""
        found = self._translator.translate_batch(
            [[self._source[number] for number in ids] for ids in sources],
            beam_size=beam,
            num_hypotheses=nbest,
            length_penalty=length_penalty,
            max_decoding_length=max_length,
            max_input_length=0,
            min_decoding_length=0,
            max_batch_size=batch,
            return_scores=True,
            return_end_token=True,
        )
        return [
            [self._read(tokens, score) for tokens, score in zip(one.hypotheses, one.scores, strict=True)]
            for one in found
        ]

    def _read(self, tokens: Sequence[str], score: float) -> EngineHypothesis:
        ids = [self._ids[token] for token in tokens]
        finished = bool(ids) and ids[-1] == self._eos_id
        return EngineHypothesis(tuple(ids[:-1] if finished else ids), score, finished)


def _library() -> Any:
    try:
        import ctranslate2
        import ctranslate2.specs
    except ImportError as error:
        raise DecodingError('this needs CTranslate2: pip install "saccade[export]"') from error
    return ctranslate2


def _tokens(tokenizer: Tokenizer) -> list[str]:
    """One name for each id; the engine looks for the first four by their names."""
    return [*tokenizer.specials, *(f"{number}" for number in range(len(tokenizer.specials), tokenizer.vocab_size))]


def _array(tensor: Tensor) -> Any:
    return tensor.detach().float().cpu().contiguous().numpy()


def _linear(spec: Any, weight: Tensor, bias: Tensor | None) -> None:
    spec.weight = _array(weight)
    if bias is not None:
        spec.bias = _array(bias)


def _norm(spec: Any, norm: nn.LayerNorm) -> None:
    spec.gamma, spec.beta = _array(norm.weight), _array(norm.bias)


def _embedding(side: Any, spec: Any, embedding: TokenEmbedding) -> None:
    positions = embedding.positions
    if positions.combine == "concatenate":
        raise ModelError("CTranslate2 does not know concatenated positions: model.combine must be add")
    spec.weight = _array(embedding.tokens.weight)
    side.scale_embeddings = True
    end = positions.max_length or POSITIONS
    if positions.kind == "none":
        side.position_encodings.encodings = np.zeros((POSITIONS, positions.position_dim), dtype=np.float32)
    else:
        side.position_encodings.encodings = _array(positions.encoding(0, end, embedding.tokens.weight.device))


def _block(spec: Any, block: Any) -> None:
    """An encoder block has no cross-attention; otherwise the two are alike."""
    _self_attention(spec.self_attention, block.self_attention)
    _norm(spec.self_attention.layer_norm, block.self_residual.norm)
    if hasattr(block, "cross_attention"):
        _cross_attention(spec.attention, block.cross_attention)
        _norm(spec.attention.layer_norm, block.cross_residual.norm)
    _feed_forward(spec.ffn, block.feed_forward)
    _norm(spec.ffn.layer_norm, block.ff_residual.norm)


def _self_attention(spec: Any, attention: MultiHead) -> None:
    """The engine wants W_Q, W_K, W_V one below the other, as they are here."""
    _linear(spec.linear[0], attention.in_weight, attention.in_bias)
    _linear(spec.linear[1], attention.out.weight, attention.out.bias)


def _cross_attention(spec: Any, attention: MultiHead) -> None:
    dim, bias = attention.dim, attention.in_bias
    _linear(spec.linear[0], attention.in_weight[:dim], None if bias is None else bias[:dim])
    _linear(spec.linear[1], attention.in_weight[dim:], None if bias is None else bias[dim:])
    _linear(spec.linear[2], attention.out.weight, attention.out.bias)


def _feed_forward(spec: Any, feed_forward: FeedForward) -> None:
    _linear(spec.linear_0, feed_forward.inner.weight, feed_forward.inner.bias)
    _linear(spec.linear_1, feed_forward.outer.weight, feed_forward.outer.bias)
