"""What the verbs for BERTs do and refuse, on models of random weights."""

from pathlib import Path

import pytest

from command import command, refused
from saccade.data.tokenizers import train_tokenizer
from saccade.interop.huggingface import write_folder
from saccade.models import Vocabulary, build_model, find_preset
from saccade.runs import ClassifierRun, import_huggingface
from saccade.training.weights import weights_of

TEXTS = ["the red star", "a dog saw the ball"]
NLI = ("entailment", "neutral", "contradiction")
BERT = (
    *("model.dim=16", "model.heads=2", "model.layers=1", "model.ff_dim=16", "model.max_length=32", "model.dropout=0"),
    *("data.max_length=32", "train.threads=1", "train.workers=1", "train.warmup=1", "train.budget=1 steps"),
)


def bert_in(place: Path, task: str, labels: tuple[str, ...] = ()) -> str:
    """A run of random weights."""
    cut, path = train_tokenizer(TEXTS, kind="bert"), place / task
    options = {**find_preset("bert-mini").options.model_dump(), "dim": 16, "heads": 2, "layers": 1, "ff_dim": 16}
    vocabulary = Vocabulary(cut.vocab_size, cut.vocab_size, shared=True, pad_id=cut.pad_id, labels=len(labels) or 1)
    weights = weights_of(build_model("bert-mini", options, vocabulary, task=task))
    folder = place / f"{task}-written"
    write_folder(folder, task=task, options=options, weights=weights, tokenizer=cut, labels=labels)
    return str(import_huggingface(folder, path).path)


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> str:
    return bert_in(tmp_path_factory.mktemp("runs"), "classification", NLI)


@pytest.fixture
def glue(tmp_path: Path) -> Path:
    """The folder of GLUE, with the task that is a test set and nothing else."""
    lines = "index\tsentence1\tsentence2\n0\tthe star\ta ball\n1\ta dog\tthe dog\n"
    (tmp_path / "glue").mkdir()
    (tmp_path / "glue" / "diagnostic.tsv").write_text(lines, encoding="utf-8")
    return tmp_path / "glue"


def test_a_submission_makes_its_folder(classifier: str, glue: Path) -> None:
    place = glue / "new" / "submission"
    done = command("evaluate", classifier, "--data", f"glue:ax:{glue}", "--submit", str(place))
    assert done.exit_code == 0, (done.stderr, done.exception)
    first, *rest = (place / "AX.tsv").read_text().splitlines()
    assert first == "index\tprediction"
    assert [line.split("\t")[1] in NLI for line in rest] == [True, True]


def test_what_cannot_be_submitted_is_refused_before_any_work(
    classifier: str, glue: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(ClassifierRun, "_scores")
    taken = str(glue / "diagnostic.tsv")
    said = refused("evaluate", classifier, "--data", f"glue:ax:{glue}", "--submit", taken)
    assert f"{taken} cannot be made a folder (File exists): name another" in said
    said = refused("evaluate", classifier, "--data", taken, "--submit", str(glue))
    assert "is not of GLUE: a submission answers a test set" in said


def test_a_test_set_without_labels_points_to_a_submission(classifier: str, glue: Path) -> None:
    said = refused("evaluate", classifier, "--data", f"glue:ax:{glue}")
    assert "glue:ax has no labels" in said
    assert "--submit" in said


def test_plain_tags_are_learned_and_scored_word_by_word(tmp_path: Path) -> None:
    data = tmp_path / "pos.txt"
    data.write_text("".join(f"the DET\ndog{n} NOUN\nruns VERB\n\n" for n in range(12)), encoding="utf-8")
    run = str(tmp_path / "pos")
    tags = ("task=tagging", "data.tags=plain", f"data.train={data}", f"data.valid={data}")
    done = command("train", "bert-mini", *tags, *BERT, "--run", run)
    assert done.exit_code == 0, (done.stderr, done.exception)
    assert "labels: DET, NOUN, VERB" in done.stderr
    assert "valid  step 1  loss" in done.stderr
    assert "perplexity" not in done.stderr, "tags are no text"
    done = command("evaluate", run, "--data", str(data))
    assert done.exit_code == 0, done.stderr
    (score,) = done.stdout.splitlines()[1:]
    assert score.startswith("word accuracy")
    assert " to " in score
    assert "sentences:12|bs:1000" in score


def test_what_a_pretrained_bert_has_not(tmp_path: Path) -> None:
    run = bert_in(tmp_path, "masked-language-model")
    assert "it has no --output" in refused("evaluate", run, "--output", str(tmp_path / "said.txt"))
    assert "--submit is for GLUE's test sets" in refused("evaluate", run, "--submit", str(tmp_path))


def test_one_text_or_a_file_of_texts() -> None:
    said = refused("classify", "gone", "a dog", "--input", "texts.txt")
    assert "'a dog' and --input texts.txt are both given: leave one of them out" in said


def test_a_tagger_reads_one_text(tmp_path: Path) -> None:
    run = bert_in(tmp_path, "tagging", ("O", "B-X", "I-X"))
    assert command("classify", run, "a dog").exit_code == 0
    assert "2 texts are given: a tagger reads one; more go" in refused("classify", run, "a dog", "the ball")


@pytest.mark.parametrize("option", [("--normalize",), ("--pooling", "mean"), ("--pooling", "first")])
def test_words_are_not_pooled(option: tuple[str, ...]) -> None:
    said = refused("embed", "gone", "words.npz", "--of", "words", *option)
    assert "--pooling and --normalize are for vectors of texts" in said


def test_the_ending_of_a_file_of_vectors_is_checked_first() -> None:
    assert "vectors are written as .parquet, .npz, .jsonl" in refused("embed", "gone", "vectors.txt")
