from dataclasses import replace

import pytest
import torch

from saccade.models import BertClassifier, Reading, Vocabulary, build_model
from saccade.models.layer_choice import LayerChoice

VOCABULARY = Vocabulary(source=20, target=20, shared=True, pad_id=0, labels=3)
SMALL = {"dim": 16, "heads": 2, "layers": 2, "ff_dim": 24, "max_length": 12, "dropout": 0.0}


def classifier(pool: str, **options: object) -> BertClassifier:
    torch.manual_seed(1)
    model = build_model("bert-mini", {**SMALL, "pool": pool, **options}, VOCABULARY, task="classification")
    assert isinstance(model, BertClassifier)
    return model.eval()


def reading(rows: list[list[int]], first: int | None = None) -> Reading:
    """``first`` is how many tokens of each row are of its first text; None: all of them."""
    longest = max(map(len, rows))
    tokens_BT = torch.tensor([[*row, *[0] * (longest - len(row))] for row in rows])
    real_BT = tokens_BT != 0
    segments_BT = torch.zeros_like(tokens_BT)
    if first is not None:
        segments_BT[:, first:] = 1
    return Reading(tokens_BT, segments_BT * real_BT, real_BT)


def test_a_classifier_reads_the_first_token_or_the_mean_of_all() -> None:
    text = reading([[1, 5, 6, 7, 2]])
    with torch.no_grad():
        first, mean = classifier("first"), classifier("mean")
        states_TE = first(text)[0]
        assert first.pooler is not None
        expected = first.labels(torch.tanh(first.pooler.dense(states_TE[0])))
        torch.testing.assert_close(first.scores(text)[0], expected)
        torch.testing.assert_close(mean.scores(text)[0], mean.labels(mean(text)[0].mean(dim=0)))


@pytest.mark.parametrize("pool", ["first", "mean", "both", "apart"])
@pytest.mark.parametrize("combine", ["sum", "concatenate"])
def test_a_classifier_reads_any_layers(pool: str, combine: str) -> None:
    model, pair = classifier(pool, read="0,-1", combine=combine), reading([[1, 5, 6, 2, 7, 8, 2]], first=4)
    with torch.no_grad():
        said = model.scores(pair)
        before, _, last = model.states(pair)
        read_BTD = before + last if combine == "sum" else torch.cat((before, last), dim=-1)
        model.read = LayerChoice((0,))
        model.states = lambda _: [read_BTD]  # type: ignore[method-assign]
        torch.testing.assert_close(said, model.scores(pair))


@pytest.mark.parametrize("pool", ["first", "mean", "both", "apart"])
def test_padding_changes_nothing(pool: str) -> None:
    model, short = classifier(pool), [1, 5, 2]
    with torch.no_grad():
        alone = model.scores(reading([short], first=2))
        beside = model.scores(reading([short, [1, 7, 8, 9, 10, 11, 2]], first=2))[:1]
    torch.testing.assert_close(alone, beside)


def test_texts_that_are_read_together_know_of_each_other() -> None:
    model = classifier("both")
    with torch.no_grad():
        states_BTE = model(reading([[1, 5, 6, 2, 7, 2], [1, 5, 6, 2, 9, 2]], first=4))
    assert not torch.allclose(states_BTE[0, :4], states_BTE[1, :4])


def test_texts_that_are_read_apart_do_not_know_of_each_other() -> None:
    """The first is as it is alone; the second as it is alone behind a [CLS] that nobody sees."""
    model = classifier("apart")
    with torch.no_grad():
        states_BTE = model(reading([[1, 5, 6, 2, 7, 8, 2], [1, 5, 6, 2, 9, 2]], first=4))
        torch.testing.assert_close(states_BTE[0, :4], states_BTE[1, :4])
        torch.testing.assert_close(states_BTE[0, :4], model(reading([[1, 5, 6, 2]]))[0])
        alone = reading([[7, 8, 2]])
        placed = replace(alone, positions_BT=torch.tensor([[1, 2, 3]]))
        expected = model.encoder.states(
            model.embedding(placed.tokens_BT, placed.segments_BT, placed.positions_BT), placed.real_BT
        )[-1][0]
        torch.testing.assert_close(states_BTE[0, 4:], expected)


@pytest.mark.parametrize("pool", ["both", "apart"])
def test_the_texts_of_a_pair_are_compared(pool: str) -> None:
    model, pair = classifier(pool), reading([[1, 5, 6, 2, 7, 8, 2]], first=4)
    with torch.no_grad():
        states_TE = model(pair)[0]
        u_E, v_E = states_TE[:4].mean(dim=0), states_TE[4:].mean(dim=0)
        cosine = torch.cosine_similarity(u_E, v_E, dim=0)
        u_E, v_E = (4 * each / each.norm() for each in (u_E, v_E))
        features = torch.cat((u_E, v_E, (u_E - v_E).abs(), u_E * v_E))
        torch.testing.assert_close(model.scores(pair)[0], model.labels(features))
        torch.testing.assert_close((u_E * v_E).sum(), 16 * cosine)
