import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.data.tokenizers import Kind, TextStream, Tokenizer, train_tokenizer

TEXTS = ["the red star\nis red", "über 🙂 ñandú", "a  b\tc"]
TOKENIZERS: dict[Kind, Tokenizer] = {
    kind: train_tokenizer(TEXTS, kind=kind) for kind in ("bpe", "characters", "words", "unigram", "wordpiece")
}


@pytest.mark.property
@settings(max_examples=100)
@given(st.data())
def test_piece_by_piece_is_the_whole(data: st.DataObject) -> None:
    """Any ids, also such as make no characters, from any place on."""
    tokenizer = TOKENIZERS[data.draw(st.sampled_from(sorted(TOKENIZERS)))]
    ids = data.draw(st.lists(st.integers(0, tokenizer.vocab_size - 1), max_size=12))
    stream = TextStream(tokenizer)
    assert "".join([*(stream.add(token) for token in ids), stream.finish()]) == tokenizer.decode(ids)


@pytest.mark.parametrize("kind", TOKENIZERS)
@pytest.mark.parametrize("text", TEXTS)
def test_only_whole_characters_come_and_go_on_where_the_text_was(kind: Kind, text: str) -> None:
    tokenizer = TOKENIZERS[kind]
    ids = tokenizer.encode(text).ids
    for cut in range(len(ids) + 1):
        before = tokenizer.decode(ids[:cut])
        if "\ufffd" in before:
            continue
        stream = TextStream(tokenizer, ids[:cut])
        come = [stream.add(token) for token in ids[cut:]]
        assert "\ufffd" not in "".join(come)
        assert before + "".join(come) + stream.finish() == text
