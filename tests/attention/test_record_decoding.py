import pytest
import torch

from attention.translator import NAMES, SOURCE, TARGET, small
from saccade.attention import Recorder, Written, record
from saccade.models import Seq2Seq


class TestDecoding:
    """Two sentences × three beams are written step by step; what is gathered is what the whole sentence shows."""

    STEPS = 5
    TOKENS = torch.tensor([[1] * 6, [3, 4, 5, 6, 7, 8], [9, 8, 7, 6, 5, 4], [3, 3, 4, 4, 5, 5], [6, 7, 8, 9, 10, 11]])
    PARENTS = torch.tensor([[1, 1, 0, 5, 3, 4], [2, 0, 0, 3, 3, 4], [0, 2, 1, 4, 5, 3], [2, 1, 0, 5, 5, 3]])

    def decode(self, model: Seq2Seq, seen: Recorder) -> None:
        seen.start()
        state = model.start(SOURCE)
        for step in range(self.STEPS):
            if step:
                state.reorder(self.PARENTS[step - 1])
            model.step(self.TOKENS[step], state)

    def history(self, row: int) -> tuple[list[int], tuple[int, ...]]:
        """The tokens that the last row ``row`` read, and the row in which it stood at each step."""
        tokens, rows = [], []
        for step in range(self.STEPS - 1, -1, -1):
            tokens.append(int(self.TOKENS[step, row]))
            rows.append(row)
            if step:
                row = int(self.PARENTS[step - 1, row])
        return tokens[::-1], tuple(rows[::-1])

    def written(self, index: int, sentence: int, row: int) -> tuple[list[int], Written]:
        tokens, rows = self.history(row)
        source = [str(t) for t in SOURCE[sentence].tolist() if t]
        read = tuple(str(t) for t in tokens)
        return tokens, Written(index, sentence, rows, tuple(source), (*read[1:], "end"), read)

    @pytest.mark.parametrize("options", [{}, {"window": 2}, {"score": "additive"}], ids=["full", "window", "additive"])
    def test_beams_are_resolved(self, options: dict[str, object]) -> None:
        model = small(**options)
        # Index 7 and 4: the place of the sentences in the whole input, not in this batch.
        read_first, first = self.written(7, 0, 1)
        read_second, second = self.written(4, 1, 5)
        with torch.no_grad(), record(model) as seen:
            self.decode(model, seen)
            seen.gather([first, second])
            found = {name: seen[name].attended for name in NAMES}
            padded = {name: seen[name].weights_BHQK for name in NAMES}
        for place, sentence, tokens in ((1, 0, read_first), (0, 1, read_second)):
            source = SOURCE[sentence : sentence + 1]
            with torch.no_grad(), record(model) as whole:
                model(source[source != 0][None], torch.tensor([tokens]))
            for name in NAMES:
                expected = whole[name].weights_BHQK[0]
                one = found[name][place]
                torch.testing.assert_close(one.weights_HQK, expected, atol=1e-6, rtol=1e-5)
                assert (len(one.queries), len(one.keys)) == tuple(expected.shape[1:])
                torch.testing.assert_close(
                    padded[name][place, :, : expected.shape[1], : expected.shape[2]], expected, atol=1e-6, rtol=1e-5
                )
        cross = found["decoder.0.cross"][1]
        assert cross.layer == "decoder.0.cross"
        assert cross.keys == ("5", "6", "7", "8")
        assert cross.queries == (*(str(t) for t in read_first[1:]), "end")
        assert found["decoder.0.self"][1].keys == tuple(str(t) for t in read_first)
        assert found["encoder.0.self"][0].queries == found["encoder.0.self"][0].keys == ("9", "10")

    def test_a_query_is_a_step(self) -> None:
        """Editing query 2 while decoding is editing query 2 of the whole sentence."""
        model = small()
        tokens, written = self.written(0, 0, 1)
        with torch.no_grad(), record(model, "decoder.*") as seen:
            seen.edit("decoder.0.cross", query=2, head=0, weights=0)
            self.decode(model, seen)
            seen.gather([written])
        with torch.no_grad(), record(model, "decoder.*") as whole:
            whole.edit("decoder.0.cross", query=2, head=0, weights=0)
            model(SOURCE[:1], torch.tensor([tokens]))
        for name in seen:
            torch.testing.assert_close(
                seen[name].attended[0].weights_HQK, whole[name].weights_BHQK[0], atol=1e-6, rtol=1e-5
            )
        assert seen["decoder.0.cross"].attended[0].weights_HQK[0, 2].sum() == 0

    def test_a_new_decoding_forgets_the_old(self) -> None:
        model = small()
        with torch.no_grad(), record(model, "decoder.0.cross") as seen:
            self.decode(model, seen)
            seen.gather([self.written(0, 0, 1)[1], self.written(1, 1, 4)[1]])
            assert len(seen["decoder.0.cross"].attended) == 2
            assert seen["decoder.0.cross"].calls == []
            self.decode(model, seen)
            assert seen["decoder.0.cross"].attended == ()
            assert len(seen["decoder.0.cross"].calls) == self.STEPS

    def test_batches_are_put_together_in_the_order_of_the_input(self) -> None:
        model = small()
        with torch.no_grad(), record(model, "decoder.0.cross") as seen:
            seen.start()
            for index, sentence in ((1, 0), (0, 1)):
                source = SOURCE[sentence : sentence + 1]
                source = source[source != 0][None]
                model(source, TARGET[sentence : sentence + 1])
                words = tuple(str(t) for t in source[0].tolist())
                seen.gather([Written(index, 0, None, words, ("a", "b", "end"), ("start", "a", "b"))])
        assert [a.keys for a in seen["decoder.0.cross"].attended] == [("9", "10"), ("5", "6", "7", "8")]
        assert seen["decoder.0.cross"].weights_BHQK.shape == (2, 2, 3, 4)
        assert seen["decoder.0.cross"].weights_BHQK[0, :, :, 2:].sum() == 0
