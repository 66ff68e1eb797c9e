import math

import pytest

from saccade.errors import DataError
from saccade.evaluation.language import Read, compare_language, score_language

READ = [Read(nats=20.0, tokens=10, bytes=40, characters=38), Read(nats=5.0, tokens=5, bytes=30, characters=30)]


def test_the_equations() -> None:
    found = score_language(READ, settings="context:64")
    assert found.loss == pytest.approx(25 / 15)
    assert found.perplexity.value == pytest.approx(math.exp(25 / 15))
    assert found.bits_per_byte is not None
    assert found.bits_per_character is not None
    assert found.bits_per_byte.value == pytest.approx(25 / math.log(2) / 70)
    assert found.bits_per_character.value == pytest.approx(25 / math.log(2) / 68)
    assert found.bits_per_byte.signature.startswith("documents:2|context:64|unknown:0|version:")
    assert [score.name for score in found.scores] == ["perplexity", "bits per byte", "bits per character"]


def test_the_interval_is_of_resampled_documents() -> None:
    found = score_language(READ)
    interval = found.perplexity.interval
    assert interval is not None
    assert interval.low == pytest.approx(math.exp(1))  # only the second document was drawn
    assert interval.high == pytest.approx(math.exp(2))
    assert score_language(READ, resamples=0).perplexity.interval is None


def test_unknown_words_leave_no_bits() -> None:
    """A word that is not in the vocabulary costs no more than its mark, so the bits would be of another text."""
    found = score_language([*READ, Read(nats=1.0, tokens=2, bytes=100, characters=100, unknown=1)])
    assert found.bits_per_byte is None
    assert found.bits_per_character is None
    assert [score.name for score in found.scores] == ["perplexity"]
    assert "unknown:1" in found.perplexity.signature


def test_nothing_to_score() -> None:
    with pytest.raises(DataError, match="there is no document to score: the text is empty"):
        score_language([])


def test_two_models_on_the_same_documents() -> None:
    better = [Read(one.nats - 2.0, one.tokens, one.bytes, one.characters) for one in READ * 20]
    test = compare_language(READ * 20, better)
    assert test.metric == "bits per byte"
    assert test.difference == pytest.approx(-4 / math.log(2) / 70)
    assert test.interval.high < 0
    assert test.p_value < 0.01
    with pytest.raises(DataError, match="models that do not know every word of the text have no bits per byte"):
        compare_language(READ, [Read(1.0, 2, 3, 3, unknown=1)])
