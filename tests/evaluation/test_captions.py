from pathlib import Path

import pytest

from saccade.errors import DataError
from saccade.evaluation.captions import compare_captions, score_captions
from saccade.evaluation.meteor import MeteorProgram, NotMeasured, find_meteor, meteor

METRICS = ["BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "ROUGE-L", "CIDEr"]
REFERENCES = [
    ["A dog runs on the sand.", "The dog is running."],
    ["Two cats sleep on a bed.", "A pair of cats on the bed."],
    ["A man's red bicycle near a wall."],
    ["Children play with a blue ball.", "Kids are playing ball."],
] * 5
GOOD = ["A dog runs on the sand", "two cats on a bed", "a man 's red bicycle", "children play ball"] * 5
POOR = ["a cat", "two dogs on the grass", "a red wall", "a ball"] * 5
# a stand-in that speaks the program's language: it answers as told here, so that the conversation can be checked
COUNTING = """
while read -r line; do
  case "$line" in
    SCORE*) echo "1.0 2.0" ;;
    EVAL*) echo 0.5; echo 0.25 ;;
  esac
done
"""


def test_all_scores_with_their_intervals() -> None:
    found = score_captions(GOOD, REFERENCES, resamples=50, with_meteor=False)
    assert [score.name for score in found.scores] == [*METRICS, "length"]
    assert found.pictures == 20
    for score in found.scores:
        assert score.interval is not None
        assert score.interval.low <= score.value <= score.interval.high
        assert score.signature.startswith("pictures:20|coco|tok:ptb-lower-nopunct|bs:50|seed:1|version:")


def test_case_and_punctuation_do_not_count() -> None:
    plain, loud = (
        score_captions(captions, REFERENCES, resamples=0, with_meteor=False)
        for captions in (GOOD, [caption.upper() + "!" for caption in GOOD])
    )
    assert [score.value for score in plain.scores] == [score.value for score in loud.scores]
    assert [score.interval for score in plain.scores] == [None] * 7


def test_two_captioners() -> None:
    found = compare_captions(POOR, GOOD, REFERENCES, resamples=200)
    assert [test.metric for test in found.tests] == METRICS, "longer is not better"
    for test in found.tests[-2:]:
        assert test.difference > 0
        assert test.interval.low > 0
        assert test.p_value < 0.05


def test_without_java_it_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = find_meteor()
    assert isinstance(found, NotMeasured)
    assert "METEOR is not measured: it needs Java" in found.reason
    scored = score_captions(GOOD, REFERENCES, resamples=0)
    assert scored.notes == (found.reason,)
    assert "METEOR" not in [score.name for score in scored.scores]


def test_a_jar_that_is_not_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "java").write_text("#!/bin/sh\n", encoding="utf-8")
    (tmp_path / "java").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DataError, match=r"is not a file: give the path of meteor-1\.5\.jar"):
        find_meteor(tmp_path / "none.jar")
    monkeypatch.setattr("sys.path", [])
    missing = find_meteor()
    assert isinstance(missing, NotMeasured)
    assert "meteor-1.5.jar was not found; install pycocoevalcap" in missing.reason
    assert "give its path (--meteor-jar, in Python meteor_jar)" in missing.reason


def program(folder: Path, text: str) -> MeteorProgram:
    java = folder / "java"
    java.write_text("#!/bin/bash\n" + text, encoding="utf-8")
    java.chmod(0o755)
    return MeteorProgram(str(java), folder / "meteor-1.5.jar")


def test_meteor_is_asked_for_counts_and_for_the_score_of_their_sum(tmp_path: Path) -> None:
    said = tmp_path / "said"
    asked = COUNTING.replace("do\n", f'do echo "$line" >> {said}\n', 1)
    captions, references = [("a", "dog"), ("a", "cat")], [[("the", "dog"), ("dogs",)], [("cat",)]]
    with meteor(captions, references, program(tmp_path, asked)) as measured:
        assert measured.value == 25.0
    assert said.read_text(encoding="utf-8").splitlines() == [
        "SCORE ||| the dog ||| dogs ||| a dog",
        "SCORE ||| cat ||| a cat",
        "EVAL ||| 2.0 4.0",
    ]


def test_a_program_that_dies(tmp_path: Path) -> None:
    with (
        pytest.raises(DataError, match=r"ended without an answer: try `java -jar meteor-1\.5\.jar` by hand"),
        meteor([("a",)], [[("a",)]], program(tmp_path, "exit 1")),
    ):
        pass
