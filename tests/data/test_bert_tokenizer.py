"""Tokenizers in the ways of BERT and GPT-2: other special tokens, the same questions."""

import json

import pytest
import tokenizers as library

from saccade.data.tokenizers import Tokenizer, train_tokenizer
from saccade.errors import DataError

TEXTS = ["The small dog barked.", "The small cat wasn't barking, was it?", "A smaller dogcatcher was barking at dogs!"]


def trained(*, lowercase: bool = True, size: int | None = None) -> Tokenizer:
    return train_tokenizer(TEXTS * 3, kind="bert", lowercase=lowercase, size=size)


def test_the_special_tokens_are_berts() -> None:
    tokenizer = trained()
    assert tokenizer.kind == "bert"
    assert tokenizer.pieces([tokenizer.pad_id, tokenizer.bos_id, tokenizer.eos_id]) == ["[PAD]", "[CLS]", "[SEP]"]
    assert tokenizer.pieces([tokenizer.unk_id, tokenizer.mask_id]) == ["[UNK]", "[MASK]"]
    assert tokenizer.id_of("[MASK]") == tokenizer.mask_id


def test_words_come_back_with_single_spaces_and_signs_for_themselves() -> None:
    assert trained().decode(trained().encode("The  small DOG wasn't it?").ids) == "the small dog wasn ' t it ?"
    assert trained(lowercase=False).decode(trained(lowercase=False).encode("The dog.").ids) == "The dog ."


def test_pieces_inside_a_word_belong_to_it() -> None:
    tokenizer = trained(size=60)
    ids = tokenizer.encode("small dogcatcher barked").ids
    words = tokenizer.words(ids)
    assert len(ids) > 3
    assert sorted(set(words)) == [0, 1, 2]
    assert "".join(piece for piece, word in zip(tokenizer.pieces(ids), words, strict=True) if word == 1) == "dogcatcher"


def test_spans_are_those_of_the_text_as_it_was_given() -> None:
    text = "The  SMALL dog"
    encoded = trained().encode(text)
    assert [text[span.start : span.end] for span in encoded.offsets] == ["The", "SMALL", "dog"]


def test_what_was_never_seen_is_unknown_and_a_spelt_mask_is_text() -> None:
    tokenizer = trained()
    assert tokenizer.encode("日").ids == [tokenizer.unk_id]
    assert tokenizer.decode(tokenizer.encode("dog 日").ids) == "dog [UNK]"
    assert tokenizer.mask_id not in tokenizer.encode("[MASK]").ids


def test_the_same_texts_give_the_same_tokenizer() -> None:
    assert trained().fingerprint == trained().fingerprint


def test_more_characters_than_the_vocabulary_has_room_for() -> None:
    with pytest.raises(DataError, match=r"tokenizer\.size 20: .* needs at least \d\d; raise tokenizer\.size"):
        trained(size=20)


def test_other_libraries_cut_alike() -> None:
    tokenizer = trained()
    theirs = library.Tokenizer.from_str(tokenizer._definition)
    assert theirs.encode("The dogcatcher's cat").ids == tokenizer.encode("The dogcatcher's cat").ids


def gpt() -> Tokenizer:
    """As GPT-2's: bytes, merges, no space before the first word, one special token at the end of the vocabulary."""
    trainer = library.trainers.BpeTrainer(
        vocab_size=300, initial_alphabet=library.pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    made = library.Tokenizer(library.models.BPE())
    made.pre_tokenizer = library.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = library.decoders.ByteLevel()
    made.train_from_iterator(TEXTS * 3, trainer)
    made.add_special_tokens(["<|endoftext|>"])
    return Tokenizer(made.to_str())


@pytest.mark.parametrize("text", ["The dog", " the dog", "  dog\n", "über 日本", "<|endoftext|>", ""])
def test_gpts_text_comes_back_exactly(text: str) -> None:
    tokenizer = gpt()
    assert tokenizer.decode(tokenizer.encode(text).ids) == text
    assert tokenizer.eos_id not in tokenizer.encode(text).ids


def test_gpt_has_one_mark_for_start_end_and_padding() -> None:
    tokenizer = gpt()
    assert tokenizer.bos_id == tokenizer.eos_id == tokenizer.pad_id == tokenizer.vocab_size - 1
    assert tokenizer.unk_id == tokenizer.mask_id == -1


def test_a_vocabulary_without_special_tokens_is_refused() -> None:
    made = json.loads(gpt()._definition)
    made["added_tokens"] = []
    with pytest.raises(DataError, match=r"lacks the special tokens .* \[PAD\], \[CLS\], \[SEP\].*<\|endoftext\|>"):
        Tokenizer(json.dumps(made))
