import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

import saccade
from command import SCENES, command
from saccade.data.examples import Pair
from saccade.errors import DataError, DecodingError, ModelError, RunError
from saccade.evaluation.results import read_results
from saccade.runs import Ensemble, Evaluation, Look, Run, TranslationRun, compare, load
from saccade.tasks.forced import forced_attention

SENTENCES = [
    "a red circle is left of two blue squares",
    "",
    "the woman wears a white jacket",
    "I see that the brown arrow is below five triangles and the three diamonds are small",
    "two big dogs",
]


@pytest.fixture(scope="module")
def evaluation(run: Run) -> Evaluation:
    return Ensemble([run]).evaluate(beam=2)


def test_a_run_says_what_it_is(run: Run, translator: Path) -> None:
    assert repr(run) == f"Run('{translator}', transformer-tiny)"
    assert run.layers == (
        "encoder.0.self",
        "decoder.0.self",
        "decoder.0.cross",
        "decoder.1.self",
        "decoder.1.cross",
    )


@pytest.mark.parametrize("beam", [1, 5])
def test_recording_changes_nothing_and_finds_the_returned_hypothesis(run: Run, beam: int) -> None:
    """The recorded weights are those of forced decoding of the same text: the order of the beam was resolved."""
    plain = run.translate(SENTENCES, beam=beam)
    with saccade.record(run) as seen:
        recorded = run.translate(SENTENCES, beam=beam)
    assert [one.candidates for one in recorded] == [one.candidates for one in plain]
    assert list(seen) == list(run.layers)
    spoken = [one for one in recorded if one.text]
    assert len(spoken) == 4
    forced = forced_attention(run.member, [Pair(one.source, one.text) for one in spoken])
    for layer in run.layers:
        assert len(seen[layer].attended) == 4
        assert seen[layer].weights_BHQK.shape[:2] == (4, 2)
        for one, found, again in zip(spoken, seen[layer].attended, forced, strict=True):
            source, target = (
                (*one.source.split(), "</s>"),
                (*run.tokenizers.target.pieces(run.tokenizers.target.encode_batch([one.text])[0]), "</s>"),
            )
            assert found.queries == (source if layer.startswith("encoder") else target)
            assert found.keys == (("<s>", *target[:-1]) if layer.startswith("decoder") and "self" in layer else source)
            assert found.weights_HQK.shape == (2, len(found.queries), len(found.keys))
            torch.testing.assert_close(found.weights_HQK.sum(-1), torch.ones(2, len(found.queries)))
            torch.testing.assert_close(found.weights_HQK, again[layer].weights_HQK, atol=1e-5, rtol=0)


def test_recording_over_several_batches_keeps_the_order_of_the_input(run: Run) -> None:
    with saccade.record(run, "decoder.*.cross") as seen:
        run.translate(SENTENCES, batch_tokens=1)
    spoken = [text for text in SENTENCES if text]
    assert [one.keys for one in seen["decoder.0.cross"].attended] == [(*text.split(), "</s>") for text in spoken]
    with pytest.raises(ModelError, match=r"no attention layer 'encoder.0.cross'"):
        seen["encoder.0.cross"]


def test_a_head_can_be_knocked_out(run: Run) -> None:
    sentence = SENTENCES[3]
    before = run.translate(sentence, nbest=5)
    with saccade.record(run, "decoder.1.cross") as seen:
        for head in (0, 1):
            seen.edit("decoder.1.cross", head=head, weights=0)
        after = run.translate(sentence, nbest=5)
    assert float(seen["decoder.1.cross"].weights_BHQK.abs().max()) == 0
    assert [c.score for c in after.candidates] != [c.score for c in before.candidates]
    with saccade.record(run, "decoder.1.cross") as seen:
        seen.edit("decoder.1.cross", head=0, weights=0)
        one_head = run.translate(sentence, nbest=5)
    assert float(seen["decoder.1.cross"].weights_BHQK[:, 0].max()) == 0
    assert float(seen["decoder.1.cross"].weights_BHQK[:, 1].max()) > 0
    assert [c.score for c in one_head.candidates] != [c.score for c in before.candidates]
    assert run.translate(sentence, nbest=5).candidates == before.candidates


def test_look_at_its_own_translation_and_at_a_given_one(run: Run) -> None:
    own = run.look(SENTENCES[0])
    assert own.target == run.translate(SENTENCES[0]).text
    assert [one.layer for one in own.layers] == list(run.layers)
    given = run.look(SENTENCES[0], own.target)
    for layer in run.layers:
        torch.testing.assert_close(own[layer].weights_HQK, given[layer].weights_HQK, atol=1e-5, rtol=0)
    other = run.look(SENTENCES[0], "deux chiens")
    assert other["decoder.0.cross"].queries == ("deux", "chiens", "</s>")
    clearest = own.clearest()
    assert clearest is not None
    assert clearest.layer == "decoder.0.cross"  # the last but one of two
    assert Look("a", "b", ()).clearest() is None


def test_nothing_to_look_at(run: Run) -> None:
    for source, target in (("", None), ("  ", None), ("two big dogs", " ")):
        with pytest.raises(DecodingError, match="there is nothing to look at in an empty text"):
            run.look(source, target)
    message = r"no attention layer 'decoder.7.cross' was recorded; there are encoder.0.self, decoder.0.self"
    with pytest.raises(DecodingError, match=message):
        run.look("two big dogs")["decoder.7.cross"]


def test_a_notebook_shows_the_text_that_was_written_and_escapes_it(run: Run) -> None:
    found = run.translate("a <b>red</b> & <script>alert(1)</script> circle")
    page = found._repr_html_()  # type: ignore[attr-defined]
    assert "<script" not in page
    assert "<b>" not in page
    assert "&lt;script&gt;" in page
    assert "<svg" in page
    short = run.translate(SENTENCES[3], max_length=4)
    assert short.text in short._repr_html_()  # type: ignore[attr-defined]
    assert run.translate(SENTENCES[3]).text not in short._repr_html_()  # type: ignore[attr-defined]
    empty = run.translate("")._repr_html_()  # type: ignore[attr-defined]
    assert "<svg" not in empty
    assert "<svg" in run.look(SENTENCES[0])._repr_html_()


def test_an_evaluation_is_of_real_text_against_untouched_references(run: Run, evaluation: Evaluation) -> None:
    texts = [one.text for one in run.translate([pair.source for pair in evaluation.pairs], beam=2)]
    assert [one.text for one in evaluation.translations] == texts
    assert len(evaluation.pairs) == 40
    assert evaluation.scores.bleu.value > 30
    assert evaluation.alignment is not None
    assert evaluation.alignment.score.error_rate < 0.6
    assert evaluation.alignment.lens.layer in run.layers


def test_results_say_all_that_is_needed_to_repeat_them(run: Run, evaluation: Evaluation) -> None:
    written = read_results(run.folder.path)[-1] if evaluation else {}
    assert written["data"] == "scenes:en-fr?size=40"
    assert written["sentences"] == 40
    assert written["decode"] == {
        "beam": 2,
        "length_penalty": 1.0,
        "max_length": None,
        "batch_tokens": 8192,
        "nbest": 1,
        "replace_unknown": False,
        "runs": 1,
    }
    assert [score["name"] for score in written["scores"]] == [score.name for score in evaluation.scores.scores]
    assert all("version:" in score["signature"] and score["interval"] for score in written["scores"])
    assert written["alignment"]["read_from"] == str(evaluation.alignment.lens)
    assert written["command"] == "Ensemble.evaluate"
    assert written["saccade"] == saccade.__version__
    assert {"machine", "date", "seconds"} <= written.keys()
    assert written["machine"]["threads"] == 1


def test_two_runs_are_compared_on_the_same_sentences(run: Run, tuned: Path, evaluation: Evaluation) -> None:
    other = Ensemble([load(tuned)]).evaluate(evaluation.result.data, pairs=evaluation.pairs, beam=2)
    found = compare(evaluation, other)
    assert found.sentences == 40
    assert found.bleu.difference == pytest.approx(other.scores.bleu.value - evaluation.scores.bleu.value)
    assert compare(evaluation, evaluation).bleu.difference == 0
    assert compare(evaluation, evaluation).bleu.p_value > 0.9
    fewer = replace(other, pairs=other.pairs[:-1])
    with pytest.raises(DataError, match="two runs can only be compared on the same test sentences"):
        compare(evaluation, fewer)


def test_an_ensemble_writes_with_all_its_runs(run: Run, tuned: Path) -> None:
    both = Ensemble([run, load(tuned)])
    texts = [text for text in SENTENCES if text]
    found = both.translate(texts)
    alone = run.translate(texts)
    assert [one.source for one in found] == texts
    assert [one.candidates[0].score for one in found] != [one.candidates[0].score for one in alone]
    assert both.evaluate(pairs=[Pair(texts[0], alone[0].text)]).result.decode["runs"] == 2
    with pytest.raises(RunError, match="name at least one run"):
        Ensemble([])


def test_a_test_set_keeps_odd_pairs(run: Run, tmp_path: Path) -> None:
    (tmp_path / "odd.tsv").write_text(f"\tvide\ntwo big dogs\tdeux grands chiens\n{'word ' * 2000}\tmot\n")
    pairs = run.pairs(str(tmp_path / "odd.tsv"))
    assert [pair.target for pair in pairs] == ["vide", "deux grands chiens", "mot"]
    found = Ensemble([run]).evaluate(str(tmp_path / "odd.tsv"), max_length=5)
    assert found.alignment is None
    assert found.translations[0].text == ""
    assert found.result.alignment is None


def test_without_a_test_set(run: Run, translator: Path) -> None:
    data = run.recipe.data.model_copy(update={"test": None})
    bare = TranslationRun(run.folder, run.recipe.model_copy(update={"data": data}), run.model, run.tokenizers)
    assert bare.test_set("mine.tsv") == "mine.tsv"
    with pytest.raises(DataError, match=r"the recipe names no data.test: say what to evaluate on, with --data"):
        bare.test_set()


def test_a_run_without_weights(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(json.dumps({"format": 1}))
    with pytest.raises(RunError, match="has no trained weights yet: go on with `saccade resume"):
        saccade.load(tmp_path)


@pytest.fixture(scope="module")
def families(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Models of three families with the tokenizer of the same data, hardly trained."""
    place = tmp_path_factory.mktemp("families")
    data = ("data.train=scenes:en-fr?size=400", *SCENES[1:], "train.threads=1", "train.budget=12 steps")
    for preset in ("rnn-additive", "rnn-seq2seq", "transformer-tiny"):
        done = command("train", preset, *data, "model.dim=32", "--run", str(place / preset))
        assert done.exit_code == 0, done.stderr
    return {path.name: path for path in place.iterdir()}


@pytest.mark.parametrize("beam", [1, 3])
def test_an_ensemble_may_mix_families(families: dict[str, Path], beam: int) -> None:
    runs = {name: load(path) for name, path in families.items()}
    texts = [text for text in SENTENCES if text]
    together = Ensemble(list(runs.values()))
    found = together.translate(texts, beam=beam, max_length=12)
    assert [one.source for one in found] == texts
    for run in runs.values():
        alone = run.translate(texts, beam=beam, max_length=12)
        assert [one.candidates[0].score for one in alone] != [one.candidates[0].score for one in found]
    turned = Ensemble(list(runs.values())[::-1]).translate(texts, beam=beam, max_length=12)
    assert [one.text for one in turned] == [one.text for one in found]
    assert [one.candidates[0].score for one in turned] == pytest.approx([one.candidates[0].score for one in found])


def test_every_member_of_an_ensemble_can_be_recorded(families: dict[str, Path]) -> None:
    runs = {name: load(path) for name, path in families.items()}
    texts = [text for text in SENTENCES if text]
    together = Ensemble(list(runs.values()))
    plain = together.translate(texts, beam=3, max_length=12)
    with saccade.record(runs["rnn-additive"]) as early, saccade.record(runs["transformer-tiny"]) as late:
        recorded = together.translate(texts, beam=3, max_length=12)
    assert [one.text for one in recorded] == [one.text for one in plain]
    for seen, run in ((early, runs["rnn-additive"]), (late, runs["transformer-tiny"])):
        forced = forced_attention(run.member, [Pair(one.source, one.text) for one in plain])
        for layer in run.layers:
            assert len(seen[layer].attended) == len(texts)
            for one, again in zip(seen[layer].attended, forced, strict=True):
                if layer.endswith(".cross"):
                    steps = one.weights_HQK.shape[1]  # one less than forced decoding where the length cut the text
                    assert one.keys == again[layer].keys
                    torch.testing.assert_close(one.weights_HQK, again[layer].weights_HQK[:, :steps], atol=1e-5, rtol=0)


def test_alignment_is_read_from_a_member_that_attends(families: dict[str, Path]) -> None:
    runs = [load(families[name]) for name in ("rnn-seq2seq", "rnn-additive")]
    found = Ensemble(runs).evaluate("scenes:en-fr?size=6", beam=1, max_length=12)
    assert found.alignment is not None
    assert found.alignment.lens.layer in runs[1].layers
    assert Ensemble(runs[:1]).evaluate("scenes:en-fr?size=6", beam=1, max_length=12).alignment is None


def test_a_run_for_several_languages(multilingual: Path) -> None:
    run = load(multilingual)
    assert run.languages == ("en", "fr")
    pivot = run.translate("der Hund ist groß", to="fr", via="en")
    assert pivot.via == run.translate("der Hund ist groß", to="en").text  # type: ignore[attr-defined]
    assert pivot.text == run.translate(pivot.via, to="fr").text  # type: ignore[attr-defined]
    assert pivot.source == "der Hund ist groß"
    for shown in (pivot, run.translate("der Hund ist groß", to="fr")):
        assert "2fr" in shown._repr_html_()  # type: ignore[attr-defined]
    own = run.look("der Hund ist groß", to="fr")
    again = run.look("der Hund ist groß", own.target, to="fr")
    for layer in run.layers:
        torch.testing.assert_close(own[layer].weights_HQK, again[layer].weights_HQK, atol=1e-5, rtol=0)
    assert own["decoder.0.cross"].keys[:3] == ("<2fr>", "der", "Hund")
    assert len(own["decoder.0.cross"].keys) == 6
