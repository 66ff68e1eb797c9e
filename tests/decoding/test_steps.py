import pytest
import torch
from torch import Tensor

from decoding.chain import BOS, CPU, EOS, Chain, ChainSteps
from saccade.decoding import BeamSettings, EnsembleSteps, ModelSteps, beam_search
from saccade.errors import DecodingError


def bos(rows: int) -> Tensor:
    return torch.full((rows,), BOS)


def test_an_ensemble_is_the_mean_of_probabilities() -> None:
    chains = [Chain(1), Chain(2), Chain(3)]
    each = [ChainSteps(chain, [0, 1], 2).log_probs(bos(4)).exp() for chain in chains]
    together = EnsembleSteps([ChainSteps(chain, [0, 1], 2) for chain in chains]).log_probs(bos(4)).exp()
    torch.testing.assert_close(together, torch.stack(each).mean(dim=0))
    torch.testing.assert_close(together.sum(dim=-1), torch.ones(4))


def test_two_equal_models_are_one_model() -> None:
    def search(steps: ChainSteps | EnsembleSteps) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        how = BeamSettings(beam=3, nbest=3)
        found = beam_search(lambda _new: steps, [6, 4, 2], how, bos_id=BOS, eos_id=EOS, device=CPU)
        return [(h.tokens, h.rows) for one in found for h in one.hypotheses]

    chain = Chain(7)
    members = [ChainSteps(chain, [0, 1, 2], 3) for _ in range(2)]
    assert search(EnsembleSteps(members)) == search(ChainSteps(chain, [0, 1, 2], 3))
    assert members[0].history == members[1].history


def test_members_must_share_their_vocabulary() -> None:
    class Narrow(ChainSteps):
        def log_probs(self, tokens_N: Tensor) -> Tensor:
            return super().log_probs(tokens_N)[:, :4]

    steps = EnsembleSteps([ChainSteps(Chain(1), [0], 1), Narrow(Chain(1), [0], 1)])
    with pytest.raises(DecodingError, match=r"must share their target vocabulary, got sizes \[4, 5\]"):
        steps.log_probs(bos(1))


def test_an_ensemble_of_none() -> None:
    with pytest.raises(DecodingError, match="an ensemble needs at least one model"):
        EnsembleSteps([])


def test_tokens_that_are_never_written_have_no_probability() -> None:
    class Model:
        logits_NV = torch.tensor([[1.0, 9.0, 2.0, 0.5]])

        def start(self, _source_BS: Tensor) -> None:
            return None

        def step(self, _tokens_N: Tensor, _state: None) -> Tensor:
            return self.logits_NV

    p_V = ModelSteps(Model(), torch.zeros(1, 2), never=[1]).log_probs(bos(1))[0].exp()
    torch.testing.assert_close(p_V, torch.tensor([1.0, -torch.inf, 2.0, 0.5]).softmax(dim=-1))
    plain_V = ModelSteps(Model(), torch.zeros(1, 2)).log_probs(bos(1))[0].exp()
    torch.testing.assert_close(plain_V, torch.tensor([1.0, 9.0, 2.0, 0.5]).softmax(dim=-1))


def test_the_steps_of_a_model_are_normalised_and_passed_on() -> None:
    class State:
        def __init__(self) -> None:
            self.told: list[tuple[str, list[int]]] = []

        def reorder(self, rows_N: Tensor) -> None:
            self.told.append(("reorder", rows_N.tolist()))

        def keep(self, sentences_B: Tensor, rows_N: Tensor) -> None:
            self.told.append(("keep", [*sentences_B.tolist(), *rows_N.tolist()]))

        def join(self, new: "State") -> None:
            self.told.append(("join", [len(new.told)]))

        def replace(self, places_P: Tensor, new: "State") -> None:
            self.told.append(("replace", [*places_P.tolist(), len(new.told)]))

    class Model:
        state = State()

        def start(self, _source_BS: Tensor) -> State:
            return self.state

        def step(self, tokens_N: Tensor, state: State) -> Tensor:
            assert state is self.state
            return tokens_N[:, None] * torch.tensor([[1.0, 2.0, 3.0]])

    steps = ModelSteps(Model(), torch.zeros(1, 2))
    torch.testing.assert_close(steps.log_probs(torch.tensor([1, 2])).exp().sum(dim=-1), torch.ones(2))
    steps.reorder(torch.tensor([1, 0]))
    steps.keep(torch.tensor([0]), torch.tensor([1]))
    steps.join(ModelSteps(Model(), torch.zeros(1, 2)))
    steps.replace(torch.tensor([0]), ModelSteps(Model(), torch.zeros(1, 2)))
    assert Model.state.told == [("reorder", [1, 0]), ("keep", [0, 1]), ("join", [2]), ("replace", [0, 3])]
