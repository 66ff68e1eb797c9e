import math

import pytest
import torch

from saccade.data.tokenizers import train_tokenizer
from saccade.errors import DataError
from saccade.evaluation.word_groups import GENDERED, WordGroup, WordGroups
from saccade.tasks.equalizing import EPSILON, Equalizing, hidden_words

PETS = WordGroups(
    (
        WordGroup("dog", frozenset({"dog", "puppy"})),
        WordGroup("cat", frozenset({"cat", "unheard-of"})),
        WordGroup("bird", frozenset({"bird"})),
    ),
    neutral=frozenset({"animal"}),
)
TOKENIZER = train_tokenizer(["a dog a puppy and a cat", "a bird an animal"], kind="words")


def token(word: str) -> int:
    (found,) = TOKENIZER.encode_batch([word])[0]
    return found


@pytest.fixture
def equalizing() -> Equalizing:
    return Equalizing.of(PETS, TOKENIZER, confusion=10.0, confident=1.0)


def test_the_words_of_each_group_are_found(equalizing: Equalizing) -> None:
    assert equalizing.tokens == (
        frozenset({token("dog"), token("puppy")}),
        frozenset({token("cat")}),
        frozenset({token("bird")}),
    )
    said = torch.tensor([[token("a"), token("puppy")], [token("animal"), token("bird")], [0, token("cat")]])
    assert equalizing.group_of(said).tolist() == [[-1, 0], [-1, 2], [-1, 1]]


def test_a_group_that_cannot_be_said_is_refused() -> None:
    letters = train_tokenizer(["dog cat"], kind="characters")
    with pytest.raises(DataError) as told:
        Equalizing.of(PETS, letters, confusion=1, confident=1)
    assert str(told.value) == (
        'no word of the group "dog" is one token of this tokenizer: take tokenizer.kind=words, or captions that say '
        "such words"
    )


def test_shares_and_both_losses_are_the_papers(equalizing: Equalizing) -> None:
    """In plain loops: Σ_{a<b} |p_a − p_b| and Σ_{b≠a} p_b / (p_a + ε), summed over the places."""
    logits = torch.randn(4, TOKENIZER.vocab_size)
    shares = equalizing.shares(logits)
    confused, unsure, true = 0.0, 0.0, [0, 2, 1, 0]
    for place in range(4):
        powers = [math.exp(one) for one in logits[place].tolist()]
        p = [sum(powers[one] for one in known) / sum(powers) for known in equalizing.tokens]
        for group in range(3):
            assert shares[place, group].item() == pytest.approx(p[group], rel=1e-5)
        confused += abs(p[0] - p[1]) + abs(p[0] - p[2]) + abs(p[1] - p[2])
        a = true[place]
        unsure += sum(p[b] for b in range(3) if b != a) / (p[a] + EPSILON)
    assert equalizing.confused(shares).item() == pytest.approx(confused, rel=1e-5)
    assert equalizing.unsure(shares, torch.tensor(true)).item() == pytest.approx(unsure, rel=1e-4)


def test_both_losses_pull_where_they_should(equalizing: Equalizing) -> None:
    logits = torch.zeros(1, TOKENIZER.vocab_size)
    logits[0, token("dog")] = 3.0
    logits.requires_grad_()
    equalizing.confused(equalizing.shares(logits)).backward()
    assert logits.grad is not None
    assert logits.grad[0, token("dog")] > 0 > logits.grad[0, token("cat")], "what is preferred should be less so"
    logits.grad = None
    equalizing.unsure(equalizing.shares(logits), torch.tensor([1])).backward()
    assert logits.grad[0, token("dog")] > 0 > logits.grad[0, token("cat")], "the true group should be said"


def test_what_is_hidden_is_all_that_may_be_a_person() -> None:
    assert hidden_words(PETS) == {"dog", "puppy", "cat", "unheard-of", "bird", "animal"}
    assert {"woman", "man", "person"} <= hidden_words(GENDERED)
