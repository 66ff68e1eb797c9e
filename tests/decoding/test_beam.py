import gc
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoding.chain import BOS, CPU, EOS, VOCAB, Chain, ChainSteps, Row, ranked
from saccade.decoding import BeamSettings, Hypothesis, Room, beam_search
from saccade.decoding.beam import _Written
from saccade.errors import DecodingError

seeds = st.integers(0, 10_000)


def search(
    chain: Chain,
    max_lengths: list[int],
    how: BeamSettings,
    sentences: list[int] | None = None,
    room: Room | None = None,
) -> tuple[list[list[Hypothesis]], ChainSteps]:
    """What was found for each sentence, and the steps that the first ones began."""
    numbers = sentences if sentences is not None else list(range(len(max_lengths)))
    begun: list[ChainSteps] = []

    def begin(new: Sequence[int]) -> ChainSteps:
        begun.append(ChainSteps(chain, [numbers[sentence] for sentence in new], how.beam))
        return begun[-1]

    found = beam_search(begin, max_lengths, how, bos_id=BOS, eos_id=EOS, device=CPU, room=room)
    by_sentence = {one.sentence: list(one.hypotheses) for one in found}
    assert sorted(by_sentence) == list(range(len(max_lengths)))
    return [by_sentence[sentence] for sentence in sorted(by_sentence)], begun[0]


def without_rows(found: list[list[Hypothesis]]) -> list[list[tuple[tuple[int, ...], float, bool]]]:
    return [[(h.tokens, round(h.score, 4), h.finished) for h in one] for one in found]


@pytest.mark.property
@settings(max_examples=25)
@given(seed=seeds, max_length=st.integers(1, 4), penalty=st.sampled_from([0.0, 0.6, 1.0, 1.5]))
def test_a_beam_as_wide_as_all_prefixes_finds_what_brute_force_finds(
    seed: int, max_length: int, penalty: float
) -> None:
    chain = Chain(seed)
    every = sorted(
        (ranked(total, max(1, len(tokens) + finished), penalty), tokens, finished)
        for tokens, total, finished in chain.everything(0, max_length)
    )[::-1]
    wide = VOCAB * (VOCAB - 1) ** (max_length - 1)
    found, _ = search(chain, [max_length], BeamSettings(beam=wide, length_penalty=penalty, nbest=3))
    for hypothesis, (score, tokens, finished) in zip(found[0], every, strict=False):
        assert hypothesis.score == pytest.approx(score, abs=1e-5)
        assert (hypothesis.tokens, hypothesis.finished) == (tokens, finished)


def test_length_five_over_a_vocabulary_of_five() -> None:
    chain = Chain(3)
    best = max(chain.everything(0, 5), key=lambda one: ranked(one[1], len(one[0]) + one[2], 1.0))
    found, _ = search(chain, [5], BeamSettings(beam=VOCAB * 4**4))
    assert found[0][0].tokens == best[0]
    assert found[0][0].log_probability == pytest.approx(best[1], abs=1e-5)


@pytest.mark.property
@settings(max_examples=50)
@given(seed=seeds, max_length=st.integers(1, 8), sharpness=st.floats(0.1, 5))
def test_a_beam_of_one_is_greedy(seed: int, max_length: int, sharpness: float) -> None:
    chain = Chain(seed, sharpness)
    tokens: tuple[int, ...] = ()
    finished = False
    while len(tokens) < max_length and not finished:
        token = int(np.float32(chain.log_probs(Row(0, tokens))).argmax())
        finished = token == EOS
        tokens = tokens if finished else (*tokens, token)
    found, _ = search(chain, [max_length], BeamSettings(beam=1))
    assert (found[0][0].tokens, found[0][0].finished) == (tokens, finished)


@pytest.mark.property
@settings(max_examples=40)
@given(seed=seeds, beam=st.integers(1, 6), lengths=st.lists(st.integers(1, 7), min_size=1, max_size=4))
def test_nbest_are_sorted_distinct_and_what_they_say_they_are(seed: int, beam: int, lengths: list[int]) -> None:
    chain = Chain(seed)
    found, _ = search(chain, lengths, BeamSettings(beam=beam, nbest=beam))
    for sentence, hypotheses in enumerate(found):
        assert 1 <= len(hypotheses) <= beam
        assert [h.score for h in hypotheses] == sorted((h.score for h in hypotheses), reverse=True)
        assert len({(h.tokens, h.finished) for h in hypotheses}) == len(hypotheses)
        for h in hypotheses:
            written = (*h.tokens, EOS) if h.finished else h.tokens
            total = sum(chain.log_probs(Row(sentence, written[:t]))[token] for t, token in enumerate(written))
            assert EOS not in h.tokens
            assert len(written) <= lengths[sentence]
            assert h.log_probability == pytest.approx(total, abs=1e-4)
            assert h.score == pytest.approx(h.log_probability / len(written), abs=1e-5)


@pytest.mark.property
@settings(max_examples=40)
@given(seed=seeds, beam=st.integers(1, 5), lengths=st.lists(st.integers(1, 7), min_size=1, max_size=4))
def test_rows_lead_back_to_the_step_at_which_each_token_was_written(seed: int, beam: int, lengths: list[int]) -> None:
    found, steps = search(Chain(seed), lengths, BeamSettings(beam=beam, nbest=beam))
    for sentence, hypotheses in enumerate(found):
        for h in hypotheses:
            assert len(h.rows) == len(h.tokens) + h.finished
            for step, row in enumerate(h.rows):
                assert steps.history[step][row] == Row(sentence, h.tokens[:step])


@pytest.mark.property
@settings(max_examples=40)
@given(seed=seeds, beam=st.integers(1, 5), lengths=st.lists(st.integers(1, 7), min_size=2, max_size=5))
def test_sentences_that_end_at_different_times_are_decoded_as_if_alone(
    seed: int, beam: int, lengths: list[int]
) -> None:
    chain, how = Chain(seed), BeamSettings(beam=beam, nbest=beam)
    together, _ = search(chain, lengths, how)
    alone = [search(chain, [length], how, [sentence])[0][0] for sentence, length in enumerate(lengths)]
    assert without_rows(together) == without_rows(alone)


@pytest.mark.property
@settings(max_examples=60)
@given(
    seed=seeds,
    beam=st.integers(1, 4),
    lengths=st.lists(st.integers(1, 7), min_size=2, max_size=12),
    places=st.integers(1, 5),
)
def test_sentences_that_take_the_places_of_others_are_decoded_as_if_alone(
    seed: int, beam: int, lengths: list[int], places: int
) -> None:
    chain, how = Chain(seed), BeamSettings(beam=beam, nbest=beam)
    moving, steps = search(chain, lengths, how, room=Room([1] * len(lengths), places))
    assert max(len(rows) for rows in steps.history) <= places * beam
    alone = [search(chain, [length], how, [sentence])[0][0] for sentence, length in enumerate(lengths)]
    assert without_rows(moving) == without_rows(alone)


def test_what_no_sentence_under_way_wrote_is_forgotten() -> None:
    """However many sentences there are, the search remembers no more steps than the two that are under way took."""

    def begin(new: Sequence[int]) -> ChainSteps:
        return ChainSteps(Endless(), list(new), 1)  # type: ignore[arg-type]

    how, room = BeamSettings(beam=1), Room([1] * 20, 2)
    remembered = [
        sum(type(one) is _Written for one in gc.get_objects())
        for _ in beam_search(begin, [3] * 20, how, bos_id=BOS, eos_id=EOS, device=CPU, room=room)
    ]
    assert len(remembered) == 20
    assert max(remembered) <= 2 * 3


@pytest.mark.property
@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 3), st.lists(st.integers(1, 5), min_size=1, max_size=12))
def test_as_sources_get_shorter_more_of_them_are_decoded_at_once(seed: int, beam: int, sizes: list[int]) -> None:
    chain, how, sizes = Chain(seed), BeamSettings(beam=beam, nbest=beam), sorted(sizes, reverse=True)
    moving, steps = search(chain, sizes, how, room=Room(sizes, 8))
    for rows in steps.history:
        together = [sizes[row.sentence] for row in rows[::beam]]
        assert len(together) == 1 or len(together) * max(together) <= 8
    alone = [search(chain, [length], how, [sentence])[0][0] for sentence, length in enumerate(sizes)]
    assert without_rows(moving) == without_rows(alone)


class Fork:
    """Ends at once with p = 0.4, or after one more token with p = 0.6 · 0.5."""

    def log_probs(self, row: Row) -> np.ndarray:
        first = [1e-9, 0.4, 0.6, 1e-9, 1e-9]
        then = [1e-9, 0.5, 0.1, 0.2, 0.2]
        return np.log(np.array(then if row.prefix else first))


@pytest.mark.parametrize(("penalty", "tokens"), [(0.0, ()), (1.0, (2,))])
def test_the_length_penalty_ranks_as_its_formula_says(penalty: float, tokens: tuple[int, ...]) -> None:
    """log 0.4 > log 0.3, but log 0.4 / 1 < log 0.3 / 2."""
    how = BeamSettings(beam=2, length_penalty=penalty, nbest=2)
    ((found,), _) = search(Fork(), [2], how)  # type: ignore[arg-type]
    assert found[0].tokens == tokens
    assert {h.tokens: h.score for h in found} == {
        (): pytest.approx(np.log(0.4)),
        (2,): pytest.approx(np.log(0.3) / 2**penalty),
    }


class Endless:
    def log_probs(self, _row: Row) -> np.ndarray:
        return np.log(np.array([0.1, 1e-9, 0.5, 0.2, 0.2]))


def test_what_is_still_open_at_the_greatest_length_is_returned_and_marked() -> None:
    found, _ = search(Endless(), [3, 1], BeamSettings(beam=2, nbest=2))  # type: ignore[arg-type]
    assert [len(h.tokens) for one in found for h in one] == [3, 3, 1, 1]
    assert not any(h.finished for one in found for h in one)
    assert found[0][0].tokens == (2, 2, 2)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"beam": 0}, "decode.beam is at least 1, got 0"),
        ({"beam": 3, "nbest": 4}, r"decode.nbest is between 1 and decode.beam \(3\), got 4"),
        ({"nbest": 0}, r"decode.nbest is between 1 and decode.beam \(5\), got 0"),
        ({"length_penalty": -0.5}, "decode.length_penalty is at least 0, got -0.5"),
        ({"length_penalty": float("nan")}, "decode.length_penalty is at least 0, got nan"),
    ],
)
def test_settings_out_of_bounds(wrong: dict[str, int], message: str) -> None:
    with pytest.raises(DecodingError, match=message):
        BeamSettings(**wrong)
