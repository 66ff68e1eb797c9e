"""Hugging Face's own models, tiny and random, in both directions."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tokenizers
import torch
import transformers
from safetensors.torch import load_file, save_file
from tokenizers import decoders, models, pre_tokenizers, trainers

from saccade.data.tokenizers import Tokenizer, train_tokenizer
from saccade.errors import DataError, ModelError
from saccade.interop.huggingface import Imported, read_folder, write_folder
from saccade.models import Bert, Reading, Vocabulary, build_model, find_preset
from saccade.runs import LanguageRun, import_huggingface, load
from saccade.training.weights import put_weights, weights_of

pytestmark = pytest.mark.parity

TEXTS = ["The small dog barked at the cat.", "It was too tired to cross the street!"] * 3
SIZES = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "max_position_embeddings": 40,
}


def tokenizer() -> Tokenizer:
    return train_tokenizer(TEXTS, kind="bert", lowercase=True)


def their_bert(kind: str = "BertForPreTraining", **changes: Any) -> Any:
    torch.manual_seed(3)
    config = transformers.BertConfig(vocab_size=tokenizer().vocab_size, **SIZES, **changes)
    model = getattr(transformers, kind)(config).eval()
    for parameter in model.parameters():
        if parameter.ndim == 1:
            torch.nn.init.normal_(parameter, mean=float(parameter.mean() == 1), std=0.2)
        else:
            torch.nn.init.normal_(parameter, std=0.2)
    return model


def saved(model: Any, folder: Path, **options: Any) -> Path:
    model.save_pretrained(folder, **options)
    tokenizer().save(folder / "tokenizer.json")
    return folder


def ours(found: Imported) -> Any:
    size = found.tokenizer.vocab_size
    vocabulary = Vocabulary(size, size, shared=True, pad_id=found.tokenizer.pad_id, labels=len(found.labels) or 1)
    model = build_model(found.preset, found.options, vocabulary, task=found.task)
    put_weights(model, found.weights, origin=Path("theirs"))
    return model.eval()


def batch() -> Reading:
    tokens = torch.randint(5, 30, (3, 9), generator=torch.Generator().manual_seed(4))
    real = torch.arange(9) < torch.tensor([[9], [6], [4]])
    return Reading(tokens, (torch.arange(9) > 3).long().expand(3, -1) * real, real)


def theirs(model: Any, reading: Reading) -> Any:
    with torch.no_grad():
        return model(
            input_ids=reading.tokens_BT,
            token_type_ids=reading.segments_BT,
            attention_mask=reading.real_BT.long(),
            output_hidden_states=True,
        )


def close(found: torch.Tensor, expected: torch.Tensor) -> None:
    torch.testing.assert_close(found, expected, atol=2e-5, rtol=1e-4)


def test_a_pretrained_bert_says_the_same_here(tmp_path: Path) -> None:
    peer, reading = their_bert(), batch()
    found = read_folder(saved(peer, tmp_path))
    assert found.task == "masked-language-model"
    model, real = ours(found), reading.real_BT
    expected = theirs(peer, reading)
    with torch.no_grad():
        states = model.states(reading)
        for one, other in zip(states, expected.hidden_states, strict=True):
            close(one[real], other[real])
        close(model.words(states[-1])[real], expected.prediction_logits[real])
        close(model.next(model.pooler(states[-1])), expected.seq_relationship_logits)


def test_the_bare_body_lacks_its_heads_only(tmp_path: Path) -> None:
    peer, reading = their_bert("BertModel"), batch()
    found = read_folder(saved(peer, tmp_path))
    size = found.tokenizer.vocab_size
    model = build_model(found.preset, found.options, Vocabulary(size, size, shared=True), task=found.task)
    assert isinstance(model, Bert)
    missing = {name.split(".")[0] for name in weights_of(model).keys() - found.weights.keys()}
    assert missing == {"words", "next"}
    for name, parameter in weights_of(model).items():
        if name in found.weights:
            parameter.copy_(found.weights[name])
    with torch.no_grad():
        close(model.eval()(reading)[reading.real_BT], theirs(peer, reading).last_hidden_state[reading.real_BT])


@pytest.mark.parametrize(
    ("kind", "task", "labels"),
    [
        ("BertForSequenceClassification", "classification", ("bad", "fair", "good")),
        ("BertForSequenceClassification", "regression", ()),
        ("BertForTokenClassification", "tagging", ("O", "B-PER", "I-PER")),
    ],
)
def test_fine_tuned_models_come_with_their_labels(
    tmp_path: Path, kind: str, task: str, labels: tuple[str, ...]
) -> None:
    named = {"id2label": dict(enumerate(labels)), "label2id": {one: i for i, one in enumerate(labels)}}
    peer = their_bert(kind, **(named if labels else {"num_labels": 1}))
    found = read_folder(saved(peer, tmp_path))
    assert found.task == task
    assert found.labels == labels
    reading = batch()
    expected, given = theirs(peer, reading).logits, ours(found).scores(reading)
    if task == "tagging":
        expected, given = expected[reading.real_BT], given[reading.real_BT]
    close(given, expected)


@pytest.mark.parametrize("kind", ["BertForSequenceClassification", "BertForTokenClassification"])
def test_two_labels_that_their_file_does_not_name(tmp_path: Path, kind: str) -> None:
    peer, reading = their_bert(kind), batch()
    folder = saved(peer, tmp_path)
    assert "id2label" not in json.loads((folder / "config.json").read_text())
    found = read_folder(folder)
    assert found.labels == ("LABEL_0", "LABEL_1")
    expected, given = theirs(peer, reading).logits, ours(found).scores(reading)
    real = reading.real_BT if kind == "BertForTokenClassification" else slice(None)
    close(given[real], expected[real])


@pytest.mark.parametrize("task", ["masked-language-model", "classification", "tagging"])
def test_what_we_write_they_read(tmp_path: Path, task: str) -> None:
    torch.manual_seed(5)
    labels = () if task == "masked-language-model" else ("no", "yes")
    options = {"dim": 32, "heads": 4, "layers": 2, "ff_dim": 48, "max_length": 40, "dropout": 0.1, "eps": 1e-12}
    options |= {"attention_dropout": 0.0}
    cut = tokenizer()
    model: Any = build_model(
        "bert-mini", options, Vocabulary(cut.vocab_size, cut.vocab_size, True, labels=len(labels)), task=task
    )
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.2)
    write_folder(tmp_path, task=task, options=options, weights=weights_of(model.eval()), tokenizer=cut, labels=labels)
    kind = json.loads((tmp_path / "config.json").read_text())["architectures"][0]
    peer, info = getattr(transformers, kind).from_pretrained(tmp_path, output_loading_info=True)
    assert not info["missing_keys"]
    assert not info["unexpected_keys"]
    reading = batch()
    found = theirs(peer.eval(), reading)
    with torch.no_grad():
        close(model(reading)[reading.real_BT], found.hidden_states[-1][reading.real_BT])
        if labels:
            mine = model.scores(reading)
            close(mine if mine.ndim == 2 else mine[reading.real_BT],
                  found.logits if mine.ndim == 2 else found.logits[reading.real_BT])  # fmt: skip
            assert list(peer.config.id2label.values()) == list(labels)
    read = transformers.AutoTokenizer.from_pretrained(tmp_path)
    assert read("The dog barked?")["input_ids"] == [cut.bos_id, *cut.encode("The dog barked?").ids, cut.eos_id]
    assert read.mask_token_id == cut.mask_id


def test_back_and_forth_is_the_same_file(tmp_path: Path) -> None:
    peer = their_bert()
    found = read_folder(saved(peer, tmp_path / "theirs"))
    options = {**found.options}
    write_folder(tmp_path / "ours", task=found.task, options=options, weights=found.weights, tokenizer=found.tokenizer)
    one, other = (load_file(tmp_path / name / "model.safetensors") for name in ("theirs", "ours"))
    copies = {"cls.predictions.decoder.weight", "cls.predictions.decoder.bias"}
    assert one.keys() - copies == other.keys() - copies
    assert all(torch.equal(one[name], other[name]) for name in one.keys() - copies)


def test_shards_and_old_files(tmp_path: Path) -> None:
    peer = their_bert("BertModel")
    whole = read_folder(saved(peer, tmp_path / "whole")).weights
    shards = saved(peer, tmp_path / "shards", max_shard_size="20KB")
    assert len(list(shards.glob("model-*.safetensors"))) > 1
    old = saved(peer, tmp_path / "old")
    (old / "model.safetensors").unlink()
    torch.save(peer.state_dict(), old / "pytorch_model.bin")
    for folder in (shards, old):
        found = read_folder(folder).weights
        assert found.keys() == whole.keys()
        assert all(torch.equal(found[name], whole[name]) for name in whole)


def test_a_bin_file_runs_nothing(tmp_path: Path) -> None:
    folder = saved(their_bert("BertModel"), tmp_path)
    (folder / "model.safetensors").unlink()
    torch.save({"evil": Path}, folder / "pytorch_model.bin")
    with pytest.raises(DataError, match=r"pytorch_model\.bin cannot be read as weights"):
        read_folder(folder)


def _without(name: str) -> Callable[[dict[str, torch.Tensor]], None]:
    def take(weights: dict[str, torch.Tensor]) -> None:
        del weights[name]

    return take


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_without("encoder.layer.1.output.dense.bias"), r"missing: bert\.encoder\.layer\.1\.output\.dense\.bias"),
        (lambda weights: weights.update(extra=torch.ones(2)), r"unexpected: bert\.extra"),
        (
            lambda weights: weights.update({"pooler.dense.weight": torch.ones(3, 3)}),
            r"of another shape: pooler\.dense\.weight \(3, 3\) for \(32, 32\)",
        ),
    ],
)
def test_every_tensor_is_accounted_for(tmp_path: Path, change: Callable[[Any], None], message: str) -> None:
    folder = saved(their_bert("BertModel"), tmp_path)
    weights = load_file(folder / "model.safetensors")
    change(weights)
    save_file(weights, folder / "model.safetensors")
    with pytest.raises(ModelError, match=message):
        read_folder(folder)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model_type": "t5"}, "models of type 't5' are not known here; known are bert, gpt2, vit"),
        ({"hidden_act": "relu"}, "hidden_act is 'relu'; such a model has 'gelu' here"),
        ({"is_decoder": True}, "is_decoder is True; such a model has False here"),
        ({"vocab_size": 3}, "vocab_size 3, but the tokenizer has"),
    ],
)
def test_other_architectures_are_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    folder = saved(their_bert("BertModel"), tmp_path)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | changes))
    with pytest.raises(ModelError, match=message):
        read_folder(folder)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("config.json", r"config\.json is missing"),
        ("model.safetensors", "has no weights: expected model.safetensors"),
        ("tokenizer.json", "has no tokenizer: expected tokenizer.json"),
    ],
)
def test_what_a_folder_lacks(tmp_path: Path, name: str, message: str) -> None:
    folder = saved(their_bert("BertModel"), tmp_path)
    (folder / name).unlink()
    with pytest.raises(DataError, match=message):
        read_folder(folder)


def test_a_vocabulary_as_text_is_the_same_tokenizer(tmp_path: Path) -> None:
    folder = saved(their_bert("BertModel"), tmp_path)
    whole = read_folder(folder).tokenizer
    lines = sorted(whole.vocabulary, key=lambda piece: whole.vocabulary[piece])
    (folder / "vocab.txt").write_text("".join(f"{line}\n" for line in lines))
    (folder / "tokenizer.json").unlink()
    read = read_folder(folder).tokenizer
    text = "The small DOGS barked; 日本."
    assert read.encode(text) == whole.encode(text)
    assert read.mask_id == whole.mask_id


def test_a_tokenizer_that_cuts_and_fills_does_neither_here(tmp_path: Path) -> None:
    folder = saved(their_bert("BertModel"), tmp_path)
    definition = json.loads((folder / "tokenizer.json").read_text())
    definition["truncation"] = {"max_length": 2, "strategy": "LongestFirst", "stride": 0, "direction": "Right"}
    (folder / "tokenizer.json").write_text(json.dumps(definition))
    assert len(read_folder(folder).tokenizer.encode_batch(["the small dog barked"])[0]) == 4


def gpt_tokenizer() -> Tokenizer:
    """As GPT-2's: bytes, merges, no space before the first word, one special token at the end of the vocabulary."""
    trainer = trainers.BpeTrainer(vocab_size=300, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    made = tokenizers.Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.train_from_iterator(TEXTS, trainer)
    made.add_special_tokens(["<|endoftext|>"])
    return Tokenizer(made.to_str())


def their_gpt(**changes: Any) -> Any:
    torch.manual_seed(4)
    config = transformers.GPT2Config(
        vocab_size=gpt_tokenizer().vocab_size, n_embd=32, n_layer=2, n_head=4, n_positions=40, **changes
    )
    model = transformers.GPT2LMHeadModel(config).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, mean=float(parameter.ndim == 1), std=0.2)
    return model


def saved_gpt(model: Any, folder: Path) -> Path:
    model.save_pretrained(folder)
    gpt_tokenizer().save(folder / "tokenizer.json")
    return folder


def test_a_gpt_says_the_same_here(tmp_path: Path) -> None:
    peer = their_gpt(n_inner=48)
    found = read_folder(saved_gpt(peer, tmp_path))
    assert found.task == "language-model"
    model, tokens = ours(found), torch.randint(0, 250, (3, 12), generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        close(model.logits(model(tokens)), peer(tokens).logits)


def test_a_gpt_that_we_write_they_read(tmp_path: Path) -> None:
    torch.manual_seed(6)
    cut, options = gpt_tokenizer(), {"dim": 32, "heads": 4, "layers": 2, "max_length": 40}
    size = cut.vocab_size
    model: Any = build_model("gpt-mini", options, Vocabulary(size, size, shared=True))
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.2)
    whole = {**find_preset("gpt-mini").options.model_dump(), **options}
    write_folder(tmp_path, task="language-model", options=whole, weights=weights_of(model.eval()), tokenizer=cut)
    peer, info = transformers.GPT2LMHeadModel.from_pretrained(tmp_path, output_loading_info=True)
    assert not info["missing_keys"]
    assert not info["unexpected_keys"]
    tokens = torch.randint(0, 250, (2, 9), generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        close(model.logits(model(tokens)), peer.eval()(tokens).logits)
    read = transformers.AutoTokenizer.from_pretrained(tmp_path)
    assert read(" The dog")["input_ids"] == cut.encode(" The dog").ids
    assert read.bos_token_id == read.eos_token_id == cut.eos_id
    assert read.pad_token is None
    for key, value in (("bias", False), ("embeddings", "separate"), ("activation", "relu")):
        with pytest.raises(ModelError, match=rf"model\.{key} is {value}: Hugging Face's GPT-2 has"):
            write_folder(tmp_path, task="language-model", options={**whole, key: value}, weights=weights_of(model),
                         tokenizer=cut)  # fmt: skip


def test_a_gpt_with_a_tokenizer_of_ours_begins_with_its_start_mark(tmp_path: Path) -> None:
    cut = train_tokenizer(TEXTS, kind="bpe", size=300)
    assert len({cut.pad_id, cut.bos_id, cut.eos_id, cut.unk_id}) == 4
    options = {**find_preset("gpt-mini").options.model_dump(), "dim": 32, "heads": 4, "layers": 1, "max_length": 40}
    model: Any = build_model("gpt-mini", options, Vocabulary(cut.vocab_size, cut.vocab_size, shared=True))
    write_folder(tmp_path, task="language-model", options=options, weights=weights_of(model), tokenizer=cut)
    peer = transformers.GPT2LMHeadModel.from_pretrained(tmp_path).eval()
    assert peer.generate(max_new_tokens=1, do_sample=False)[0, 0] == cut.bos_id
    assert (peer.config.eos_token_id, peer.config.pad_token_id) == (cut.eos_id, cut.pad_id)
    read = transformers.AutoTokenizer.from_pretrained(tmp_path)
    assert (read.bos_token_id, read.eos_token_id) == (cut.bos_id, cut.eos_id)
    assert (read.pad_token_id, read.unk_token_id) == (cut.pad_id, cut.unk_id)


def test_older_files_of_a_gpts_tokenizer(tmp_path: Path) -> None:
    folder = saved_gpt(their_gpt(), tmp_path)
    whole = read_folder(folder).tokenizer
    definition = json.loads((folder / "tokenizer.json").read_text())["model"]
    (folder / "vocab.json").write_text(json.dumps({**definition["vocab"], "<|endoftext|>": whole.eos_id}))
    merges = "\n".join(" ".join(pair) for pair in definition["merges"])
    (folder / "merges.txt").write_text(f"#version: 0.2\n{merges}\n")
    (folder / "tokenizer.json").unlink()
    read = read_folder(folder).tokenizer
    assert read.encode(" The dog's cat, über").ids == whole.encode(" The dog's cat, über").ids
    assert read.eos_id == whole.eos_id


def test_a_gpt_of_another_kind_is_refused(tmp_path: Path) -> None:
    folder = saved_gpt(their_gpt(activation_function="relu"), tmp_path)
    with pytest.raises(ModelError, match="activation_function is 'relu'; such a model has 'gelu_new' here"):
        read_folder(folder)


def test_an_imported_gpt_goes_on_with_a_text(tmp_path: Path) -> None:
    """Greedily, through the run, as their own generate does."""
    peer = their_gpt()
    import_huggingface(saved_gpt(peer, tmp_path / "theirs"), tmp_path / "run")
    run = load(tmp_path / "run")
    assert isinstance(run, LanguageRun)
    ids = run.tokenizer.encode("The small").ids
    expected = peer.generate(
        torch.tensor([[run.tokenizer.bos_id, *ids]]), max_new_tokens=12, do_sample=False, pad_token_id=0
    )[0, 1 + len(ids) :].tolist()
    assert list(run.generate("The small", temperature=0, max_tokens=12).tries[0].tokens) == expected
