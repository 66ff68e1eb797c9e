"""Tokenizers: any text comes back exactly, nothing in a text is ever a special token, training is repeatable."""

import hashlib
import json
import subprocess
import sys
from functools import cache
from itertools import product

import pytest
import tokenizers as library
from hypothesis import example, given, settings
from hypothesis import strategies as st

from saccade.data.tokenizers import Span, Tokenizer, train_tokenizer
from saccade.errors import DataError

EXACT = ("bpe", "wordpiece", "unigram", "characters")
KINDS = (*EXACT, "words")
SPECIALS = ["<pad>", "<s>", "</s>", "<unk>"]

TEXTS = [
    f"{article} {size} {colour} {shape} is {place} two {colour}-ish circles, über dem café."
    for article, size, colour, shape, place in product(
        ("A", "The"),
        ("small", "large"),
        ("red", "green", "blue"),
        ("circle", "square", "triangle"),
        ("left of", "circling", "<pad>"),
    )
]

HARD = [
    "",
    " ",
    " circle",
    "   circle  ",
    "a\nb",
    "\n\n a\t\n",
    "e\u0301 n\u0303 हिन्दी",
    "日本語。漢字",
    "👩‍👩‍👧🏽 🇩🇪",
    "<pad></s> <s><unk> <2de>",
    "\x00\x1c\x85\xa0\u3000\u200b\ufffd\ufeff",
    "Ġcircle ▁circle ##ing <0xC3>",
    "x" * 700,
    " " * 300 + "y",
]

texts = st.one_of(
    st.text(st.characters(exclude_categories=("Cs",)), max_size=40),
    st.lists(
        st.sampled_from(["circle", "Große", " ", "  ", "\n", "\u3000", "\u0301", "👍🏽", "<pad>", "</s>", "é"])
    ).map("".join),
)


@cache
def trained(kind, lowercase=False):
    return train_tokenizer(TEXTS, kind=kind, lowercase=lowercase, specials=["<2de>"])


def lowered(text):
    return "".join(map(str.lower, text))


@pytest.mark.parametrize("kind", EXACT)
@pytest.mark.parametrize("text", HARD)
def test_hard_texts_come_back(kind, text):
    tokenizer = trained(kind)
    encoded = tokenizer.encode(text)
    assert tokenizer.decode(encoded.ids) == text
    assert tokenizer.encode_batch([text, "x", text])[::2] == [encoded.ids, encoded.ids]
    assert all(token > tokenizer.id_of("<2de>") for token in encoded.ids)
    assert len(encoded.offsets) == len(encoded.ids)


@pytest.mark.property
@pytest.mark.parametrize("kind", EXACT)
@settings(max_examples=80)
@given(text=texts)
def test_any_text_comes_back(kind, text):
    tokenizer = trained(kind)
    ids = tokenizer.encode(text).ids
    assert tokenizer.decode(ids) == text
    assert tokenizer.encode_batch([text]) == [ids]
    words = text.split()
    assert {word for word in tokenizer.words(ids) if word >= 0} == set(range(len(words)))


@pytest.mark.property
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40)
@given(text=texts)
def test_offsets_say_where_each_piece_stands(kind, text):
    encoded = trained(kind).encode(text)
    covered = set()
    for span in encoded.offsets:
        assert 0 <= span.start <= span.end <= len(text)
        covered.update(range(span.start, span.end))
    assert [span.start for span in encoded.offsets] == sorted(span.start for span in encoded.offsets)
    assert all(place in covered for place, character in enumerate(text) if not character.isspace())


@pytest.mark.parametrize("kind", KINDS)
def test_offsets_leave_whitespace_out(kind):
    text = " A red\ncircle."
    spans = trained(kind).encode(text).offsets
    pieces = [text[span.start : span.end] for span in spans]
    assert all(piece == piece.strip() or piece.isspace() for piece in pieces)
    assert "".join(pieces).replace(" ", "") == "Ared\ncircle."
    if kind != "characters":
        assert spans[0] == Span(0, 0)  # the space put in before the text stands nowhere in it


@pytest.mark.property
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60)
@given(data=st.data())
def test_words_of_any_ids_are_those_of_the_decoded_text(kind, data):
    tokenizer = trained(kind)
    ids = data.draw(st.lists(st.integers(0, tokenizer.vocab_size - 1), max_size=25))
    words = tokenizer.words(ids)
    assert len(words) == len(ids)
    assert {word for word in words if word >= 0} == set(range(len(tokenizer.decode(ids).split())))
    assert [word for word in words if word >= 0] == sorted(word for word in words if word >= 0)


@pytest.mark.parametrize("kind", KINDS)
def test_words_hold_their_pieces(kind):
    tokenizer = trained(kind)
    text = "The large  circle,\u3000is left."
    ids = [tokenizer.bos_id, *tokenizer.encode(text).ids, tokenizer.eos_id]
    words, pieces = tokenizer.words(ids), tokenizer.pieces(ids)
    assert words[0] == words[-1] == -1
    together = ["".join(p for p, w in zip(pieces, words, strict=True) if w == word) for word in range(5)]
    assert together == text.split()


@pytest.mark.property
@settings(max_examples=80)
@given(
    st.lists(st.sampled_from(["A", "red", "circle,", "café.", "blue-ish", "<pad>", " ", "\n", "\t ", "\u3000"])).map(
        " ".join
    )
)
@example("\n\n")
@example("red\ncircle\n")
def test_words_come_back_when_all_were_seen(text):
    tokenizer = trained("words")
    ids = tokenizer.encode(text).ids
    assert tokenizer.unk_id not in ids
    assert tokenizer.decode(ids) == text


def test_unknown_words_become_unk():
    tokenizer = trained("words")
    ids = tokenizer.encode("A purple circle.").ids
    assert tokenizer.decode(ids) == "A <unk> circle."
    assert ids.count(tokenizer.unk_id) == 1
    assert tokenizer.words(ids) == [0, 1, 2, 2]
    assert tokenizer.decode([tokenizer.unk_id, tokenizer.unk_id]) == "<unk> <unk>"
    assert tokenizer.decode(ids, unknown=["huge"]) == "A huge circle."
    more = [tokenizer.unk_id, *ids, tokenizer.unk_id]
    assert tokenizer.decode(more, unknown=["Zoé", "<s>"]) == "Zoé A <s> circle. <unk>"


def test_words_by_frequency():
    tokenizer = train_tokenizer(["b b b a a c"], kind="words", size=4 + 29 + 2)
    assert tokenizer.decode(tokenizer.encode("a b c").ids) == "a b <unk>"
    assert tokenizer.pieces(range(33, 35)) == ["b", "a"]


@pytest.mark.property
@pytest.mark.parametrize("kind", EXACT)
@settings(max_examples=30)
@given(text=st.text(st.characters(max_codepoint=0x17F), max_size=30))
@example("DIE GROSSE ÜBER İ ΑΣ")
def test_lowercase_gives_the_lower_cased_text(kind, text):
    tokenizer = trained(kind, lowercase=True)
    assert tokenizer.decode(tokenizer.encode(text).ids) == lowered(text)


@pytest.mark.parametrize("kind", KINDS)
def test_lowercase_makes_case_one(kind):
    tokenizer = trained(kind, lowercase=True)
    assert tokenizer.encode("THE RED Circle").ids == tokenizer.encode("the red circle").ids


@pytest.mark.parametrize("kind", ["bpe", "wordpiece", "words"])
def test_a_word_is_the_same_token_at_the_start_and_in_the_middle(kind):
    tokenizer = trained(kind)
    assert tokenizer.encode("circle").ids == tokenizer.encode("red circle").ids[1:]
    assert len(tokenizer.encode("circle").ids) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_special_tokens(kind):
    tokenizer = trained(kind)
    assert (tokenizer.pad_id, tokenizer.bos_id, tokenizer.eos_id, tokenizer.unk_id) == (0, 1, 2, 3)
    assert tokenizer.pieces(range(5)) == [*SPECIALS, "<2de>"]
    assert [tokenizer.id_of(special) for special in [*SPECIALS, "<2de>"]] == [0, 1, 2, 3, 4]
    ids = tokenizer.encode("red circle").ids
    assert tokenizer.decode([1, 4, *ids, 2, 0, 0]) == "red circle"


@pytest.mark.parametrize("kind", KINDS)
def test_saved_and_loaded(kind, tmp_path):
    tokenizer = trained(kind)
    tokenizer.save(tmp_path / "tokenizer.json")
    loaded = Tokenizer.load(tmp_path / "tokenizer.json")
    assert (loaded.kind, loaded.vocab_size, loaded.specials) == (kind, tokenizer.vocab_size, tokenizer.specials)
    assert (
        loaded.fingerprint
        == tokenizer.fingerprint
        == hashlib.sha256((tmp_path / "tokenizer.json").read_bytes()).hexdigest()
    )
    for text in HARD:
        assert loaded.encode(text) == tokenizer.encode(text)
        assert all(token > 4 or token == loaded.unk_id for token in loaded.encode(text).ids)


@pytest.mark.parametrize("kind", KINDS)
def test_the_library_reads_the_file_and_decodes_alike(kind, tmp_path):
    tokenizer = trained(kind)
    tokenizer.save(tmp_path / "tokenizer.json")
    read = library.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    assert read.get_vocab_size() == tokenizer.vocab_size
    assert [read.token_to_id(special) for special in SPECIALS] == [0, 1, 2, 3]
    for text in [*TEXTS[:5], "a\nb", " two  circles\n "]:
        if "<pad>" not in text:
            ids = tokenizer.encode(text).ids
            assert read.encode(text).ids == ids
            assert read.decode(ids, skip_special_tokens=False) == tokenizer.decode(ids)


@pytest.mark.parametrize(
    ("kind", "ids", "pieces"),
    [
        ("bpe", "circle", ["circle"]),
        ("bpe", "日", ["␣", "⟨E6⟩", "⟨97⟩", "⟨A5⟩"]),
        ("characters", "é x\n\t\x00", ["é", "␣", "x", "↵", "⇥", "⟨U+0000⟩"]),
        ("characters", "日", ["⟨E6⟩", "⟨97⟩", "⟨A5⟩"]),
        ("words", "A red\xa0circle", ["A", "red", "⟨U+00A0⟩", "circle"]),
    ],
)
def test_pieces_are_readable(kind, ids, pieces):
    tokenizer = trained(kind) if kind != "characters" else train_tokenizer([*TEXTS, "\n\t"], kind=kind)
    assert tokenizer.pieces(tokenizer.encode(ids).ids) == pieces


def test_broken_characters_are_shown_as_such():
    tokenizer = trained("bpe")
    ids = tokenizer.encode("日").ids
    assert tokenizer.decode(ids[:-1]) == "\ufffd"


FRESH = """
import sys
from pydoc_data.topics import topics
from saccade.data.tokenizers import train_tokenizer
texts = [line for topic in sorted(topics)[:25] for line in topics[topic].split("\\n")]
for kind in sys.argv[1:]:
    print(train_tokenizer(texts, kind=kind, size=None if kind == "characters" else 700).fingerprint)
"""


def test_training_is_repeatable_and_silent():
    """In fresh processes, where the library's hash tables are in another order, and twice in each."""
    runs = [
        subprocess.run([sys.executable, "-c", FRESH, *KINDS, *KINDS], capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    first = runs[0].stdout.split()
    assert len(set(first)) == len(KINDS)
    assert first[: len(KINDS)] == first[len(KINDS) :]
    assert runs[1].stdout.split() == first
    assert [run.stderr for run in runs] == ["", ""]


@pytest.mark.parametrize("kind", KINDS)
def test_size_given(kind):
    size = {"characters": 275, "words": 45, "unigram": 265}.get(kind, 300)
    tokenizer = train_tokenizer(TEXTS, kind=kind, size=size)
    assert tokenizer.vocab_size == size
    text = "A small red circle."
    assert kind == "words" or tokenizer.decode(tokenizer.encode(text).ids) == text


@pytest.mark.parametrize("kind", KINDS)
def test_size_larger_than_the_text_allows(kind):
    most = train_tokenizer(TEXTS, kind=kind).vocab_size
    expected = (
        rf"tokenizer\.size 32,000: this text allows at most {most} \(4 special tokens, .*leave tokenizer\.size out"
    )
    with pytest.raises(DataError, match=expected):
        train_tokenizer(TEXTS, kind=kind, size=32_000)
    assert train_tokenizer(TEXTS, kind=kind, size=most).vocab_size == most
    with pytest.raises(DataError, match=f"at most {most} "):
        train_tokenizer(TEXTS, kind=kind, size=most + 1)


@pytest.mark.parametrize("kind", KINDS)
def test_size_smaller_than_the_alphabet(kind):
    least = 4 + 1 + (29 + 1 if kind == "words" else 256)
    with pytest.raises(
        DataError, match=rf"tokenizer\.size {least - 1}: a vocabulary of kind {kind} needs at least {least}"
    ):
        train_tokenizer(TEXTS, kind=kind, size=least - 1, specials=["<2de>"])
    assert train_tokenizer(TEXTS, kind=kind, size=least, specials=["<2de>"]).vocab_size == least


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("corpus", [[], ["", ""]])
def test_no_text(kind, corpus):
    with pytest.raises(DataError, match="no text to train a tokenizer on"):
        train_tokenizer(corpus, kind=kind)


def test_no_words():
    with pytest.raises(DataError, match="no words to train a tokenizer on"):
        train_tokenizer([" ", "\n"], kind="words")


@pytest.mark.parametrize("kind", KINDS)
def test_very_little_text_is_enough(kind):
    tokenizer = train_tokenizer(["a"], kind=kind)
    assert tokenizer.decode(tokenizer.encode("a").ids) == "a"


def test_an_error_of_the_source_comes_through():
    def source():
        yield "a"
        raise DataError("train.en:2: broken")

    with pytest.raises(DataError, match=r"train\.en:2: broken"):
        train_tokenizer(source())


def test_half_characters_are_refused():
    with pytest.raises(DataError, match=r"text 2 has a lone surrogate \(U\+D83D\) at character 1"):
        train_tokenizer(["fine", "a\ud83d"])
    with pytest.raises(DataError, match=r"text 1 has a lone surrogate"):
        trained("bpe").encode("\ud83d")
    with pytest.raises(DataError, match=r"text 2 has a lone surrogate"):
        trained("bpe").encode_batch(["fine", "\ud83d"])


@pytest.mark.parametrize("special", ["de", "<>", "<->", "<a b>", "<"])
def test_specials_that_a_text_could_spell_as_a_word(special):
    with pytest.raises(DataError, match=r"special token .*expected letters, digits, _ or - in angle brackets"):
        train_tokenizer(TEXTS, specials=[special])


@pytest.mark.parametrize("specials", [["<s>"], ["<a>", "<a>"]])
def test_specials_given_twice(specials):
    with pytest.raises(DataError, match="given more than once"):
        train_tokenizer(TEXTS, specials=specials)


def test_a_special_that_is_not_there():
    with pytest.raises(DataError, match=r"'<2fr>' is not a special token of this tokenizer; it has <pad>, .*, <2de>"):
        trained("bpe").id_of("<2fr>")


@pytest.mark.parametrize("wrong", [-1, 10_000])
def test_ids_of_another_vocabulary(wrong):
    for method in (trained("bpe").decode, trained("bpe").pieces, trained("bpe").words):
        with pytest.raises(DataError, match=f"id {wrong:,} is not in this vocabulary of"):
            method([5, wrong])


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(DataError, match=r"tokenizer\.json: no such tokenizer file"):
        Tokenizer.load(tmp_path / "tokenizer.json")


@pytest.mark.parametrize("content", [b"{}", b"not json"])
def test_a_file_that_is_no_tokenizer(tmp_path, content):
    (tmp_path / "tokenizer.json").write_bytes(content)
    with pytest.raises(DataError, match=r"tokenizer\.json: not a tokenizer\.json of the tokenizers library"):
        Tokenizer.load(tmp_path / "tokenizer.json")


def test_a_file_that_is_not_text(tmp_path):
    (tmp_path / "tokenizer.json").write_bytes(b"\xff\xfe")
    with pytest.raises(DataError, match="not text"):
        Tokenizer.load(tmp_path / "tokenizer.json")


def test_a_tokenizer_of_other_making(tmp_path):
    foreign = library.Tokenizer(library.models.WordLevel({"[PAD]": 0, "a": 1}, unk_token="[PAD]"))
    foreign.add_special_tokens(["[PAD]"])
    foreign.save(str(tmp_path / "tokenizer.json"))
    with pytest.raises(DataError, match=r"lacks the special tokens that a model needs: expected <pad>, "):
        Tokenizer.load(tmp_path / "tokenizer.json")


def test_a_vocabulary_that_is_not_of_bytes():
    definition = json.loads(trained("wordpiece")._definition)
    definition["model"]["vocab"]["日"] = trained("wordpiece").vocab_size
    with pytest.raises(DataError, match="'日' is not in the byte-level alphabet"):
        Tokenizer(json.dumps(definition))
