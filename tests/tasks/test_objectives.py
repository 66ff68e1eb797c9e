"""What is drawn for BERT to learn from: the shares that the paper says, and nothing that gives the answer away."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from saccade.data.encoded import Sequences, SequenceWriter
from saccade.data.stretches import Stretches
from saccade.data.tokenizers import train_tokenizer
from saccade.errors import DataError
from saccade.tasks.objectives import hide_words, next_sentence, sentence_order

EOS = 2


def stretches(folder: Path, documents: list[list[list[int]]], *, most: int = 12) -> Stretches:
    with SequenceWriter(folder / "documents", 100) as writer:
        for document in documents:
            writer.append([token for sentence in document for token in (*sentence, EOS)])
    encoded = Sequences.open(folder / "documents")
    return Stretches(encoded.between(0, encoded.tokens), encoded.lengths, eos_id=EOS, most=most)


# Sentence s of document d is [10·d + s] three times: everything says where it comes from.
DOCUMENTS = [[[10 * d + s] * 3 for s in range(2, 9)] for d in range(1, 6)]


def test_neighbours_are_put_together_within_a_document(tmp_path: Path) -> None:
    found = stretches(tmp_path, DOCUMENTS)
    assert found.sentences == 35
    assert len(found) == 10, "four sentences and three, of each document"
    assert found.lengths.tolist() == [12, 9] * 5
    assert [one.tolist() for one in found.together(int(found.first[1]), int(found.last[1]))] == [
        [16] * 3,
        [17] * 3,
        [18] * 3,
    ]
    assert found.from_here(3) == 7


def test_a_sentence_that_is_too_long_is_a_stretch_alone(tmp_path: Path) -> None:
    found = stretches(tmp_path, [[[5] * 30, [6], [7]], [[8]]])
    assert found.first.tolist() == [0, 1, 3]
    assert found.lengths.tolist() == [12, 2, 1]


def test_one_document_has_no_elsewhere(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="two documents at least, found 1"):
        stretches(tmp_path, DOCUMENTS[:1])


def test_half_of_the_second_texts_follow_and_the_others_are_from_other_documents(tmp_path: Path) -> None:
    found, random = stretches(tmp_path, DOCUMENTS), np.random.default_rng(3)
    drawn = [next_sentence(found, row % 10, random) for row in range(4000)]
    assert np.mean([one.follows for one in drawn]) == pytest.approx(0.5, abs=0.03)
    for one in drawn:
        same = one.first[0][0] // 10 == one.second[0][0] // 10
        assert same == one.follows
        if one.follows:
            assert one.second[0][0] == one.first[-1][0] + 1
    cuts = Counter(len(one.first) for one in drawn)
    assert set(cuts) == {1, 2, 3}


def test_lengths_do_not_tell_the_answer(tmp_path: Path) -> None:
    """Texts from elsewhere are as long as those that follow, as far as their documents allow."""
    found, random = stretches(tmp_path, DOCUMENTS), np.random.default_rng(3)
    drawn = [next_sentence(found, row % 10, random) for row in range(4000)]
    follow, elsewhere = (np.mean([len(one.second) for one in drawn if one.follows is which]) for which in (True, False))
    assert elsewhere == pytest.approx(follow, rel=0.15)


def test_a_single_sentence_is_never_followed(tmp_path: Path) -> None:
    found, random = stretches(tmp_path, [[[5, 5]], [[6, 6]], [[7, 7]]]), np.random.default_rng(3)
    assert not any(next_sentence(found, 0, random).follows for _ in range(50))


def test_swapped_halves_are_of_one_stretch(tmp_path: Path) -> None:
    found, random = stretches(tmp_path, DOCUMENTS), np.random.default_rng(3)
    drawn = [sentence_order(found, row % 10, random) for row in range(2000)]
    assert np.mean([one.follows for one in drawn]) == pytest.approx(0.5, abs=0.04)
    for one in drawn:
        assert one.first[0][0] // 10 == one.second[0][0] // 10
        assert (one.first[0][0] < one.second[0][0]) == one.follows


def test_hidden_words_are_masked_wrong_or_left_in_the_papers_shares() -> None:
    tokenizer = train_tokenizer(["a b c d e f g h i j k l m n o p q r s t u v w x y z"] * 3, kind="bert")
    specials = {tokenizer.id_of(name) for name in tokenizer.specials}
    tokens = np.array([token for token in range(tokenizer.vocab_size) if token not in specials] * 20)
    choosable, random = np.arange(5, len(tokens)), np.random.default_rng(1)
    found = hide_words(tokens, choosable, 400, tokenizer, random)
    assert len(set(found.places.tolist())) == 400
    assert found.places.min() >= 5
    assert (tokens[found.places] == found.words).all()
    untouched = np.setdiff1d(np.arange(len(tokens)), found.places)
    assert (found.tokens[untouched] == tokens[untouched]).all()
    now = found.tokens[found.places]
    masked, same = (now == tokenizer.mask_id).mean(), (now == found.words).mean()
    assert masked == pytest.approx(0.8, abs=0.06)
    assert same == pytest.approx(0.1, abs=0.05)
    assert not specials - {tokenizer.mask_id} & set(now.tolist())
