"""Captions that are right for the right reasons (Hendricks et al. 2018, "Women also Snowboard").

Where the caption to be learned says a word of a group (woman, man), two losses are added:

    confusion   Σ_{a<b} |p(a) − p(b)| with the person painted over: nobody can tell, so nothing should be preferred
    confident   Σ_{b≠a} p(b) / (p(a) + ε) with the person in view: of the groups the true one a, not any

p(a) is the sum over the words of group a. Shapes: M places in captions, E width, V vocabulary, A groups.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from saccade.data.tokenizers import Tokenizer
from saccade.errors import DataError
from saccade.evaluation.word_groups import WordGroups

EPSILON = 1e-6


@dataclass(frozen=True)
class Equalizing:
    """The tokens of each group's words, and what the two losses weigh beside the likelihood."""

    tokens: tuple[frozenset[int], ...]
    confusion: float
    confident: float

    @classmethod
    def of(cls, groups: WordGroups, tokenizer: Tokenizer, *, confusion: float, confident: float) -> "Equalizing":
        """Words that the tokenizer knows as one token; a group of which it knows none is refused."""
        found = []
        for group in groups.groups:
            ids = tokenizer.encode_batch(sorted(group.words))
            known = frozenset(one[0] for one in ids if len(one) == 1 and one[0] != tokenizer.unk_id)
            if not known:
                raise DataError(
                    f'no word of the group "{group.name}" is one token of this tokenizer: take tokenizer.kind=words, '
                    "or captions that say such words"
                )
            found.append(known)
        return cls(tuple(found), confusion, confident)

    def group_of(self, tokens: Tensor) -> Tensor:
        """The number of each token's group; −1 for most."""
        groups = torch.full_like(tokens, -1)
        for number, known in enumerate(self.tokens):
            groups[torch.isin(tokens, torch.tensor(sorted(known), device=tokens.device))] = number
        return groups

    def confused(self, shares_MA: Tensor) -> Tensor:
        """Summed over the places."""
        pairs = [(a, b) for b in range(shares_MA.shape[1]) for a in range(b)]
        return torch.stack([(shares_MA[:, a] - shares_MA[:, b]).abs().sum() for a, b in pairs]).sum()

    def unsure(self, shares_MA: Tensor, group_M: Tensor) -> Tensor:
        """Summed over the places."""
        true_M = shares_MA.gather(1, group_M[:, None])[:, 0]
        return ((shares_MA.sum(dim=1) - true_M) / (true_M + EPSILON)).sum()

    def shares(self, logits_MV: Tensor) -> Tensor:
        """p of each group, (M, A)."""
        p_MV = logits_MV.float().softmax(dim=-1)
        return torch.stack([p_MV[:, _index(known, p_MV)].sum(dim=-1) for known in self.tokens], dim=1)


def _index(known: frozenset[int], like: Tensor) -> Tensor:
    return torch.tensor(sorted(known), device=like.device)


def hidden_words(groups: WordGroups) -> frozenset[str]:
    """What is painted over: whatever the groups' words speak of, and the neutral ones."""
    return frozenset[str]().union(groups.neutral, *(group.words for group in groups.groups))
