import json
from pathlib import Path

from command import command, refused
from saccade.evaluation.results import read_results
from saccade.runs import Run


def test_scores_with_signature_interval_and_alignment(translator: Path, tmp_path: Path) -> None:
    before = len(read_results(translator))
    done = command("evaluate", str(translator), "--beam", "1", "--output", str(tmp_path / "out.fr"))
    assert done.exit_code == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("scenes:en-fr?size=40: 40 sentences, beam 1, ")
    assert [line.split()[0] for line in lines[1:4]] == ["BLEU", "BLEU", "chrF2"]
    assert all("|version:" in line for line in lines[1:4])
    assert lines[4].startswith("alignment error")
    assert "(chosen on validation)" in lines[4]
    assert len((tmp_path / "out.fr").read_text().splitlines()) == 40
    assert len(read_results(translator)) == before + 1
    assert "BLEU" in (translator / "report.html").read_text()


def test_as_json_and_against_another_run(translator: Path, tuned: Path) -> None:
    done = command("evaluate", str(translator), "--against", str(tuned), "--beam", "1", "--json")
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["sentences"] == found["comparison"]["sentences"] == 40
    test = found["comparison"]["bleu"]
    assert test["difference"] == test["b"]["value"] - test["a"]["value"]
    assert test["b"]["value"] == found["scores"][0]["value"]
    assert read_results(tuned)[-1]["scores"][0]["value"] == test["a"]["value"]
    shown = command("evaluate", str(translator), "--against", str(tuned), "--beam", "1").stdout
    assert f"BLEU: {test['b']['value']:.2f} against {test['a']['value']:.2f}, difference" in shown
    assert " p = " in shown.splitlines()[-1]


def test_on_a_file(translator: Path, run: Run, tmp_path: Path) -> None:
    text = run.translate("two big dogs").text
    (tmp_path / "mine.tsv").write_text(f"two big dogs\t{text}\n\tvide\n")
    done = command("evaluate", str(translator), "--data", str(tmp_path / "mine.tsv"))
    assert done.exit_code == 0, done.stderr
    assert "2 sentences" in done.stdout
    assert "alignment error" not in done.stdout


def test_what_cannot_be_evaluated(translator: Path, tmp_path: Path) -> None:
    assert "gone.tsv: no such file" in refused("evaluate", str(translator), "--data", str(tmp_path / "gone.tsv"))
    assert "--submit is for GLUE's test sets" in refused("evaluate", str(translator), "--submit", str(tmp_path))
    assert "no such run folder" in refused("evaluate", str(tmp_path / "gone"))
    assert "no such run folder" in refused("evaluate", str(translator), "--against", str(tmp_path / "gone"))
