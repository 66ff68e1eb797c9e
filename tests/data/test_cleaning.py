"""What is dropped, and that the report tells all of it."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.data.cleaning import Cleaner, CleaningRules, Dropped, is_text_held_out
from saccade.data.examples import Pair
from saccade.data.sources import read_pairs
from saccade.errors import DataError, RecipeError

GOOD = Pair("a good sentence", "ein guter Satz", "train.en:1")


def cleaned(*pairs: Pair, **rules: object) -> Cleaner:
    cleaner = Cleaner(pairs, CleaningRules(**rules))
    list(cleaner)
    return cleaner


def test_good_pairs_pass_unchanged():
    cleaner = Cleaner([GOOD, GOOD])
    assert list(cleaner) == [GOOD, GOOD]
    assert (cleaner.report.read, cleaner.report.kept, cleaner.report.dropped) == (2, 2, {})
    assert cleaner.report.sentence() == "read 2 pairs, kept all"


def test_one_pair_is_singular():
    assert cleaned(GOOD).report.sentence() == "read 1 pair, kept all"


def test_nothing_read_is_not_an_error():
    assert cleaned().report.sentence() == "read 0 pairs, kept all"


@pytest.mark.parametrize(("source", "target"), [("", "x"), ("x", ""), (" \t", "x"), ("x", "\u2028\u00a0"), ("", "")])
def test_empty_on_either_side(source, target):
    report = cleaned(GOOD, Pair(source, target, "train.en:2")).report
    assert report.dropped == {"empty": Dropped(1, "train.en:2")}


def test_too_long_is_said_with_its_side_place_and_length():
    report = cleaned(GOOD, Pair("x", "y" * 100_000, "train.en:99"), Pair("x" * 5_001, "y", "train.en:100")).report
    assert report.dropped == {"too long": Dropped(2, "train.en:99", "target of 100,000 characters, limit 5,000")}


@pytest.mark.parametrize(("length", "kept"), [(5_000, 2), (5_001, 1)])
def test_the_limit_itself_is_kept(length, kept):
    assert cleaned(GOOD, Pair("x" * length, "y" * length)).report.kept == kept


@pytest.mark.parametrize(
    ("source", "target", "kept"),
    [
        (40, 1, True),  # too short for a ratio to say anything
        (41, 1, False),
        (1, 41, False),
        (90, 10, True),
        (91, 10, False),
    ],
)
def test_ratio(source, target, kept):
    cleaner = cleaned(GOOD, Pair("x" * source, "y" * target, "train.en:2"))
    assert cleaner.report.kept == 1 + kept
    assert ("ratio" in cleaner.report.dropped) != kept


def test_ratio_detail_and_no_limit():
    pair = Pair("x" * 400, "y" * 10, "train.en:2")
    assert cleaned(GOOD, pair).report.dropped == {
        "ratio": Dropped(1, "train.en:2", "source of 400 characters, target of 10: 40.0 to 1, limit 9")
    }
    assert cleaned(GOOD, pair, max_ratio=None).report.kept == 2


def test_the_sentence_tells_all():
    pairs = [GOOD] * 28_990
    pairs += [Pair("", "x", f"train.en:{n}") for n in range(17, 21)]
    pairs += [Pair("x", "y" * 100_000, f"train.en:{n}") for n in range(99, 104)]
    pairs += [Pair("x" * 50, "y", "train.en:200")]
    assert cleaned(*pairs).report.sentence() == (
        "read 29,000 pairs, kept 28,990; dropped 4 empty (first: train.en:17), "
        "5 too long (first: train.en:99, target of 100,000 characters, limit 5,000), "
        "1 ratio (first: train.en:200, source of 50 characters, target of 1: 50.0 to 1, limit 9)"
    )


def test_pairs_without_a_place_are_counted():
    assert cleaned(GOOD, Pair("", "")).report.dropped["empty"].first_where == "pair 2"


def test_what_the_source_skipped_is_told_too(tmp_path):
    (tmp_path / "a.po").write_text('msgid "a"\nmsgstr "b"\n\nmsgid "c"\nmsgstr ""\n\n#, fuzzy\nmsgid "d"\nmsgstr "e"\n')
    cleaner = Cleaner(read_pairs("a.po", base=tmp_path))
    assert len(list(cleaner)) == 1
    assert cleaner.report.skipped == {"untranslated": 1, "fuzzy": 1}
    assert cleaner.report.sentence() == "read 1 pair, kept all; the source skipped 1 fuzzy, 1 untranslated"


def test_the_report_can_be_asked_for_on_the_way_and_does_not_change_afterwards():
    cleaner = Cleaner([Pair("", "", "a:1"), GOOD, Pair("", "", "a:3"), GOOD])
    next(cleaner)
    early = cleaner.report
    list(cleaner)
    assert early.sentence() == "read 2 pairs, kept 1; dropped 1 empty (first: a:1)"
    assert cleaner.report.sentence() == "read 4 pairs, kept 2; dropped 2 empty (first: a:1)"


def test_nothing_left_is_an_error_that_says_why():
    cleaner = Cleaner([Pair("", "x", "a:1"), Pair("x" * 6_000, "y", "a:2")])
    with pytest.raises(DataError) as caught:
        next(cleaner)
    assert str(caught.value) == (
        "no pair is left to use: read 2 pairs, kept 0; dropped 1 empty (first: a:1), "
        "1 too long (first: a:2, source of 6,000 characters, limit 5,000)"
    )


@pytest.mark.timing
def test_a_line_of_a_hundred_thousand_characters_passes_quickly(tmp_path):
    (tmp_path / "a.en").write_text("one\n" + "word " * 20_000 + "\n" + "three\n")
    (tmp_path / "a.de").write_text("eins\nzwei\ndrei\n")
    cleaner = Cleaner(read_pairs("a.{en,de}", base=tmp_path))
    begun = time.perf_counter()
    assert [pair.source for pair in cleaner] == ["one", "three"]
    assert time.perf_counter() - begun < 1
    assert cleaner.report.dropped == {"too long": Dropped(1, "a.en:2", "source of 100,000 characters, limit 5,000")}


@pytest.mark.property
@settings(max_examples=50)
@given(st.lists(st.tuples(st.text(max_size=60), st.text(max_size=60)), max_size=8))
def test_every_pair_is_accounted_for(texts):
    pairs = [GOOD, *(Pair(source, target) for source, target in texts)]
    report = cleaned(*pairs, max_characters=30, max_ratio=2.0).report
    assert report.read == len(pairs)
    assert report.kept + sum(dropped.count for dropped in report.dropped.values()) == report.read


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"max_characters": 0}, "max_characters is 0: expected at least 1"),
        ({"max_ratio": 0.5}, "max_ratio is 0.5: expected at least 1, or none for no limit"),
        ({"max_ratio": float("nan")}, "max_ratio is nan: expected at least 1, or none for no limit"),
    ],
)
def test_impossible_rules(rules, message):
    with pytest.raises(RecipeError) as caught:
        CleaningRules(**rules)
    assert str(caught.value) == message


def numbered(count: int) -> list[str]:
    return [f"sentence {n}" for n in range(count)]


def test_about_the_share_is_held_out():
    assert 400 < sum(is_text_held_out(text, 0.05) for text in numbered(10_000)) < 600


def test_held_out_is_the_same_on_every_machine_and_day():
    assert [text for text in numbered(40) if is_text_held_out(text, 0.1)] == ["sentence 6", "sentence 29"]


@pytest.mark.property
@given(st.text(), st.floats(0.001, 0.999), st.floats(0.001, 0.999))
def test_shares_nest(text, share, other):
    low, high = sorted((share, other))
    assert is_text_held_out(text, high) or not is_text_held_out(text, low)


@pytest.mark.parametrize("share", [0, 1, -0.1, 1.5, float("nan")])
def test_impossible_shares(share):
    with pytest.raises(RecipeError) as caught:
        is_text_held_out(GOOD.source, share)
    assert str(caught.value) == (f"the share to hold out is {share}: expected a number between 0 and 1, such as 0.01")
