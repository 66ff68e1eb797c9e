import json
import math
from pathlib import Path

import pytest

from saccade.attention.seen import Attended
from saccade.errors import RunError
from saccade.view.report import marked, report
from view.pages import parse

ATTACK = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"


def train_row(step: int, loss: float | None = None) -> dict[str, object]:
    return {
        "kind": "train", "step": step, "epoch": step / 400, "loss": 9 / step if loss is None else loss, "lr": 0.001,
        "tokens": step * 4096, "gradient_norm": 0.9, "seconds": step * 0.3, "tokens_per_second": 9000.0 + step,
    }  # fmt: skip


def valid_row(step: int, score: float, *, best: bool) -> dict[str, object]:
    return {
        "kind": "valid", "step": step, "loss": 1.2, "perplexity": 3.3, "bleu": score, "chrf": 55.0, "score": score,
        "metric": "bleu", "best": best, "seconds": step * 0.31,
    }  # fmt: skip


def result_entry(text: str = "corpus/test.{en,de}") -> dict[str, object]:
    interval = {"low": 31.9, "high": 34.2, "level": 0.95}
    return {
        "scores": [
            {"name": "BLEU", "value": 33.123, "signature": "nrefs:1|case:mixed", "interval": interval},
            {"name": "chrF2", "value": 55.0, "signature": text, "interval": None},
        ],
        "data": text,
        "sentences": 1000,
        "decode": {"beam": 5},
        "seconds": 12.5,
        "machine": {"cpu": text, "cores": 2, "gpu": None, "torch": "2.6.0", "threads": 2},
        "saccade": "0.1.0",
        "date": "2026-01-01T00:00:00+00:00",
        "command": text,
    }


def write_run(folder: Path, text: str = "a red circle") -> Path:
    rows = [{"kind": "start"}, train_row(100), train_row(200), valid_row(200, 30.0, best=True), train_row(300),
            valid_row(300, 29.0, best=False)]  # fmt: skip
    (folder / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (folder / "samples").mkdir()
    for step in (100, 200, 300):
        sample = {"source": text, "reference": f"{text} here", "hypothesis": f"{text} there {step}"}
        content = json.dumps({"step": step, "samples": [sample]})
        (folder / "samples" / f"step-{step:06}.json").write_text(content, encoding="utf-8")
    content = json.dumps({"version": 1, "results": [result_entry("older"), result_entry(text)]})
    (folder / "results.json").write_text(content, encoding="utf-8")
    (folder / "recipe.yaml").write_text(f"task: translation # {text}\n", encoding="utf-8")
    return folder


def test_a_whole_run(tmp_path: Path, layers: list[Attended]) -> None:
    parsed = parse(report(write_run(tmp_path), attended=layers, title="My run"))
    text = parsed.text
    assert text.count("My run") == 2
    assert "best BLEU 30.00 at step 200" in text
    assert "steps 300" in text
    assert "tokens 1.229M" in text
    assert "minutes 1.6" in text
    assert "tokens a second, median 9,200" in text
    for title in ("Loss training validation", "Validation BLEU", "Learning rate", "Tokens a second"):
        assert title in text
    assert "BLEU 33.12 31.90 to 34.20 (95%) nrefs:1|case:mixed" in text
    assert "chrF2 55.00 none" in text
    assert "1,000 sentences · 12.5 s · beam 5 · a red circle, threads 2, torch 2.6.0 · saccade 0.1.0" in text
    assert "task: translation" in text
    assert ("section", "class", "attention") in parsed.attributes
    for absence in ("No validation", "No samples", "No results", "No attention", "No recipe", "not finite"):
        assert absence not in text


def test_newest_first(tmp_path: Path) -> None:
    text = parse(report(write_run(tmp_path))).text
    assert text.index("Step 300") < text.index("Step 200") < text.index("Earlier samples") < text.index("Step 100")
    assert text.index("a red circle Score") < text.index("older Score")


def test_the_folder_gives_the_title(tmp_path: Path) -> None:
    folder = tmp_path / "tiny & fast"
    folder.mkdir()
    assert "<title>tiny &amp; fast</title>" in report(folder)


def test_an_empty_folder_says_what_is_missing(tmp_path: Path) -> None:
    text = parse(report(tmp_path)).text
    for sentence in (
        "No metrics yet: this run has not made its first step.",
        "No training yet.",
        "No samples yet.",
        "No attention was recorded.",
        "No results yet: evaluating the run writes them.",
        "No recipe.yaml in this folder.",
    ):
        assert sentence in text


def test_a_run_before_its_first_validation(tmp_path: Path) -> None:
    (tmp_path / "metrics.jsonl").write_text(json.dumps(train_row(50)) + '\n{"kind": "va', encoding="utf-8")
    text = parse(report(tmp_path)).text
    assert "No validation yet." in text
    assert "best" not in text
    assert "could not be read" not in text


def test_losses_that_are_not_finite_are_told(tmp_path: Path) -> None:
    rows = [train_row(50), train_row(100, math.nan), train_row(150, math.inf)]
    (tmp_path / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    html = report(tmp_path)
    assert "2 of 3 training losses are not finite numbers, first at step 100." in parse(html).text
    for data in parse(html).data_scripts:
        json.loads(data, parse_constant=pytest.fail)


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    write_run(tmp_path)
    (tmp_path / "results.json").write_text("{", encoding="utf-8")
    text = parse(report(tmp_path)).text
    assert "results.json could not be read and is left out." in text
    assert "No results yet" in text


def test_texts_never_become_markup(tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    parsed = []
    for folder, text in zip(folders, ("harmless", ATTACK), strict=True):
        folder.mkdir()
        parsed.append(parse(report(write_run(folder, text), title=text)))
    harmless, attacked = parsed
    assert [tag for tag in attacked.tags if tag != "mark"] == [tag for tag in harmless.tags if tag != "mark"]
    assert attacked.scripts == harmless.scripts
    assert not [name for _, name, _ in attacked.attributes if name in ("src", "onerror", "href")]
    assert "".join(attacked.texts).count(ATTACK) >= 8


def test_words_that_differ_are_marked() -> None:
    assert marked("a big red circle", "a small red circle") == "a <mark>big</mark> red circle"
    assert marked("a circle", "a circle") == "a circle"
    assert marked("a red circle", "a circle") == "a <mark>red</mark> circle"
    assert marked("a", "a circle") == "a"
    assert marked("<b> x", "x") == "<mark>&lt;b&gt;</mark> x"
    assert "(nothing)" in marked(" ", "a circle")


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="is not a folder"):
        report(tmp_path / "none")
