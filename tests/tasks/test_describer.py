from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor

from saccade.attention import Attended, record
from saccade.data.tokenizers import train_tokenizer
from saccade.errors import DecodingError
from saccade.models import Captioner
from saccade.tasks.caption_corpus import CaptionCorpus
from saccade.tasks.describer import CaptionMember, Describer, place_names
from saccade.tasks.translator import DecodeSettings
from tasks.captions import captioner_for, draw, prepared, settings_for

PRESETS = ("caption-rnn", "caption-soft", "caption-hard", "caption-transformer", "caption-vit")
LIMIT = 7


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> CaptionCorpus:
    place: Path = tmp_path_factory.mktemp("captions")
    return prepared(place / "run", settings_for(draw(place / "drawn"))).corpus


def member(corpus: CaptionCorpus, preset: str = "caption-soft", *, seed: int = 1) -> CaptionMember:
    return CaptionMember(captioner_for(corpus, preset, seed=seed), corpus.tokenizer, corpus.pictures.batch)


def greedily(members: list[CaptionMember], number: int) -> str:
    """The likeliest word but the unknown one, again and again, with the whole prefix read anew every time."""
    tokenizer, written = members[0].tokenizer, list[int]()
    while len(written) < LIMIT:
        read = torch.tensor([[tokenizer.bos_id, *written]])
        logits = torch.stack([one.model.logits(one.model(one.read([number]), read))[0, -1] for one in members])
        logits[:, tokenizer.unk_id] = -torch.inf
        token = int(logits.softmax(dim=-1).mean(dim=0).argmax())
        if token == tokenizer.eos_id:
            break
        written.append(token)
    return tokenizer.decode(written)


@pytest.mark.parametrize("preset", PRESETS)
def test_greedy_is_the_likeliest_word_again_and_again(corpus: CaptionCorpus, preset: str) -> None:
    one = member(corpus, preset)
    with torch.no_grad():
        expected = [greedily([one], number) for number in range(12)]
    told: list[int] = []
    found = Describer([one]).caption(12, DecodeSettings(beam=1, max_length=LIMIT), on_progress=told.append)
    assert [each.text for each in found] == expected
    assert len(set(expected)) > 1
    assert told == list(range(1, 13))


def test_by_consensus_all_of_the_beams_hypotheses_are_ranked_anew(corpus: CaptionCorpus) -> None:
    describer, settings = Describer([member(corpus)]), DecodeSettings(beam=8, max_length=LIMIT, nbest=8)
    likeliest = describer.caption(12, settings)
    ranked = describer.caption(12, replace(settings, consensus=True))
    assert [set(one.candidates) for one in ranked] == [set(one.candidates) for one in likeliest]
    assert [one.text for one in ranked] != [one.text for one in likeliest]
    first = describer.caption(12, replace(settings, consensus=True, nbest=1))
    assert [one.candidates for one in first] == [one.candidates[:1] for one in ranked]


@pytest.mark.parametrize("beam", [1, 3])
def test_the_unknown_word_is_never_written(corpus: CaptionCorpus, beam: int) -> None:
    one, settings = member(corpus), DecodeSettings(beam=beam, max_length=LIMIT, nbest=beam)
    with torch.no_grad():
        logits = one.model.logits(one.model(one.read([0]), torch.tensor([[corpus.tokenizer.bos_id]])))[0, -1]
        likeliest = int(logits.argmax())
        one.model.output.weight[corpus.tokenizer.unk_id] = 3 * one.model.output.weight[likeliest]
        again = one.model.logits(one.model(one.read([0]), torch.tensor([[corpus.tokenizer.bos_id]])))[0, -1]
    assert int(again.argmax()) == corpus.tokenizer.unk_id, "it is not what the captioner would like to say"
    for described in Describer([one]).caption(12, settings):
        assert all("<unk>" not in candidate.text for candidate in described.candidates)


def test_two_write_together(corpus: CaptionCorpus) -> None:
    both = [member(corpus, "caption-soft"), member(corpus, "caption-vit", seed=2)]
    with torch.no_grad():
        expected = [greedily(both, number) for number in range(6)]
    found = [one.text for one in Describer(both).caption(6, DecodeSettings(beam=1, max_length=LIMIT))]
    assert found == expected
    assert found != [greedily(both[:1], number) for number in range(6)]


def test_captioners_with_other_words_cannot_write_together(corpus: CaptionCorpus) -> None:
    one = member(corpus)
    other = CaptionMember(one.model, train_tokenizer(["other words"], kind="words"), one.read)
    with pytest.raises(DecodingError, match="captioners of an ensemble must write with the same tokenizer"):
        Describer([one, other])


def forced(model: Captioner, picture: Tensor, ids: list[int], layer: str) -> Tensor:
    """The weights (H, Q, K) of a layer where the whole caption is given."""
    with torch.no_grad(), record(model, layer) as seen:
        model(picture, torch.tensor([ids]))
    return torch.cat(seen[layer].calls, dim=2)[0]


@pytest.mark.parametrize("preset", ["caption-soft", "caption-hard", "caption-transformer", "caption-vit"])
@pytest.mark.parametrize("batch_tokens", [8192, 9], ids=["all at once", "a few at once"])
@pytest.mark.parametrize("consensus", [False, True], ids=["likeliest", "consensus"])
def test_what_is_recorded_belongs_to_the_caption_that_is_returned(
    corpus: CaptionCorpus, preset: str, batch_tokens: int, consensus: bool
) -> None:
    """Beam 5: the rows of the returned caption, wherever they stood in the search, are those of forced decoding."""
    one = member(corpus, preset)
    settings = DecodeSettings(beam=5, max_length=LIMIT, nbest=3, batch_tokens=batch_tokens, consensus=consensus)
    unseen = Describer([one]).caption(12, settings)
    with record(one.model) as seen:
        found = Describer([one]).caption(12, settings)
    assert found == unseen, "recording changed the captions"
    cross = [name for name in seen if name.endswith(".cross")]
    own = [name for name in seen if name.startswith("encoder.")]
    assert cross
    ids_of = {piece: id for id, piece in enumerate(corpus.tokenizer.pieces(range(corpus.tokenizer.vocab_size)))}
    for number, described in enumerate(found):
        assert len(described.candidates) == 3
        written = [ids_of[piece] for piece in seen[cross[0]].attended[number].queries]
        said = [token for token in written if token != corpus.tokenizer.eos_id]
        assert (len(said) < len(written)) == described.candidates[0].finished
        assert corpus.tokenizer.decode(said) == described.text
        assert described.words == tuple(corpus.tokenizer.words(said))
        for name in (*cross, *own):
            attended: Attended = seen[name].attended[number]
            expected = forced(one.model, one.read([number]), [corpus.tokenizer.bos_id, *written[:-1]], name)
            torch.testing.assert_close(attended.weights_HQK, expected, atol=1e-5, rtol=1e-4)
            torch.testing.assert_close(expected.sum(dim=-1), torch.ones(expected.shape[:2]), atol=1e-5, rtol=1e-5)
            assert attended.keys == place_names(one.model.places_count)


def test_a_caption_is_cut_off_at_its_greatest_length(corpus: CaptionCorpus) -> None:
    (found,) = Describer([member(corpus)]).caption(1, DecodeSettings(beam=2, max_length=1))
    assert len(found.text.split()) <= 1


def test_no_pictures_no_captions(corpus: CaptionCorpus) -> None:
    assert Describer([member(corpus)]).caption(0, DecodeSettings()) == []


def test_places_have_names() -> None:
    assert place_names(4) == ("1,1", "1,2", "2,1", "2,2")
