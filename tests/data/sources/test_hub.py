"""The hub: a folder in the working directory stands for ``owner/name``, as the library itself has it."""

import json
import sys

import pytest

from saccade.data.sources import read_pairs

NESTED = [{"translation": {"de": f"Satz {n}", "en": f"sentence {n}"}} for n in range(3)]


@pytest.fixture(autouse=True)
def offline(monkeypatch, folder):
    """The library is never to look at the network, nor to write outside the test's folder."""
    import datasets
    import huggingface_hub

    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", folder / "cache")


@pytest.fixture
def dataset(write):
    def to(name: str, records: list[dict[str, object]]) -> None:
        write(name, "".join(json.dumps(record) + "\n" for record in records))

    return to


def test_a_split_is_streamed_and_placed(dataset):
    dataset("someone/tiny/train.jsonl", NESTED)
    pairs = list(read_pairs("hub:someone/tiny", source="en", target="de"))
    assert [(pair.source, pair.target) for pair in pairs] == [(f"sentence {n}", f"Satz {n}") for n in range(3)]
    assert pairs[1].where == "hub:someone/tiny:2"


def test_valid_is_called_validation(dataset, read_all):
    dataset("someone/tiny/train.jsonl", [{"source": "a", "target": "b"}])
    dataset("someone/tiny/validation.jsonl", [{"source": "c", "target": "d"}])
    dataset("someone/tiny/test.jsonl", [{"source": "e", "target": "f"}])
    assert read_all("hub:someone/tiny", split="valid") == [("c", "d")]
    assert read_all("hub:someone/tiny", split="test") == [("e", "f")]


def test_a_configuration(dataset, write, read_all, refusal):
    dataset("someone/tiny/de/train.jsonl", [{"source": "one", "target": "eins"}])
    dataset("someone/tiny/fr/train.jsonl", [{"source": "one", "target": "un"}])
    configs = "".join(f"- config_name: {c}\n  data_files: {c}/train.jsonl\n" for c in ("de", "fr"))
    write("someone/tiny/README.md", f"---\nconfigs:\n{configs}---\n")
    assert read_all("hub:someone/tiny/fr") == [("one", "un")]
    assert refusal("hub:someone/tiny/es").startswith(
        "hub:someone/tiny/es: the split \"train\" cannot be read: ValueError: BuilderConfig 'es' not found. Available"
    )


def test_a_missing_split(dataset, refusal):
    dataset("someone/tiny/train.jsonl", NESTED)
    assert refusal("hub:someone/tiny", split="valid").startswith(
        'hub:someone/tiny: the split "validation" cannot be read: ValueError: Bad split: validation. Available splits:'
    )


def test_missing_names_list_those_present(dataset, refusal):
    dataset("someone/tiny/train.jsonl", NESTED)
    assert refusal("hub:someone/tiny") == (
        'hub:someone/tiny:1: no column or key "source" and "target" (there are: translation.de, translation.en); '
        "name the two to read with source and target"
    )


def test_a_file_that_breaks_on_the_way(write, refusal):
    write("someone/tiny/train.jsonl", '{"source": "a", "target": "b"}\nnot json\n')
    assert refusal("hub:someone/tiny").startswith('hub:someone/tiny: the split "train" cannot be read: ')


def test_a_data_set_that_cannot_be_reached(refusal):
    assert refusal("hub:nobody/nothing").startswith('hub:nobody/nothing: the split "train" cannot be read: ')


@pytest.mark.parametrize("rest", ["", "name", "a/b/c/d", "a//b", "/b"])
def test_a_name_of_another_shape(refusal, rest):
    assert refusal(f"hub:{rest}") == f"hub:{rest}: expected hub:owner/name or hub:owner/name/config"


def test_without_the_library(refusal, monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    assert refusal("hub:someone/tiny") == (
        'hub:someone/tiny: reading from the hub needs datasets: pip install "saccade[hub]"'
    )
