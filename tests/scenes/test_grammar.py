"""Whole sentences in four languages against the hand-written ones."""

import pytest
from scenes.statements import GOLDEN, Golden

from saccade.scenes import LANGUAGES, realise


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.en.replace(" ", "_"))
def test_sentence_is_the_hand_written_one(golden: Golden, language: str) -> None:
    assert realise(golden.statement, language).text == getattr(golden, language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_text_splits_into_the_words(language: str) -> None:
    for golden in GOLDEN:
        sentence = realise(golden.statement, language)
        assert sentence.text.split() == [word.text for word in sentence.words]


def test_there_are_thirty_sentences_in_every_language() -> None:
    assert all(len({getattr(golden, language) for golden in GOLDEN}) >= 30 for language in LANGUAGES)
