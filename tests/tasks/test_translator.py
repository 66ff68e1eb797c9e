import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import DecodingError
from saccade.runs import Run
from saccade.tasks.translator import DecodeSettings, Member, Tokenizers, Translator
from tasks.parts import PAIRS, member, model_for, tokenizers_for

SOURCES = [
    "a red circle is left of two blue squares",
    "",
    "the woman wears a white jacket",
    "   ",
    "I see that the brown arrow is below five triangles and the three diamonds are small",
    "a lamp",
]


def test_order_is_kept_and_empty_texts_have_empty_translations(run: Run) -> None:
    found = run.translate(SOURCES)
    assert [one.source for one in found] == SOURCES
    assert [one.text for one in found][1::2][:2] == ["", ""]
    assert all(one.text and one.finished for one in (found[0], found[2], found[4], found[5]))
    assert [one.text for one in reversed(run.translate(SOURCES[::-1]))] == [one.text for one in found]


def test_only_empty_texts(run: Run) -> None:
    assert [one.text for one in run.translate(["", " ", "\t"])] == ["", "", ""]
    assert run.translate([]) == []
    assert run.translate("").candidates[0].finished


@pytest.mark.property
@settings(max_examples=10)
@given(order=st.permutations(range(len(SOURCES))), tokens=st.sampled_from([1, 20, 60, 8192]))
def test_the_company_of_a_text_does_not_change_its_translation(run: Run, order: list[int], tokens: int) -> None:
    expected = [one.text for one in run.translate(SOURCES)]
    found = run.translate([SOURCES[i] for i in order], batch_tokens=tokens)
    assert [one.text for one in found] == [expected[i] for i in order]


def test_nbest_and_greatest_length(run: Run) -> None:
    found = run.translate(SOURCES[0], beam=4, nbest=4)
    assert len({one.text for one in found.candidates}) == len(found.candidates) == 4
    cut = run.translate(SOURCES[0], max_length=3)
    assert not cut.finished
    assert len(run.tokenizers.target.encode_batch([cut.text])[0]) == 3


def test_progress_is_told_to_the_end() -> None:
    one = member()
    told: list[int] = []
    texts = [pair.source for pair in PAIRS]
    Translator([one]).translate([*texts, ""], DecodeSettings(batch_tokens=9), on_progress=told.append)
    assert told == sorted(told)
    assert told[-1] == len(texts) + 1


def test_longer_than_learned_positions_allow() -> None:
    translator = Translator([member(positions="learned", max_length=6)])
    found = translator.translate(["the red star the blue"], DecodeSettings(beam=2))[0]
    assert len(found.text.split()) <= 6
    message = r"text 2 has 6 tokens, but the model's positions end at 6 with the end mark: split it into shorter texts"
    with pytest.raises(DecodingError, match=message):
        translator.translate(["the", "the red star the blue tree"], DecodeSettings())
    with pytest.raises(DecodingError, match=r"text 2,001 has 6 tokens"):
        translator.translate(["the red star the blue tree"], DecodeSettings(), first=2001)


@pytest.mark.parametrize("name", ["max_length", "batch_tokens"])
def test_settings_out_of_bounds(name: str) -> None:
    with pytest.raises(DecodingError, match=f"decode.{name} is at least 1, got 0"):
        DecodeSettings(**{name: 0})


def test_an_ensemble_of_one_model_twice_writes_what_the_model_writes() -> None:
    one = member()
    texts = [pair.source for pair in PAIRS]
    alone = Translator([one]).translate(texts, DecodeSettings(beam=3, nbest=3))
    twice = Translator([one, member()]).translate(texts, DecodeSettings(beam=3, nbest=3))
    for a, b in zip(alone, twice, strict=True):
        assert [c.text for c in a.candidates] == [c.text for c in b.candidates]
        assert [c.score for c in a.candidates] == pytest.approx([c.score for c in b.candidates], abs=1e-5)


def test_an_ensemble_may_read_with_other_tokenizers_but_not_write_with_them() -> None:
    one = member()
    words = [text for pair in PAIRS for text in (pair.source, pair.target)]
    other = tokenizers_for([*words, "one more word"])
    separate = type(other)(other.source, one.tokenizers.target)
    reads_otherwise = Member(model_for(separate, embeddings="tied"), separate)
    assert Translator([one, reads_otherwise]).translate(["the red star"], DecodeSettings())[0].candidates
    with pytest.raises(DecodingError, match="models of an ensemble must write with the same target tokenizer"):
        Translator([one, Member(model_for(other), other)])


def test_the_tag_of_the_language_is_the_first_token_of_a_source() -> None:
    tokenizers = member(languages=("en", "fr")).tokenizers
    plain = tokenizers.source.encode_batch(["the red star", "", "<2fr> star"])
    assert tokenizers.languages == ("en", "fr")
    assert tokenizers.read(["the red star", "", "<2fr> star"], "fr") == [[5, *ids] for ids in plain]
    assert tokenizers.read(["the red star", "", "<2fr> star"], ["en", "fr", "en"]) == [
        [tag, *ids] for tag, ids in zip((4, 5, 4), plain, strict=True)
    ]
    assert member(languages=("fr",)).tokenizers.read(["star"])[0][0] == 4
    with pytest.raises(DecodingError, match=r"say which language to translate into, .*: this model writes en, fr"):
        tokenizers.read(["star", "tree"], ["en", None])
    with pytest.raises(DecodingError, match="this model does not translate into es: it writes en, fr"):
        tokenizers.read(["star"], "es")
    untagged = member().tokenizers
    assert untagged.languages == ()
    assert untagged.read(["the red star"], ["fr"]) == untagged.source.encode_batch(["the red star"])


def test_the_tag_is_read_by_the_model() -> None:
    translator = Translator([member(languages=("en", "fr"))])
    texts = [pair.source for pair in PAIRS]
    scores = {
        into: [one.candidates[0].score for one in translator.translate(texts, DecodeSettings(), into=into)]
        for into in ("en", "fr")
    }
    assert scores["en"] != scores["fr"]
    mixed = translator.translate(texts, DecodeSettings(), into=["en", "fr", *["en"] * (len(texts) - 2)])
    found = [one.candidates[0].score for one in mixed]
    assert found == pytest.approx([scores["en"][0], scores["fr"][1], *scores["en"][2:]], abs=1e-5)
    assert translator.translate([" "], DecodeSettings(), into="fr")[0].text == ""


def test_an_ensemble_may_have_tagged_and_untagged_models() -> None:
    """The untagged one reads the text alone; it knows no other direction."""
    tagged, plain = member(languages=("en", "fr")), member()
    mixed = Tokenizers(plain.tokenizers.source, tagged.tokenizers.target)
    both = Translator([tagged, Member(model_for(mixed, embeddings="tied"), mixed)])
    assert both.translate(["the red star"], DecodeSettings(), into="fr")[0].candidates
    with pytest.raises(DecodingError, match="say which language to translate into"):
        both.translate(["the red star"], DecodeSettings())
