import pytest
import torch

from saccade.models import BertClassifier, Reading, Vocabulary, build_model

VOCABULARY = Vocabulary(source=20, target=20, shared=True, pad_id=0, labels=3)
SMALL = {"dim": 16, "heads": 2, "layers": 2, "ff_dim": 24, "max_length": 12, "dropout": 0.0}


def classifier(pool: str) -> BertClassifier:
    torch.manual_seed(1)
    model = build_model("bert-mini", {**SMALL, "pool": pool}, VOCABULARY, task="classification")
    assert isinstance(model, BertClassifier)
    return model.eval()


def reading(rows: list[list[int]]) -> Reading:
    longest = max(map(len, rows))
    tokens_BT = torch.tensor([[*row, *[0] * (longest - len(row))] for row in rows])
    return Reading(tokens_BT, torch.zeros_like(tokens_BT), tokens_BT != 0)


def test_a_classifier_reads_the_first_token_or_the_mean_of_all() -> None:
    text = reading([[1, 5, 6, 7, 2]])
    with torch.no_grad():
        first, mean = classifier("first"), classifier("mean")
        states_TE = first(text)[0]
        assert first.pooler is not None
        expected = first.labels(torch.tanh(first.pooler.dense(states_TE[0])))
        torch.testing.assert_close(first.scores(text)[0], expected)
        torch.testing.assert_close(mean.scores(text)[0], mean.labels(mean(text)[0].mean(dim=0)))


@pytest.mark.parametrize("pool", ["first", "mean"])
def test_padding_changes_nothing(pool: str) -> None:
    model, short = classifier(pool), [1, 5, 2]
    with torch.no_grad():
        alone = model.scores(reading([short]))
        beside = model.scores(reading([short, [1, 7, 8, 9, 10, 11, 2]]))[:1]
    torch.testing.assert_close(alone, beside)
