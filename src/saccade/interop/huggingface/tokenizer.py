"""Their tokenizers: ``tokenizer.json``, or the older files that it replaced."""

import json
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import decoders, models, pre_tokenizers

from saccade.data.tokenizers import Tokenizer
from saccade.data.tokenizers.roles import BERT, GPT
from saccade.data.tokenizers.tokenizer import NONE
from saccade.data.tokenizers.training import bert_library
from saccade.errors import DataError
from saccade.files import write_text
from saccade.interop.huggingface.files import read_json


def read_tokenizer(folder: Path) -> Tokenizer:
    """The tokenizer of a folder, without what it would cut off or fill up: batches do that."""
    if (folder / "tokenizer.json").exists():
        definition = read_json(folder / "tokenizer.json")
        return Tokenizer(json.dumps(definition | {"truncation": None, "padding": None}))
    if (folder / "vocab.txt").exists():
        return Tokenizer(_from_vocabulary(folder).to_str())
    if (folder / "vocab.json").exists() and (folder / "merges.txt").exists():
        return Tokenizer(_from_merges(folder).to_str())
    raise DataError(f"{folder} has no tokenizer: expected tokenizer.json, or vocab.txt, or vocab.json and merges.txt")


def write_tokenizer(folder: Path, tokenizer: Tokenizer, *, max_length: int) -> None:
    """``tokenizer.json``, and for BERT ``vocab.txt``, with what their library must know beside them."""
    tokenizer.save(folder / "tokenizer.json")
    roles = BERT if tokenizer.kind == "bert" else GPT
    config: dict[str, Any] = {"model_max_length": max_length}
    if tokenizer.kind == "bert":
        lines = sorted(tokenizer.vocabulary.items(), key=lambda item: item[1])
        write_text(folder / "vocab.txt", "".join(f"{piece}\n" for piece, _ in lines))
        config |= {
            "tokenizer_class": "BertTokenizer",
            "do_lower_case": tokenizer.lowercases,
            "cls_token": roles.bos,
            "sep_token": roles.eos,
            "pad_token": roles.pad,
            "unk_token": roles.unk,
            "mask_token": roles.mask,
        }
    else:
        marks = {"bos_token": tokenizer.bos_id, "eos_token": tokenizer.eos_id}
        if pads_apart(tokenizer):
            marks["pad_token"] = tokenizer.pad_id
        if tokenizer.unk_id != NONE:
            marks["unk_token"] = tokenizer.unk_id
        names = dict(zip(marks, tokenizer.pieces(marks.values()), strict=True))
        config |= {"tokenizer_class": "PreTrainedTokenizerFast", **names}
    write_text(folder / "tokenizer_config.json", json.dumps(config, indent=2) + "\n")


def pads_apart(tokenizer: Tokenizer) -> bool:
    """Whether padding is a token of its own: GPT-2's is the mark at the end, which must not be taken for padding."""
    return tokenizer.pad_id != tokenizer.eos_id


def _from_vocabulary(folder: Path) -> tokenizers.Tokenizer:
    lines = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    settings = folder / "tokenizer_config.json"
    lowercase = bool(read_json(settings).get("do_lower_case", True)) if settings.exists() else True
    library = bert_library({piece: number for number, piece in enumerate(lines)}, lowercase=lowercase)
    library.add_special_tokens(list(BERT.names))
    return library


def _from_merges(folder: Path) -> tokenizers.Tokenizer:
    lines = (folder / "merges.txt").read_text(encoding="utf-8").splitlines()
    parted = [line.partition(" ") for line in lines if line and not line.startswith("#version")]
    merges = [(one, other) for one, _, other in parted]
    library = tokenizers.Tokenizer(models.BPE(read_json(folder / "vocab.json"), merges))
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    library.decoder = decoders.ByteLevel()
    library.add_special_tokens(list(GPT.names))
    return library
