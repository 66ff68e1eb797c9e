from collections.abc import Sequence

import pytest
import torch

from saccade.attention import Attended
from saccade.data.examples import Direction, Link, Pair
from saccade.errors import DataError
from saccade.runs import Run
from saccade.tasks import alignment
from saccade.tasks.alignment import Lens, alignment_score, choose_lens
from saccade.tasks.spool import read_spool
from saccade.tasks.translator import Member
from tasks.parts import PAIRS, member


def crossing(pair: Pair, direction: Direction | None = None) -> Pair:
    """``the red star`` — ``star la red ici``: the first three cross, the last has no partner."""
    links = frozenset({Link(2, 0), Link(0, 1), Link(1, 2)})
    return Pair(pair.source, pair.target, alignment=links, direction=direction)


def hand_made(right: str, head: int) -> object:
    """Weights of which one head of one layer is perfect, and every other looks at the first word."""

    def attention(one: Member, pairs: Sequence[Pair], layers: str = "*") -> list[dict[str, Attended]]:
        found = []
        for pair in pairs:
            tag = () if pair.into is None else (f"<2{pair.into}>",)
            queries, keys = (*pair.target.split(), "</s>"), (*tag, *pair.source.split(), "</s>")
            layers_of_pair = {}
            for layer in ("decoder.0.cross", "decoder.1.cross"):
                weights = torch.zeros(2, len(queries), len(keys))
                weights[:, :, 0] = 1.0
                if layer == right:
                    weights[head] = 0.0
                    weights[head, :, -1] = 1.0  # what has no partner looks at the end mark
                    for link in pair.alignment or ():
                        weights[head, link.target] = torch.eye(len(keys))[len(tag) + link.source]
                layers_of_pair[layer] = Attended(layer, weights, queries, keys)
            found.append(layers_of_pair)
        return found

    return attention


@pytest.mark.parametrize(("layer", "head"), [("decoder.0.cross", 1), ("decoder.1.cross", 0)])
def test_the_best_lens_is_chosen_and_perfect_weights_have_no_error(
    monkeypatch: pytest.MonkeyPatch, layer: str, head: int
) -> None:
    monkeypatch.setattr(alignment, "forced_attention", hand_made(layer, head))
    one, pairs = member(), [crossing(pair) for pair in PAIRS]
    lens = choose_lens(one, [Pair("not aligned", "at all"), *pairs])
    assert lens == Lens(layer, head)
    assert str(lens) == f"{layer}, head {head}"
    score = alignment_score(one, pairs, lens)
    assert (score.error_rate, score.precision, score.recall) == (0.0, 1.0, 1.0)
    wrong = alignment_score(one, pairs, Lens(layer, 1 - head))
    assert wrong.error_rate > 0.5


def test_a_tag_is_no_word_to_align_with(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alignment, "forced_attention", hand_made("decoder.0.cross", 1))
    one = member(languages=("en", "fr"))
    pairs = [crossing(pair, Direction("en", "fr")) for pair in PAIRS]
    assert alignment_score(one, pairs, Lens("decoder.0.cross", 1)).error_rate == 0.0


def test_the_mean_of_heads_is_a_lens_too() -> None:
    one = member()
    score = alignment_score(one, [crossing(pair) for pair in PAIRS], Lens("decoder.1.cross", None))
    assert 0 <= score.error_rate <= 1
    assert str(Lens("decoder.1.cross", None)) == "decoder.1.cross, mean of heads"


def test_without_gold_alignments_there_is_nothing_to_measure() -> None:
    with pytest.raises(DataError, match="no pair has a gold alignment"):
        choose_lens(member(), PAIRS)


def test_a_trained_translator_aligns_better_than_chance(run: Run) -> None:
    valid = list(read_spool(run.folder.data / "valid.jsonl"))
    lens = choose_lens(run.member, valid[:40])
    trained = alignment_score(run.member, valid[40:], lens)
    assert trained.error_rate < 0.6
