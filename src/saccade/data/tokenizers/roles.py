"""The special tokens of a vocabulary by what they are for, whatever a family of models calls them."""

from collections.abc import Container
from dataclasses import dataclass

from saccade.errors import DataError


@dataclass(frozen=True, slots=True)
class Roles:
    """The names of padding, start and end of a text, of an unknown token and of a masked one; None: there is none."""

    pad: str
    bos: str
    eos: str
    unk: str | None
    mask: str | None

    @property
    def names(self) -> tuple[str, ...]:
        """Each name once, in the order in which a new vocabulary begins with them."""
        every = (self.pad, self.bos, self.eos, self.unk, self.mask)
        return tuple(dict.fromkeys(name for name in every if name is not None))


TEXT = Roles("<pad>", "<s>", "</s>", "<unk>", None)
BERT = Roles("[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]")
"""A text begins with [CLS], and each of its one or two parts ends with [SEP]."""
GPT = Roles("<|endoftext|>", "<|endoftext|>", "<|endoftext|>", None, None)
"""One mark between texts; as padding it is only ever where nobody looks."""


def roles_among(vocabulary: Container[str]) -> Roles:
    """The family whose special tokens the vocabulary has."""
    for roles in (TEXT, BERT, GPT):
        if all(name in vocabulary for name in roles.names):
            return roles
    expected = "; or ".join(", ".join(roles.names) for roles in (TEXT, BERT, GPT))
    raise DataError(f"the vocabulary lacks the special tokens that a model needs: expected {expected}")
