from pathlib import Path

import pytest

from compare.parts import SCENES, plan_of
from saccade.compare.folder import CompareFolder, find_folder
from saccade.compare.plan import make_plan
from saccade.errors import RunError
from saccade.training.folder import RunFolder, held

NAMES = ("rnn-dot", "transformer-tiny")


def with_data(folder: CompareFolder) -> CompareFolder:
    folder.data.mkdir()
    (folder.data / "prepared.json").write_text("{}")
    (folder.path / "tokenizer.json").write_text("{}")
    return folder


def test_made_once_and_opened_again(tmp_path: Path) -> None:
    CompareFolder.make(tmp_path / "c", plan_of(*NAMES))
    assert CompareFolder.make(tmp_path / "c", plan_of(*NAMES)).plan.exists()


def test_the_plan_alone_is_enough_to_go_on(tmp_path: Path) -> None:
    made = CompareFolder.make(tmp_path / "c", plan_of(*NAMES))
    (tmp_path / "d").mkdir()
    made.plan.rename(tmp_path / "d" / "plan.json")
    plan = plan_of(*NAMES)
    again = with_data(CompareFolder.make(tmp_path / "d", plan))
    assert again.run(plan.recipes[1]).recipe.exists()


@pytest.mark.parametrize(
    ("arguments", "budget", "message"),
    [
        ([*NAMES, *SCENES], "3 minutes", "its budget is 2 minutes, not 3 minutes"),
        (["rnn-dot", *SCENES], "2 minutes", "its systems are rnn-dot, transformer-tiny, not rnn-dot"),
        (
            [*NAMES, SCENES[0] + "?seed=2", *SCENES[1:]],
            "2 minutes",
            "its recipe of rnn-dot says `train: scenes:en-fr`, not `train: scenes:en-fr?seed=2`",
        ),
        ([*NAMES, *SCENES, "model.dim=64"], "2 minutes", "its recipe of rnn-dot says `dim: 256`, not `dim: 64`"),
    ],
)
def test_another_comparison(tmp_path: Path, arguments: list[str], budget: str, message: str) -> None:
    CompareFolder.make(tmp_path / "c", plan_of(*NAMES))
    with pytest.raises(RunError) as caught:
        CompareFolder.make(tmp_path / "c", make_plan(arguments, budget))
    assert str(caught.value) == (
        f"{tmp_path / 'c'} holds another comparison: {message}. Give the command it was begun with, or another --folder"
    )


def test_something_else_is_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(RunError, match="exists and holds no comparison: choose another --folder, or move it away"):
        CompareFolder.make(tmp_path, plan_of(*NAMES))
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_only_what_was_made_now_and_holds_nothing_is_removed(tmp_path: Path) -> None:
    made = CompareFolder.make(tmp_path / "c", plan_of(*NAMES))
    CompareFolder.make(tmp_path / "c", plan_of(*NAMES)).leave()  # somebody else's
    assert made.plan.exists()
    made.leave()
    assert not made.path.exists()
    begun = with_data(CompareFolder.make(tmp_path / "c", plan_of(*NAMES)))
    begun.leave()
    assert begun.plan.exists()


def test_a_damaged_plan(tmp_path: Path) -> None:
    folder = CompareFolder.make(tmp_path / "c", plan_of(*NAMES))
    folder.plan.write_text("{")
    with pytest.raises(RunError, match=r"plan.json is damaged .*: choose another --folder"):
        CompareFolder.make(tmp_path / "c", plan_of(*NAMES))
    folder.plan.write_text('{"format": 99}')
    with pytest.raises(RunError, match=r"plan.json has format 99, this Saccade reads 1"):
        CompareFolder.make(tmp_path / "c", plan_of(*NAMES))


def test_a_run_gets_the_shared_data(tmp_path: Path) -> None:
    plan = plan_of(*NAMES)
    folder = with_data(CompareFolder.make(tmp_path / "c", plan))
    run = folder.run(plan.recipes[0])
    assert (run.data / "prepared.json").read_text() == "{}"
    assert (run.path / "tokenizer.json").exists()
    assert "preset: rnn-dot" in run.recipe.read_text()
    (run.data / "prepared.json").write_text("kept")
    assert (folder.run(plan.recipes[0]).data / "prepared.json").read_text() == "kept"  # what is there stays


def test_killed_while_it_was_made_a_run_is_made_anew(tmp_path: Path) -> None:
    plan = plan_of(*NAMES)
    folder = with_data(CompareFolder.make(tmp_path / "c", plan))
    path = folder.systems / "rnn-dot"
    path.mkdir()
    (path / "recipe.yaml").write_text("half")  # no run.json yet
    assert RunFolder.open(folder.run(plan.recipes[0]).path).recipe.read_text() != "half"
    run = folder.run(plan.recipes[1])
    run.data.rename(run.path / "data.new")  # the copy was not whole yet
    (run.path / "data.new" / "prepared.json").unlink()
    assert (folder.run(plan.recipes[1]).data / "prepared.json").exists()


def test_without_a_name_what_was_begun_goes_on_and_what_is_done_is_left(tmp_path: Path) -> None:
    plan = plan_of(*NAMES)
    assert find_folder(plan, tmp_path) == tmp_path / "compare-1"
    other = CompareFolder.make(tmp_path / "compare-1", plan_of(*NAMES, budget="1 hour"))
    mine = CompareFolder.make(tmp_path / "compare-2", plan)
    assert find_folder(plan, tmp_path) == mine.path
    mine.result.write_text("{}")
    assert find_folder(plan, tmp_path) == tmp_path / "compare-3"
    assert find_folder(plan_of(*NAMES, budget="1 hour"), tmp_path) == other.path


def test_one_comparison_at_a_time(tmp_path: Path) -> None:
    used = "is in use: another comparison writes into it"
    with held(tmp_path, by="comparison"), pytest.raises(RunError, match=used), held(tmp_path, by="comparison"):
        pass
    with held(tmp_path, by="comparison"):
        pass
