"""``saccade caption``, ``audit``, and what other verbs do with a captioner."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from captioners import PEOPLE, captioner_in, pictures_in
from command import command, refused
from saccade import record
from saccade.cli.caption import in_a_column
from saccade.errors import DecodingError
from saccade.evaluation.results import read_results
from saccade.runs import CaptionRun, load
from saccade.tasks.alignment import Lens
from saccade.tasks.captioned import told_pictures


@pytest.fixture
def soft(place: Path) -> Path:
    return captioner_in(place, "caption-soft")


@pytest.fixture
def hard(place: Path) -> Path:
    return captioner_in(place, "caption-hard")


@pytest.fixture
def pictures(tmp_path: Path) -> list[str]:
    return pictures_in(tmp_path, 2)


def told(*arguments: str) -> list[str]:
    done = command(*arguments)
    assert done.exit_code == 0, done.stderr
    return done.stdout.splitlines()


def test_a_line_for_each_picture(soft: Path, pictures: list[str]) -> None:
    lines = [line.split("\t") for line in told("caption", str(soft), *pictures)]
    assert [line[0] for line in lines] == pictures
    assert all(len(line) == 2 for line in lines)
    alone = told("caption", str(soft), pictures[1])
    assert alone == ["\t".join(lines[1])], "a picture's caption depends on its companions"


def test_whatever_is_written_stays_in_its_column() -> None:
    assert in_a_column("a\tman \n with\u2028a  coat ") == "a man with a coat"


def test_several_captions_with_their_scores(soft: Path, pictures: list[str]) -> None:
    best = dict(line.split("\t") for line in told("caption", str(soft), *pictures, "--beam", "3"))
    lines = [line.split("\t") for line in told("caption", str(soft), *pictures, "--beam", "3", "--nbest", "3")]
    assert [line[0] for line in lines] == [name for name in pictures for _ in range(3)]
    for first, second, third in (lines[:3], lines[3:]):
        assert first[2] == best[first[0]]
        assert float(first[1]) >= float(second[1]) >= float(third[1])
    assert "decode.nbest is between 1 and decode.beam (2), got 3" in refused(
        "caption", str(soft), pictures[0], "--nbest", "3"
    )


def test_as_json(soft: Path, hard: Path, pictures: list[str]) -> None:
    first = json.loads(told("caption", str(soft), *pictures, "--json")[0])
    assert first["picture"] == pictures[0]
    assert first["candidates"][0].keys() == {"text", "score", "finished"}
    both = [json.loads(line) for line in told("caption", str(soft), pictures[0], "--beside", str(hard), "--json")]
    assert [one["run"] for one in both] == ["caption-soft", "caption-hard"]
    (alone,), (beside,) = first["candidates"], both[0]["candidates"]
    assert beside == {**alone, "score": pytest.approx(alone["score"], rel=1e-5)}


def test_a_page_with_soft_and_hard_beside_each_other(
    soft: Path, hard: Path, pictures: list[str], tmp_path: Path
) -> None:
    page = tmp_path / "captions.html"
    lines = told("caption", str(soft), *pictures, "--beside", str(hard), "--view", str(page))
    assert [line.split("\t")[:2] for line in lines] == [
        [name, run] for name in pictures for run in ("caption-soft", "caption-hard")
    ]
    html = page.read_text()
    assert html.count("data:image/") >= 2
    assert "caption-soft" in html
    assert "caption-hard" in html
    assert all(Path(name).name in html for name in pictures)


@pytest.mark.parametrize("preset", ["caption-soft", "caption-rnn"])
def test_a_picture_of_the_first(place: Path, pictures: list[str], tmp_path: Path, preset: str) -> None:
    """Also of a captioner that looks at nothing in particular."""
    file = tmp_path / "first.png"
    told("caption", str(captioner_in(place, preset)), pictures[0], "--view", str(file))
    assert file.read_bytes().startswith(b"\x89PNG")


def test_what_cannot_be_captioned_is_said_at_once(soft: Path, hard: Path, pictures: list[str], tmp_path: Path) -> None:
    gone = str(tmp_path / "gone.jpg")
    assert f"{gone}: there is no such picture" in refused("caption", str(soft), pictures[0], gone)
    broken = tmp_path / "broken.png"
    broken.write_bytes(Path(pictures[0]).read_bytes()[:80])
    assert "broken.png: the picture is broken or cut off" in refused("caption", str(soft), pictures[0], str(broken))
    assert "unknown kind of picture '.pdf'" in refused("caption", str(soft), gone, "--view", "x.pdf")
    assert "give --view a name that ends in .html" in refused(
        "caption", str(soft), gone, "--beside", str(hard), "--view", str(tmp_path / "x.png")
    )


def test_runs_of_another_task(soft: Path, pictures: list[str], tmp_path: Path) -> None:
    (tmp_path / "my.txt").write_text("".join(f"one two three {number}\n\n" for number in range(200)))
    other = str(tmp_path / "lm")
    small = (f"data.train={tmp_path / 'my.txt'}", "data.context=8", "model.dim=8", "train.budget=1 steps")
    assert command("train", "rnn-lm", *small, "--run", other).exit_code == 0
    message = f"{other} was trained for task language-model, which does not caption pictures"
    assert message in refused("caption", other, pictures[0])
    assert message in refused("caption", str(soft), pictures[0], "--beside", other)
    assert message in refused("audit", other)
    assert "was trained for task captioning, which does not translate" in refused("translate", str(soft), "a man")


def test_by_consensus_the_first_is_one_of_the_beams(soft: Path, pictures: list[str]) -> None:
    lines = [line.split("\t") for line in told("caption", str(soft), *pictures, "--beam", "8", "--nbest", "8")]
    for name, text in (
        line.split("\t") for line in told("caption", str(soft), *pictures, "--beam", "8", "--consensus")
    ):
        assert text in [said for picture, _, said in lines if picture == name]
    told("evaluate", str(soft), "--beam", "2", "--consensus")
    assert read_results(soft)[-1]["decode"]["consensus"] is True


def test_scores_pointing_and_a_report_with_pictures(soft: Path, tmp_path: Path) -> None:
    before, output = len(read_results(soft)), tmp_path / "out.tsv"
    lines = told("evaluate", str(soft), "--beam", "1", "--output", str(output))
    assert lines[0].startswith("scenes:people?size=12: 12 pictures, beam 1, ")
    names = [line[:18].strip() for line in lines[1:]]
    assert names[:7] == ["BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "ROUGE-L", "CIDEr", "length"]
    assert "exactly right" in names
    result = read_results(soft)[-1]
    assert len(read_results(soft)) == before + 1
    assert (result["sentences"], result["unit"], result["decode"]["beam"]) == (12, "pictures", 1)
    written = [line.split("\t") for line in output.read_text().splitlines()]
    assert [name for name, _ in written] == [f"scenes:people test {number}" for number in range(1, 13)]
    page = (soft / "report.html").read_text()
    assert "CIDEr" in page
    assert page.count("data:image/") >= 4, "the report shows where the captioner looked"
    assert "scenes:people valid 1" in page


def test_where_attention_points_is_measured_through_the_best_lens_of_validation(place: Path) -> None:
    """More pictures than go through the model at once."""
    run = captioner_in(place, "caption-transformer")
    done = json.loads("\n".join(told("evaluate", str(run), "--data", "scenes:people?size=40", "--json")))
    scores = {score["name"]: score for score in done["scores"]}
    assert done["sentences"] == 40
    assert {"CIDEr", "exactly right", "pointing", "chance", "centre", "above chance", "above centre"} <= set(scores)
    assert "pictures:40" in scores["CIDEr"]["signature"]
    shown = told("evaluate", str(run), "--beam", "1")
    assert shown[-1].startswith("pointing was read from decoder.")


def test_two_captioners_are_compared_on_the_same_pictures(soft: Path, hard: Path) -> None:
    before = len(read_results(hard))
    lines = told("evaluate", str(soft), "--against", str(hard), "--beam", "1")
    paired = [line for line in lines if ", difference " in line]
    assert [line.partition(":")[0] for line in paired] == ["BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "ROUGE-L", "CIDEr"]
    assert len(read_results(hard)) == before + 1
    itself = "\n".join(told("evaluate", str(soft), "--against", str(soft), "--beam", "1", "--json"))
    comparison = json.loads(itself)["comparison"]
    assert comparison["pictures"] == 12
    assert all(test["a"]["value"] == test["b"]["value"] for test in comparison["tests"])


def test_meteor_where_its_program_is_named(soft: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "none.jar"
    assert f"{gone} is not a file: give the path of meteor-1.5.jar" in refused(
        "evaluate", str(soft), "--meteor-jar", str(gone)
    )
    jar, java = tmp_path / "meteor-1.5.jar", tmp_path / "java"
    jar.touch()
    answers = 'case "$line" in SCORE*) echo "1.0 2.0" ;; *) echo 0.5; echo 0.25 ;; esac'
    java.write_text(f"#!/bin/sh\nwhile read -r line; do {answers}; done\n", encoding="utf-8")
    java.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    lines = told("evaluate", str(soft), "--beam", "1", "--meteor-jar", str(jar))
    assert [line.split()[1] for line in lines if line.startswith("METEOR")] == ["25.00"]


def test_what_is_not_for_captioners(soft: Path, hard: Path, tmp_path: Path) -> None:
    assert "--via is for translators" in refused("evaluate", str(soft), "--via", "en")
    assert "--submit is for GLUE's test sets" in refused("evaluate", str(soft), "--submit", str(tmp_path))
    assert "captioners and language models are evaluated one at a time" in refused("evaluate", str(soft), str(hard))
    assert "two captioners, or two classifiers of pictures, can be compared" in refused(
        "evaluate", str(soft), str(hard), "--beam", "3"
    )


def test_an_audit_is_a_page_and_its_numbers(soft: Path, tmp_path: Path) -> None:
    page = tmp_path / "audit.html"
    lines = told("audit", str(soft), "--output", str(page), "--beam", "1")
    assert [line.split()[0] for line in lines[:2]] == ["woman", "man"]
    numbers = json.loads((tmp_path / "audit.json").read_text())
    assert (numbers["run"], numbers["data"]) == ("caption-soft", "scenes:people?size=12")
    assert numbers["pictures"] + numbers["left_out"] == 12
    assert {one["group"] for one in numbers["groups"]} == {"woman", "man"}
    assert sum(one["pictures"] for one in numbers["groups"]) == numbers["pictures"]
    assert "Audit of caption-soft on scenes:people?size=12" in page.read_text()


def test_an_audit_of_groups_of_ones_own(soft: Path, tmp_path: Path) -> None:
    groups = tmp_path / "groups.json"
    groups.write_text(json.dumps({"groups": {"lady": ["woman"], "gentleman": ["man"]}}))
    told("audit", str(soft), "--groups", str(groups), "--output", str(tmp_path / "own.html"), "--beam", "1")
    numbers = json.loads((tmp_path / "own.json").read_text())
    assert {one["group"] for one in numbers["groups"]} == {"lady", "gentleman"}
    message = f"with its numbers beside it in {groups}: give another name"
    assert message in refused("audit", str(soft), "--groups", str(groups), "--output", str(tmp_path / "groups.html"))


def test_audits_that_cannot_be_made(soft: Path, tmp_path: Path) -> None:
    assert "give another name that ends in .html" in refused("audit", str(soft), "--output", str(tmp_path / "a.json"))
    message = "no picture has references that say a word of one group (woman, man) and of no other"
    shapes = "scenes:captions?size=5&about=shapes"
    assert message in refused("audit", str(soft), "--data", shapes, "--output", str(tmp_path / "a.html"))
    assert "not a file of word groups" in refused("audit", str(soft), "--groups", str(tmp_path / "none.json"))


def test_somebody_else_may_record_and_edit_meanwhile(soft: Path, pictures: list[str]) -> None:
    run = load(soft)
    assert isinstance(run, CaptionRun)
    plain = run.caption(pictures)
    with record(run) as seen:
        again = run.caption(pictures)
    assert [one.text for one in again] == [one.text for one in plain]
    for number, one in enumerate(again):
        words = one.text.split()
        assert len(one.looks) == len(words)
        weights = seen["decoder.0.cross"].attended[number].weights_HQK[0, : len(words)]
        assert np.array_equal(np.stack([look.weights_hw.ravel() for look in one.looks]), weights.numpy())
    with record(run) as seen:
        seen.edit("decoder.0.cross", weights=0.0)
        (blind,) = run.caption(pictures[:1])
    assert all((look.weights_hw == 0).all() for look in blind.looks)
    with record(captioned := load(captioner_beside(soft)), "encoder.*") as seen:
        assert isinstance(captioned, CaptionRun)
        assert all(look.weights_hw.shape == (1, 1) for look in captioned.caption(pictures[:1])[0].looks)
        with pytest.raises(DecodingError, match=r"decoder\.1\.cross is to be read, but somebody who records the model"):
            captioned.caption(pictures[:1], lens=Lens("decoder.1.cross", None))


def captioner_beside(soft: Path) -> Path:
    return captioner_in(soft.parent, "caption-transformer")


def test_a_captioners_layers_can_be_looked_at(place: Path, pictures: list[str], tmp_path: Path) -> None:
    run, page = captioner_in(place, "caption-transformer"), tmp_path / "layers.html"
    told("view", str(run), pictures[0], "--output", str(page))
    assert "decoder.1.cross" in page.read_text()


def test_a_recipe_is_checked() -> None:
    done = told("check", "caption-soft", *PEOPLE, "model.cnn_width=8", "train.budget=1 epochs", "--json")
    found = json.loads("\n".join(done))
    assert found["captions"] == sum(len(one.captions) for one in told_pictures("scenes:people?size=60", split="train"))
    assert found["valid"] == 8
    assert found["examples"][0]["caption"][0] in ("a", "an")
    message = "pictures of 30 pixels cannot be made 8 times smaller"
    other = [one.replace("data.pixels=32", "data.pixels=30") for one in PEOPLE]
    assert message in refused("check", "caption-soft", *other)
