"""One model, several directions: asked for by ``--to``, by the data, or by way of another language."""

import json
from pathlib import Path

import pytest

from command import SMALL, command, refused
from saccade.evaluation.results import read_results
from saccade.runs import load

GERMAN = "eine kleine rote Lampe\n\nder Hund ist groß\n"


def output(*arguments: str, stdin: str = "") -> str:
    done = command(*arguments, stdin=stdin)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def test_training_tells_of_each_direction(multilingual: Path) -> None:
    rows = [json.loads(line) for line in (multilingual / "metrics.jsonl").read_text().splitlines()]
    last = [row for row in rows if row["kind"] == "valid"][-1]
    assert {"bleu", "bleu.de-en", "bleu.en-fr", "chrf.de-en", "chrf.en-fr"} <= last.keys()
    samples = json.loads(sorted((multilingual / "samples").iterdir())[-1].read_text())["samples"]
    assert len(samples) == 5


def test_translate_into_the_language_asked_for(multilingual: Path) -> None:
    run = load(multilingual)
    for language in ("en", "fr"):
        found = output("translate", str(multilingual), "--to", language, stdin=GERMAN).splitlines()
        assert found == [one.text for one in run.translate(GERMAN.splitlines(), to=language)]
        assert found[1] == ""


def test_by_way_of_a_third_language(multilingual: Path) -> None:
    english = output("translate", str(multilingual), "--to", "en", stdin=GERMAN)
    french = output("translate", str(multilingual), "--to", "fr", stdin=english)
    assert output("translate", str(multilingual), "--to", "fr", "--via", "en", stdin=GERMAN) == french
    rows = output("translate", str(multilingual), "--to", "fr", "--via", "en", "--json", stdin=GERMAN).splitlines()
    assert [json.loads(row)["via"] for row in rows] == english.splitlines()
    assert [json.loads(row)["source"] for row in rows] == GERMAN.splitlines()


def test_the_other_engine_reads_the_tag_too(multilingual: Path) -> None:
    for way in (["--to", "en"], ["--to", "fr"], ["--to", "fr", "--via", "en"]):
        ours = output("translate", str(multilingual), *way, stdin=GERMAN)
        assert output("translate", str(multilingual), *way, "--engine", "ctranslate2", stdin=GERMAN) == ours


@pytest.mark.parametrize("engine", ["saccade", "ctranslate2"])
@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ([], 'say which language to translate into, with --to or to="en": this model writes en, fr'),
        (["--to", "es"], "this model does not translate into es: it writes en, fr"),
        (["--to", "fr", "--via", "de"], "this model does not translate into de: it writes en, fr"),
        (["--to", "en", "--via", "en"], "the way into en does not lead through en: leave --via out"),
    ],
)
def test_languages_that_cannot_be_asked_for(multilingual: Path, engine: str, asked: list[str], message: str) -> None:
    said = refused("translate", str(multilingual), "--engine", engine, *asked, stdin=GERMAN)
    assert said == f"saccade: {message}\n"


def test_a_model_of_one_direction_has_no_choice(translator: Path) -> None:
    message = "this model was trained for one direction and cannot be asked for a language: leave --to and --via out"
    assert message in refused("translate", str(translator), "--to", "fr", stdin="two dogs\n")
    assert message in refused("translate", str(translator), "--via", "fr", stdin="two dogs\n")
    assert message in refused("view", str(translator), "two dogs", "--to", "fr")
    assert message in refused("view", str(translator), "two dogs", "--target", "deux chiens", "--to", "fr")
    assert message in refused("evaluate", str(translator), "--via", "fr")


def test_a_model_of_one_language_need_not_be_asked(tmp_path: Path) -> None:
    run = str(tmp_path / "run")
    data = "data.train=['scenes:de-fr?size=60', 'scenes:en-fr?size=60']"
    output("train", "transformer-tiny", data, "data.tag=target", *SMALL, "train.budget=1 step", "--run", run)
    assert load(run).languages == ("fr",)
    assert output("translate", run, stdin="ein Hund\n") == output("translate", run, "--to", "fr", stdin="ein Hund\n")


def test_evaluate_takes_the_language_from_the_data(multilingual: Path, tmp_path: Path) -> None:
    run, written = load(multilingual), tmp_path / "out.txt"
    for data, direction in ((None, "de-fr"), ("scenes:de-en?size=6", "de-en")):
        given = [] if data is None else ["--data", data]
        shown = output("evaluate", str(multilingual), "--json", "--beam", "1", *given, "--output", str(written))
        found, pairs = json.loads(shown), run.pairs(run.test_set(data))
        assert {str(pair.direction) for pair in pairs} == {direction}
        texts = run.translate([pair.source for pair in pairs], to=direction.removeprefix("de-"), beam=1)
        assert written.read_text(encoding="utf-8") == "".join(f"{one.text}\n" for one in texts)
        assert found["sentences"] == len(pairs)
        assert found["alignment"] is not None
        assert "via" not in found["decode"]


def test_evaluate_by_way_of_a_third_language(multilingual: Path) -> None:
    shown = output("evaluate", str(multilingual), "--via", "en", "--beam", "1")
    assert shown.startswith("scenes:de-fr?size=20 by way of en: 20 sentences, beam 1, ")
    assert "alignment" not in shown
    assert read_results(multilingual)[-1]["decode"]["via"] == "en"


def test_what_cannot_be_evaluated(multilingual: Path, tmp_path: Path) -> None:
    def refusal(data: str, *more: str) -> str:
        return refused("evaluate", str(multilingual), "--data", data, *more)

    (tmp_path / "mine.tsv").write_text("der Hund\tle chien\n", encoding="utf-8")
    assert "mine.tsv does not say which language it translates into" in refusal(str(tmp_path / "mine.tsv"))
    assert "this model does not translate into es: it writes en, fr" in refusal("scenes:de-es?size=3")
    assert "the way into en does not lead through en" in refusal("scenes:de-en?size=3", "--via", "en")
    assert "scenes:en-fr?size=3 is written in en already: leave --via out" in refusal(
        "scenes:en-fr?size=3", "--via", "en"
    )
    named = f"{tmp_path}/mine.tsv:{{de,fr}}"
    assert "1 sentences" in output("evaluate", str(multilingual), "--data", named)


def test_a_model_of_one_direction_is_compared_with_one_of_several(multilingual: Path, translator: Path) -> None:
    data = ["--data", "scenes:en-fr?size=6", "--beam", "1", "--json"]
    found = json.loads(output("evaluate", str(translator), "--against", str(multilingual), *data))
    other = json.loads(output("evaluate", str(multilingual), "--against", str(translator), *data))
    assert found["comparison"]["bleu"]["a"]["value"] == other["comparison"]["bleu"]["b"]["value"]


def test_view_shows_the_tag(multilingual: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    shown = output("view", str(multilingual), "der Hund ist groß", "--to", "fr", "--output", str(path))
    assert shown == f"{load(multilingual).translate('der Hund ist groß', to='fr').text}\n"
    assert "2fr" in path.read_text(encoding="utf-8")
    assert output("view", str(multilingual), "der Hund", "--to", "en", "--target", "a dog", "--output", str(path)) == (
        "a dog\n"
    )
    assert "say which language" in refused("view", str(multilingual), "der Hund", "--output", str(path))


def test_going_on_from_a_model_with_tags(multilingual: Path, tmp_path: Path) -> None:
    more = ["data.train=scenes:en-fr?size=60&seed=3", *SMALL, "train.budget=1 step", "--init-from", str(multilingual)]
    message = refused("train", "transformer-tiny", *more, "--run", str(tmp_path / "plain"))
    assert "the model to go on from knows tags for en, fr: set data.tag to target as it did" in message
    output("train", "transformer-tiny", *more, "data.tag=target", "--run", str(tmp_path / "tagged"))
    assert load(tmp_path / "tagged").languages == ("en", "fr")


def test_a_source_without_languages(tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text("a b\tc d\n" * 50, encoding="utf-8")
    arguments = [f"data.train={tmp_path}/pairs.tsv", "data.tag=target", "--run", str(tmp_path / "run")]
    message = refused("train", "transformer-tiny", *arguments)
    assert "pairs.tsv does not say which language it translates into, which data.tag needs" in message
    assert not (tmp_path / "run").exists()


def test_check_shows_the_tags() -> None:
    data = "data.train=['scenes:de-en?size=40', 'scenes:en-fr?size=40']"
    found = output("check", "transformer-tiny", data, "data.tag=target", *SMALL, "tokenizer.kind=words", "--json")
    assert all(one["source"][0] == "<2en>" for one in json.loads(found)["examples"])
