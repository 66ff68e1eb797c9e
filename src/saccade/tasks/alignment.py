"""Attention as word alignment: which layer and head to read it from, and how well it agrees with the truth."""

from collections.abc import Sequence
from dataclasses import dataclass

from saccade.attention import Attended
from saccade.data.examples import Link, Pair
from saccade.data.tokenizers import Tokenizer
from saccade.errors import DataError
from saccade.evaluation.alignment import AlignmentScore, alignment_error_rate, links_from_weights
from saccade.tasks.forced import forced_attention
from saccade.tasks.translator import Member


@dataclass(frozen=True)
class Lens:
    """Where alignment is read: one head of a layer, or the mean of its heads."""

    layer: str
    head: int | None

    def __str__(self) -> str:
        return f"{self.layer}, {'mean of heads' if self.head is None else f'head {self.head}'}"


@dataclass(frozen=True)
class ReadAlignment:
    """How well an alignment agrees with the truth, and where it was read."""

    score: AlignmentScore
    lens: Lens


def choose_lens(member: Member, pairs: Sequence[Pair]) -> Lens:
    """The lens with the lowest alignment error on these pairs (validation pairs, never those that are reported)."""
    known = _aligned(pairs)
    attended = forced_attention(member, known, "decoder.*.cross")
    lenses = [
        Lens(layer, head) for layer, one in attended[0].items() for head in (None, *range(one.weights_HQK.shape[0]))
    ]
    return min(lenses, key=lambda lens: _score(member, known, attended, lens).error_rate)


def alignment_score(member: Member, pairs: Sequence[Pair], lens: Lens) -> AlignmentScore:
    """The alignment error of forced decoding, read through ``lens``."""
    known = _aligned(pairs)
    return _score(member, known, forced_attention(member, known, lens.layer), lens)


def _aligned(pairs: Sequence[Pair]) -> list[Pair]:
    known = [pair for pair in pairs if pair.alignment is not None]
    if not known:
        raise DataError("no pair has a gold alignment: alignment error can only be measured where the truth is known")
    return known


def _score(
    member: Member, pairs: Sequence[Pair], attended: Sequence[dict[str, Attended]], lens: Lens
) -> AlignmentScore:
    predicted = [_links(member, pair, one[lens.layer], lens.head) for pair, one in zip(pairs, attended, strict=True)]
    return alignment_error_rate(predicted, [pair.alignment or frozenset() for pair in pairs])


def _links(member: Member, pair: Pair, attended: Attended, head: int | None) -> frozenset[Link]:
    weights_HQK = attended.weights_HQK
    weights_QK = weights_HQK.mean(dim=0) if head is None else weights_HQK[head]
    return links_from_weights(
        weights_QK.numpy(),
        source_words=_words(member.tokenizers.source, member.tokenizers.read([pair.source], pair.into)[0]),
        target_words=_words(member.tokenizers.target, member.tokenizers.target.encode_batch([pair.target])[0]),
    )


def _words(tokenizer: Tokenizer, ids: Sequence[int]) -> list[int]:
    """The word of each token, and -1 for a tag and for the end mark."""
    return [*tokenizer.words(ids), *tokenizer.words([tokenizer.eos_id])]
