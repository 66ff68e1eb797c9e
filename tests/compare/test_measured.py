"""What is measured of a run; its weights are random, which costs nothing to train."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

from saccade.compare.measured import Measured, measure
from saccade.compare.yardstick import YARDSTICKS
from saccade.evaluation.results import read_results
from saccade.evaluation.translation import score_translations
from saccade.models import catalogue
from saccade.recipe import load, to_yaml
from saccade.runs import load as load_run
from saccade.runs import load_translator
from saccade.scenes import read_pairs
from saccade.tasks.corpus import open_corpus, prepare
from saccade.training.checkpoint import Checkpoint
from saccade.training.folder import RunFolder
from saccade.training.kinds import corpus_settings
from saccade.training.optimizers import make_optimizer
from saccade.training.progress import Progress
from saccade.training.setup import make_model
from saccade.training.storage import save_tensors
from saccade.training.weights import weights_of

TEST = "scenes:en-fr?size=12"
DATA = ("data.train=scenes:en-fr?size=60", "data.valid=scenes:en-fr?size=10", f"data.test={TEST}")
KEYS = (
    "tokenizer.kind=words",
    "model.dim=16",
    "train.threads=1",
    "decode.beam=2",
    "decode.max_length=6",
)
DONE = Progress(step=7, epochs=0.5, tokens=99, flops=10**9, seconds=2.5, memory=3 * 2**20)


TAGGED = (
    *("data.train=['scenes:de-en?size=40', 'scenes:en-fr?size=40']", "data.valid=scenes:de-en?size=10"),
    *("data.test=scenes:de-fr?size=12", "data.tag=target"),
)


def run_of(preset: str, place: Path, data: Sequence[str] = DATA) -> RunFolder:
    recipe = load(preset, [*KEYS, *data], models=catalogue())
    folder = RunFolder.create(place / preset, to_yaml(recipe))
    prepare(folder.data, folder.path, corpus_settings(recipe), lambda text: None)
    model = make_model(recipe, open_corpus(folder.data, folder.path).tokenizers)
    save_tensors(folder.model, weights_of(model))
    Checkpoint(folder.last).save(model, make_optimizer(model, recipe.train), DONE, ())
    return folder


@pytest.mark.parametrize(("preset", "attends"), [("rnn-additive", True), ("rnn-seq2seq", False)])
def test_score_cost_and_speed_of_a_run(preset: str, attends: bool, tmp_path: Path) -> None:
    folder = run_of(preset, tmp_path)
    pairs = list(read_pairs("en-fr?size=12", split="test"))
    told: list[int] = []

    @contextmanager
    def telling(sentences: int) -> Iterator[Callable[[int], None]]:
        assert sentences == 12
        yield told.append

    found = measure(folder, pairs, name="mine", data=TEST, command="compare", telling=telling)
    assert (found.name, found.preset, found.run) == ("mine", preset, str(folder.path))
    assert (found.steps, found.tokens, found.flops, found.memory) == (7, 99, 10**9, 3 * 2**20)
    assert (found.seconds, found.epochs) == (2.5, 0.5)
    assert found.parameters == sum(one.numel() for one in load_run(folder.path).model.parameters())
    assert found.decode["beam"] == 2
    assert told[-1] == 12
    assert found.bleu == score_translations(found.translations, [pair.target for pair in pairs]).bleu
    assert found.per_second == 12 / found.decoding_seconds
    assert (found.alignment_error is not None) is attends  # without attention there is no alignment to read
    assert (found.looked is not None) is attends
    if found.looked is not None:
        rows = [sum(row_K) for row_K in found.looked.weights_QK]
        assert rows == pytest.approx([1.0] * len(found.looked.queries), abs=0.01)
        assert len(found.looked.weights_QK[0]) == len(found.looked.keys)
    assert len(read_results(folder.path)) == 1
    found.save(tmp_path / "mine.json")
    assert Measured.read(tmp_path / "mine.json") == found


def test_a_system_for_several_languages_is_asked_for_that_of_the_test_set(tmp_path: Path) -> None:
    folder = run_of("rnn-additive", tmp_path, TAGGED)
    recipe = load(folder.recipe, models=catalogue())
    pairs = YARDSTICKS["translation"].examples(recipe, "scenes:de-fr?size=12")
    assert {str(pair.direction) for pair in pairs} == {"de-fr"}
    found = measure(
        folder, pairs, name="mine", data="scenes:de-fr?size=12", command="compare", telling=lambda _: nullcontext(print)
    )
    expected = load_translator(folder.path).translate([pair.source for pair in pairs], to="fr")
    assert found.translations == tuple(one.text for one in expected)
