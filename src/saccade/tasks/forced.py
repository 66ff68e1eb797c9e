"""Forced decoding: give a model the source and the whole target, and see where it looks while it would write it."""

from collections.abc import Sequence

import torch

from saccade.attention import EVERYTHING, Asked, Attended, Recorder, Written
from saccade.data.batches import pad
from saccade.data.examples import Pair
from saccade.tasks.translator import Member

BATCH = 64


def forced_attention(member: Member, pairs: Sequence[Pair], layers: str = "*") -> list[dict[str, Attended]]:
    """For each pair the attention of every chosen layer by name, tokens attached; both sides end with the end mark."""
    found: list[dict[str, Attended]] = []
    for first in range(0, len(pairs), BATCH):
        batch = pairs[first : first + BATCH]
        seen = forced(member, batch, Asked((layers,)))
        found += [{layer: seen[layer].attended[i] for layer in seen} for i in range(len(batch))]
    return found


def forced(member: Member, pairs: Sequence[Pair], asked: Asked = EVERYTHING) -> Recorder:
    """What was seen while one batch of pairs was written, by the number of each pair."""
    source, target = member.tokenizers.source, member.tokenizers.target
    sources = member.tokenizers.read([pair.source for pair in pairs], [pair.into for pair in pairs])
    targets = target.encode_batch([pair.target for pair in pairs])
    start, end = target.pieces([target.bos_id]), target.pieces([target.eos_id])
    device = next(member.model.parameters()).device
    written = [
        Written(
            index=i,
            sentence=i,
            rows=None,
            source=(*source.pieces(source_ids), *end),
            target=(*target.pieces(target_ids), *end),
            read=(*start, *target.pieces(target_ids)),
        )
        for i, (source_ids, target_ids) in enumerate(zip(sources, targets, strict=True))
    ]
    with torch.no_grad(), asked.recorder(member.model.eval()) as seen:
        seen.start()
        member.model(
            pad(sources, source.pad_id, suffix=[source.eos_id]).to(device),
            pad(targets, target.pad_id, prefix=[target.bos_id]).to(device),
        )
        seen.gather(written)
    return seen
