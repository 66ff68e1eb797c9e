"""Attention that is shown where to look: which places each token speaks of, and what a captioner learns of it."""

from pathlib import Path

import numpy as np
import pytest
import torch

from saccade.data.examples import Box
from saccade.data.tokenizers import train_tokenizer
from saccade.errors import DataError, ModelError
from saccade.tasks.guiding import Guiding, places_of
from saccade.tasks.spool import Shown
from saccade.tasks.views import AS_IT_IS, Way
from tasks.captions import captioner_for, draw, prepared, settings_for, task_for

LEFT = (Box(0, 0, 0.5, 1),)


def test_places_are_those_whose_centres_lie_in_a_box() -> None:
    assert places_of(LEFT, 4).reshape(4, 4).tolist() == [[True, True, False, False]] * 4
    both = places_of((Box(0, 0, 0.25, 0.25), Box(0.75, 0.75, 1, 1)), 4)
    assert np.flatnonzero(both).tolist() == [0, 15]
    assert np.flatnonzero(places_of((Box(0.2, 0.01, 0.3, 0.1),), 2)).tolist() == [0], "it holds no centre"


def test_every_token_of_a_known_word_is_guided(tmp_path: Path) -> None:
    """Also where words are cut into pieces; capitals and punctuation do not count; what a mirror shows is mirrored."""
    tokenizer = train_tokenizer(["a wall ."], kind="characters")
    shown = [Shown("it", ("a wall",), boxes={"wall": LEFT})]
    ids = tokenizer.encode("a wall .").ids
    guiding = Guiding(tokenizer, shown, weight=0.5)
    guide = guiding.guide([0, 0], [ids, ids], [AS_IT_IS, Way(mirrored=True)], length=len(ids) + 2, side=2)
    assert guide.weight == 0.5
    assert guide.places_BTG.shape == (2, len(ids) + 2, 4)
    letters = [token for token, word in enumerate(tokenizer.words(ids)) if word == 1]
    assert len(letters) == 4
    assert torch.nonzero(guide.places_BTG[0].any(dim=-1)).flatten().tolist() == letters
    assert guide.places_BTG[0, letters[0]].tolist() == [True, False, True, False]
    assert guide.places_BTG[1, letters[0]].tolist() == [False, True, False, True]


@pytest.mark.parametrize("preset", ["caption-soft", "caption-hard", "caption-transformer", "caption-vit"])
def test_attention_goes_where_it_is_shown(tmp_path: Path, preset: str) -> None:
    """Persons stand on the left: after some steps most of the attention lies there when they are named."""
    drawn = draw(tmp_path / "drawn")
    corpus = prepared(tmp_path / "run", settings_for(drawn, regions=drawn.regions, guides=True)).corpus
    assert corpus.train[0].boxes["woman"]
    task, model = task_for(corpus, guide=1.0), captioner_for(corpus, preset, seed=2).train()
    rows = np.arange(12)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(40):
        torch.manual_seed(1)
        optimizer.zero_grad()
        task.loss(model, rows).total.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    torch.manual_seed(1)
    guided = task.loss(model, rows).total.item()
    task.guiding = None
    torch.manual_seed(1)
    missing = guided - task.loss(model, rows).total.item()
    words = sum(
        text.count(who) for row in rows for text in [task.describe([row])[0]] for who in ("woman", "man", "dog")
    )
    assert missing / words < 0.1, "−log of the attention in the box"


def test_without_a_guide_nothing_of_boxes_is_kept(tmp_path: Path) -> None:
    drawn = draw(tmp_path / "drawn")
    corpus = prepared(tmp_path / "run", settings_for(drawn, regions=drawn.regions)).corpus
    assert not any(one.boxes for one in corpus.train)


def test_what_cannot_be_guided_is_refused(tmp_path: Path) -> None:
    drawn = draw(tmp_path / "drawn")
    with pytest.raises(DataError) as told:
        prepared(tmp_path / "none", settings_for(drawn, guides=True))
    assert str(told.value) == (
        "no training picture has a box of what its words speak of: there is nothing to guide attention by; name a file "
        "of Flickr30k Entities in data.regions, or leave train.guide out"
    )
    corpus = prepared(tmp_path / "run", settings_for(drawn, regions=drawn.regions, guides=True)).corpus
    task = task_for(corpus, guide=0.1)
    for preset in ("caption-soft", "caption-hard", "caption-transformer", "caption-vit"):
        task.check_fits(captioner_for(corpus, preset))
    with pytest.raises(ModelError, match="sees the whole picture as one vector: take another, or leave it out"):
        task.check_fits(captioner_for(corpus, "caption-rnn"))
