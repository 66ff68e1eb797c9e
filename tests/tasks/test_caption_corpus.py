import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from saccade.data.cleaning import is_text_held_out
from saccade.data.images.tensors import to_tensor
from saccade.data.tokenizers import train_tokenizer
from saccade.errors import DataError
from saccade.evaluation.word_groups import GENDERED
from saccade.tasks.caption_corpus import CaptionSettings, open_caption_corpus, prepare_captions
from saccade.tasks.captioned import told_pictures
from saccade.tasks.equalizing import hidden_words
from saccade.tasks.views import painted_over, ways_to_see
from saccade.tasks.vision import Vision, centred
from tasks.captions import PIXELS, Drawn, draw, prepared, settings_for, write_backbone

HIDES = hidden_words(GENDERED)


@pytest.fixture
def drawn(tmp_path: Path) -> Drawn:
    return draw(tmp_path / "drawn")


def silent(text: str) -> None:
    """Says nothing."""


def test_every_caption_has_the_number_of_its_picture(tmp_path: Path, drawn: Drawn) -> None:
    made = prepared(tmp_path / "run", settings_for(drawn))
    corpus, told = made.corpus, list(told_pictures(drawn.captions, split="train"))
    assert made.said[:2] == ["train: 12 pictures with 24 captions", "valid: 12 pictures with 24 captions"]
    assert len(corpus.captions) == len(corpus.picture_of) == 24
    assert [one.name for one in corpus.train] == [one.name for one in told]
    for row in range(24):
        number = int(corpus.picture_of[row][0])
        assert number == row // 2
        assert corpus.tokenizer.decode(corpus.captions[row]) == told[number].captions[row % 2]
    batch = corpus.pictures.batch([7, 3])
    for place, number in enumerate((7, 3)):
        assert torch.equal(batch[place], centred(to_tensor(told[number].pixels(PIXELS, "squash")[None]))[0])
    assert torch.equal(corpus.valid_pictures.batch([5]), corpus.pictures.batch([5]))
    assert corpus.hidden is None


def test_pictures_are_held_out_with_all_their_captions(tmp_path: Path, drawn: Drawn) -> None:
    made = prepared(tmp_path / "run", settings_for(drawn, valid=(), holdout=0.4))
    train, valid = ({one.name for one in part} for part in (made.corpus.train, made.corpus.valid))
    assert train.isdisjoint(valid)
    assert len(train | valid) == 12
    told = told_pictures(drawn.captions, split="train")
    assert valid == {one.name for one in told if is_text_held_out(one.mark(), 0.4)}
    assert all(len(one.captions) == 2 for one in (*made.corpus.train, *made.corpus.valid))
    assert made.said[1] == f"valid: {len(valid)} pictures with {2 * len(valid)} captions held out of train (40%)"


def test_the_same_picture_under_two_names_stands_on_one_side(tmp_path: Path, drawn: Drawn) -> None:
    twins = [file.with_name(f"again-{file.name}") for file in drawn.files]
    for file, twin in zip(drawn.files, twins, strict=True):
        shutil.copy(file, twin)
    with Path(drawn.captions).open("a", encoding="utf-8") as captions:
        captions.writelines(f"{twin.name},a twin\n" for twin in twins)
    corpus = prepared(tmp_path / "run", settings_for(drawn, valid=(), holdout=0.4)).corpus
    train, valid = ({Path(one.name).name for one in side} for side in (corpus.train, corpus.valid))
    assert len(train) + len(valid) == 24
    for side in (train, valid):
        plain = {name for name in side if not name.startswith("again-")}
        assert plain
        assert side == plain | {f"again-{name}" for name in plain}


def test_prepared_once_it_is_opened_the_same(tmp_path: Path, drawn: Drawn) -> None:
    run = tmp_path / "run"
    first = prepared(run, settings_for(drawn))
    before = {file.name: file.read_bytes() for file in (run / "data").iterdir()}
    shutil.rmtree(drawn.folder)  # pixels lie in the run's own folder
    again = prepared(run, settings_for(drawn))
    assert again.said == []
    assert {file.name: file.read_bytes() for file in (run / "data").iterdir()} == before
    assert torch.equal(again.corpus.pictures.batch(range(12)), first.corpus.pictures.batch(range(12)))
    assert again.corpus.train == first.corpus.train


def test_a_preparation_that_was_killed_is_made_anew(tmp_path: Path, drawn: Drawn) -> None:
    run = tmp_path / "run"
    prepared(run, settings_for(drawn))
    before = {file.name: file.read_bytes() for file in (run / "data").iterdir()}
    (run / "data" / "prepared.json").unlink()
    (run / "data" / "train.jsonl").write_text("half a li")
    (run / "data" / "train.pixels").write_bytes(b"")
    prepared(run, settings_for(drawn))
    assert {file.name: file.read_bytes() for file in (run / "data").iterdir()} == before


@pytest.mark.parametrize(
    "name",
    ["train.jsonl", "valid.jsonl", "train.pixels", "valid.pixels", "train.captions.tokens", "train.pictures.tokens"],
)
def test_files_that_were_changed_are_refused(tmp_path: Path, drawn: Drawn, name: str) -> None:
    run = tmp_path / "run"
    prepared(run, settings_for(drawn))
    file = run / "data" / name
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(bytes(data))
    with pytest.raises(DataError, match=r"changed.* after"):
        open_caption_corpus(run / "data", run)


def test_a_given_tokenizer_is_kept(tmp_path: Path, drawn: Drawn) -> None:
    given = train_tokenizer(["a man and a woman"], kind="words")
    (tmp_path / "run").mkdir()
    prepare_captions(tmp_path / "run" / "data", tmp_path / "run", settings_for(drawn), silent, given=given)
    corpus = open_caption_corpus(tmp_path / "run" / "data", tmp_path / "run")
    assert corpus.tokenizer.fingerprint == given.fingerprint


def test_only_the_first_pictures(tmp_path: Path, drawn: Drawn) -> None:
    made = prepared(tmp_path / "run", settings_for(drawn, first=4))
    assert len(made.corpus.train) == 4
    assert f"train: {drawn.captions}: only the first 4 pictures were looked at; there are more" in made.said


def test_a_second_view_without_the_persons(tmp_path: Path) -> None:
    drawn = draw(tmp_path / "drawn", boxless=1)
    made = prepared(tmp_path / "run", settings_for(drawn, regions=drawn.regions, hides=HIDES))
    told = list(told_pictures(drawn.captions, split="train", regions=drawn.regions))
    assert made.corpus.hidden is not None
    assert [bool(one.hidden) for one in made.corpus.train] == [
        number > 0 and number % 3 != 2 for number in range(12)
    ], "dogs are no persons, and the first picture has no boxes"
    assert "train: 7 pictures have boxes of" in made.said[2]
    for number, one in enumerate(told):
        expected = painted_over(one.pixels(PIXELS, "squash"), made.corpus.train[number].hidden)
        assert torch.equal(made.corpus.hidden.batch([number])[0], centred(to_tensor(expected[None]))[0])


def test_scenes(tmp_path: Path) -> None:
    scenes = "scenes:captions?size=6&about=shapes"
    settings = CaptionSettings(train=(scenes,), valid=(scenes,), vision=Vision(16))
    corpus = prepared(tmp_path / "run", settings).corpus
    assert len(corpus.train) == len(corpus.valid) == 6
    assert corpus.train[0].name == "scenes:captions train 1"
    assert corpus.valid[0].name == "scenes:captions valid 1"
    assert corpus.train[0].picture is None
    assert corpus.pictures.batch([0]).shape == (1, 3, 16, 16)


def test_with_a_backbone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the pictures lies in the run; an emptied cache is filled again; other weights are refused."""
    monkeypatch.setenv("SACCADE_CACHE", str(tmp_path / "cache"))
    drawn, run = draw(tmp_path / "drawn", 4), tmp_path / "run"
    weights = write_backbone(tmp_path / "weights.safetensors")
    vision = Vision(fit="squash", backbone="efficientnet-lite0", weights=weights)
    settings = settings_for(drawn, vision=vision, regions=drawn.regions, hides=HIDES)
    made = prepared(run, settings)
    assert made.said[-1].startswith("features of efficientnet-lite0: 7 of 7 pictures"), "four plain and three painted"
    assert not list((run / "data").glob("*.pixels*"))
    corpus = made.corpus
    assert corpus.hidden is not None
    plain, hidden = corpus.pictures.batch(range(4)), corpus.hidden.batch(range(4))
    assert plain.shape == (4, 49, 1280)
    assert [torch.equal(plain[n], hidden[n]) for n in range(4)] == [False, False, True, False]
    monkeypatch.chdir(tmp_path)  # paths are kept whole
    shutil.rmtree(tmp_path / "cache")
    again = prepared(run, settings)
    assert again.said[-1].startswith("features of efficientnet-lite0: 7 of 7 pictures")
    assert np.array_equal(again.corpus.pictures.batch(range(4)).numpy(), plain.numpy())
    assert prepared(run, settings).said == []
    write_backbone(Path(weights), seed=2)
    with pytest.raises(DataError) as told:
        prepare_captions(run / "data", run, settings, silent)
    assert str(told.value) == (
        f"{weights} is not the file of weights that this run began with: put that one back, or begin a new run"
    )


def test_training_pictures_are_varied_and_no_others(tmp_path: Path, drawn: Drawn) -> None:
    """As the global generator says, which the training loop seeds for every step."""
    corpus = prepared(tmp_path / "run", settings_for(drawn, augment="light")).corpus
    plain = corpus.valid_pictures.batch(range(12))
    assert torch.equal(corpus.valid_pictures.batch(range(12)), plain)
    torch.manual_seed(1)
    varied, other = corpus.pictures.batch(range(12)), corpus.pictures.batch(range(12))
    torch.manual_seed(1)
    assert torch.equal(corpus.pictures.batch(range(12)), varied)
    assert not torch.equal(varied, other)
    assert not torch.equal(varied, plain)


def test_a_backbone_sees_training_pictures_in_several_ways(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACCADE_CACHE", str(tmp_path / "cache"))
    drawn = draw(tmp_path / "drawn", 2)
    vision = Vision(
        fit="squash", backbone="efficientnet-lite0", weights=write_backbone(tmp_path / "weights.safetensors")
    )
    made = prepared(tmp_path / "run", settings_for(drawn, vision=vision, augment="strong"))
    assert made.said[-1].startswith("features of efficientnet-lite0: 12 of 12 pictures"), (
        "six of each, whole among them"
    )
    pictures = made.corpus.pictures
    assert pictures.ways == ways_to_see("strong")
    seen = pictures.batch([0] * 6, range(6))
    assert len({one.numpy().tobytes() for one in seen}) == 6
    assert torch.equal(pictures.batch([1, 0], [3, 3])[1], seen[3])
    assert torch.equal(made.corpus.valid_pictures.batch([0])[0], seen[0])
    assert len(made.corpus.valid_pictures.ways) == 1


def test_a_corpus_of_an_older_version_is_refused(tmp_path: Path, drawn: Drawn) -> None:
    prepared(tmp_path / "run", settings_for(drawn))
    done = tmp_path / "run" / "data" / "prepared.json"
    said = json.loads(done.read_text())
    del said["augment"]
    done.write_text(json.dumps(said))
    with pytest.raises(DataError, match="was made by an older version of Saccade"):
        open_caption_corpus(tmp_path / "run" / "data", tmp_path / "run")


def test_what_cannot_be_learned_from_is_refused(tmp_path: Path, drawn: Drawn) -> None:
    def refused(settings: CaptionSettings) -> str:
        shutil.rmtree(tmp_path / "run", ignore_errors=True)
        with pytest.raises(DataError) as told:
            prepared(tmp_path / "run", settings)
        return str(told.value)

    assert refused(settings_for(drawn, valid=(), holdout=1e-9)) == (
        f"{drawn.captions}: no picture is left to validate on: give more of them, raise data.holdout (1e-09) or name a "
        "source in data.valid"
    )
    assert "no picture is left to train" in refused(settings_for(drawn, valid=(), holdout=1 - 1e-9))
    assert refused(settings_for(drawn, hides=frozenset(("woman", "lady", "girl", "man")))) == (
        "no training picture has a box for girl, lady, man and others: there is nothing to hide; name a file of "
        "Flickr30k Entities in data.regions"
    )
    scenes = settings_for(
        drawn,
        vision=replace(
            Vision(), backbone="efficientnet-lite0", weights=write_backbone(tmp_path / "weights.safetensors")
        ),
    )
    assert "data.backbone reads photographs from files, not scenes" in refused(
        replace(scenes, train=("scenes:captions?size=5",))
    )
    drawn.files[3].write_bytes(b"not a picture")
    assert "3.png: no picture of a known format" in refused(settings_for(drawn))


def test_the_list_names_every_picture(tmp_path: Path, drawn: Drawn) -> None:
    """Name, captions, the file where it is read again from there, and what is to be painted over."""
    prepared(tmp_path / "run", settings_for(drawn))
    listed = (tmp_path / "run" / "data" / "train.jsonl").read_text().splitlines()
    told = [json.loads(line) for line in listed]
    assert [one[0] for one in told] == [str(file) for file in drawn.files]
    assert told[0][1:] == [["a woman before a red wall number 0", "the red wall and a woman ."], None, []]
