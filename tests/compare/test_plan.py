from pathlib import Path

import pytest

from compare.parts import SCENES, plan_of
from saccade.compare.plan import check_alike, is_override, make_plan, read_budget
from saccade.errors import RecipeError


def test_all_systems_get_the_data_the_tokenizer_and_the_budget() -> None:
    plan = make_plan(["rnn-additive", *SCENES, "transformer-tiny", "train.lr=3e-3"], "5e6 tokens")
    assert [recipe.name for recipe in plan.recipes] == ["rnn-additive", "transformer-tiny"]
    first, second = plan.recipes
    assert first.data == second.data
    assert first.tokenizer == second.tokenizer
    assert second.data.train == "scenes:en-fr"
    assert second.tokenizer.kind == "words"
    assert {str(recipe.train.budget) for recipe in plan.recipes} == {"5000000 tokens"}
    assert {recipe.train.lr for recipe in plan.recipes} == {3e-3}
    assert plan.test_set == "scenes:en-fr?size=200"
    assert plan.remarks == ()


def test_a_recipe_that_says_otherwise_is_told_so() -> None:
    plan = make_plan(["scenes-en-fr", "scenes-en-de", "rnn-dot"], "1 hour")
    assert plan.recipes[1].data == plan.recipes[0].data
    assert plan.remarks == (
        "scenes-en-de: data.train, data.valid, data.test as in scenes-en-fr, not as its recipe says: all systems get "
        "the same data and tokenizer",
    )
    assert plan.recipes[2].data.train == "scenes:en-fr"  # a preset names no data, so there is nothing to tell


def test_data_for_all_silences_what_recipes_say() -> None:
    plan = make_plan(["scenes-en-fr", "scenes-en-de", *SCENES], "1 hour")
    assert plan.remarks == ()


def test_a_list_of_training_data_is_shared_too() -> None:
    plan = make_plan(["rnn-dot", "rnn-additive", "data.train=[a.tsv, 'b c.tsv']", "data.max_ratio=null"], "1 hour")
    assert plan.recipes[1].data == plan.recipes[0].data
    assert plan.recipes[1].data.train == ("a.tsv", "b c.tsv")


def test_no_recipe() -> None:
    with pytest.raises(RecipeError, match=r"no recipe is named: give the systems to compare"):
        make_plan(["data.train=a.tsv"], "1 hour")


def test_an_unknown_recipe() -> None:
    with pytest.raises(RecipeError, match=r"no recipe \"rnn-aditive\".*did you mean rnn-additive\?"):
        make_plan(["transformer-tiny", "rnn-aditive", *SCENES], "1 hour")


def test_an_option_that_one_of_the_systems_has_not() -> None:
    with pytest.raises(RecipeError, match=r"rnn-dot: 1 problem\nmodel.heads=2: model.heads: unknown key"):
        make_plan(["transformer-tiny", "rnn-dot", "model.heads=2", *SCENES], "1 hour")


def test_a_system_twice() -> None:
    with pytest.raises(RecipeError, match=r"rnn-dot is named twice: give each system once, or two recipe files"):
        plan_of("rnn-dot", "transformer-tiny", "rnn-dot")


def test_tasks_that_differ() -> None:
    first, second = plan_of("rnn-dot", "transformer-tiny").recipes
    other = second.model_copy(update={"task": "captioning"})
    with pytest.raises(
        RecipeError, match=r"rnn-dot is trained for translation, transformer-tiny for captioning: only systems for the"
    ):
        check_alike([first, other])


def test_only_translators_are_compared() -> None:
    with pytest.raises(RecipeError, match=r"rnn-lm is trained for language-model: systems are compared by their"):
        make_plan(["rnn-lm", "lstmn-lm", "data.train=my.txt"], "1 hour")


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        ("500 steps", r"--budget 500 steps: steps are not comparable, each is as large as a system's own batch"),
        ("soon", r'--budget "soon": expected a number and a unit.*such as "20 minutes", "5e6 tokens" or "2e14 flops"'),
        ("-3 minutes", r"expected a number and a unit"),
    ],
)
def test_budgets_that_cannot_be_compared(budget: str, message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        read_budget(budget)


@pytest.mark.parametrize("budget", ["20 minutes", "2 hours", "5e6 tokens", "2e14 flops", "3 epochs"])
def test_budgets_that_can(budget: str) -> None:
    assert read_budget(budget).value > 0


def test_a_budget_among_the_keys() -> None:
    with pytest.raises(RecipeError, match=r"train.budget=3 epochs: the budget is the same for every system"):
        make_plan(["rnn-dot", *SCENES, "train.budget=3 epochs"], "1 hour")


def test_no_test_set() -> None:
    plan = make_plan(["rnn-dot", "data.train=a.tsv"], "1 hour")
    with pytest.raises(RecipeError, match=r"no test set is named: add data.test="):
        _ = plan.test_set


def test_a_file_is_a_recipe_whatever_its_name(tmp_path: Path) -> None:
    file = tmp_path / "lr=3.yaml"
    file.write_text("task: translation\n")
    assert not is_override(str(file))
    assert is_override("train.lr=3")
    assert not is_override("rnn-dot")


def test_lower_case_against_cased_references_is_told() -> None:
    assert not plan_of("rnn-dot").remarks
    [remark] = make_plan(["rnn-dot", *SCENES, "tokenizer.lowercase=true"], "2 minutes").remarks
    assert "all systems write lower case" in remark
