"""One large corpus, drawn once for the tests that need many sentences."""

import pytest

from saccade.scenes import LANGUAGES, describe, realise


@pytest.fixture(scope="session")
def corpus() -> dict[str, list[str]]:
    """Fifty thousand different meanings, said in every language."""
    texts: dict[str, list[str]] = {language: [] for language in LANGUAGES}
    for description in describe("train", 50_000, 6):
        for language in LANGUAGES:
            texts[language].append(realise(description.statement, language).text)
    return texts
