import json
from pathlib import Path

import pytest

from compare.parts import comparison_of, measured, plan_of, sentences
from saccade.compare.comparison import _standing
from saccade.compare.folder import CompareFolder
from saccade.compare.measured import Measured
from saccade.compare.result import as_json, write_result
from saccade.compare.table import headings, table
from saccade.errors import RunError
from saccade.evaluation.translation import compare_translations

PAIRS = sentences()
WEAK = measured("rnn-seq2seq", PAIRS, wrong=6, alignment=None)
STRONG = measured("transformer-tiny", PAIRS, wrong=17, seconds=3700.0)


def test_the_best_comes_first_and_the_others_are_tested_against_it() -> None:
    found = comparison_of(WEAK, STRONG)
    assert [row.system.name for row in found.rows] == ["transformer-tiny", "rnn-seq2seq"]
    assert found.rows[0].against_best is None
    references = [pair.target for pair in PAIRS]
    assert found.rows[1].against_best == compare_translations(STRONG.translations, WEAK.translations, references).bleu
    assert found.rows[1].against_best.difference == pytest.approx(WEAK.bleu.value - STRONG.bleu.value)


def test_long_sentences_show_the_bottleneck() -> None:
    weak = comparison_of(WEAK, STRONG).rows[1].lengths
    assert [one.bleu for one in weak] == sorted((one.bleu for one in weak), reverse=True)


def test_the_table_says_what_each_cost() -> None:
    found = comparison_of(WEAK, STRONG)
    first, second = (dict(zip(headings(found), line, strict=True)) for line in table(found))
    interval = STRONG.bleu.interval
    assert interval is not None
    assert first["BLEU (95 %)"] == f"{STRONG.bleu.value:.1f} ({interval.low:.1f}–{interval.high:.1f})"
    assert first["against the best"] == "–"
    assert second["against the best"].startswith("-")
    assert "p = 0.001" in second["against the best"]
    assert first["FLOPs"] == "2.00e12"
    assert (first["time"], second["time"]) == ("1:01:40", "2:05")
    assert first["memory"] == "500 MiB"
    assert first["sentences/s"] == "50.0"
    assert (first["alignment error"], second["alignment error"]) == ("25.0%", "–")
    assert first["parameters"] == "1,234,567"


def test_the_result_holds_settings_and_figures_and_no_texts(tmp_path: Path) -> None:
    found = comparison_of(WEAK, STRONG)
    write_result(found, tmp_path / "compare.json")
    said = json.loads((tmp_path / "compare.json").read_text())
    assert said == json.loads(json.dumps(as_json(found)))
    assert said["budget"] == "2 minutes"
    assert said["data"]["train"] == "scenes:en-fr"
    assert said["tokenizer"]["kind"] == "words"
    assert said["sentences"] == 200
    best, other = said["systems"]
    assert best["against_best"] is None
    assert other["against_best"]["metric"] == "BLEU"
    assert best["machine"]["cpu"] == "A"
    assert best["bleu"]["signature"]
    assert [one["words"] for one in best["bleu_by_length"]] == ["1–9", "10–14", "15–19", "20+"]
    assert not {"translations", "looked"} & best.keys()


def test_what_was_measured_is_kept_whole(tmp_path: Path) -> None:
    WEAK.save(tmp_path / "weak.json")
    assert Measured.read(tmp_path / "weak.json") == WEAK
    (tmp_path / "weak.json").write_text('{"bleu": 3}')
    with pytest.raises(RunError, match=r"weak.json is damaged .*: remove it, and the system is evaluated again"):
        Measured.read(tmp_path / "weak.json")


def test_the_time_left_follows_the_budget_or_the_systems_that_are_done(tmp_path: Path) -> None:
    names = ("rnn-seq2seq", "rnn-dot", "transformer-tiny")
    timed, counted = plan_of(*names), plan_of(*names, budget="1e12 flops")
    folder = CompareFolder.make(tmp_path / "c", timed)
    assert _standing(timed, folder, 1).left == 360
    assert _standing(counted, folder, 1).left is None
    WEAK.save(folder.measured_file(timed.recipes[0]))
    second = _standing(counted, folder, 2)
    assert (second.number, second.systems, second.name) == (2, 3, "rnn-dot")
    assert second.gone == 129
    assert second.left == 258
    assert _standing(timed, folder, 2).left == 240
