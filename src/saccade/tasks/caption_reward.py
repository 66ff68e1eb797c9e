"""What captions are worth that were drawn to be learned from: CIDEr (self-critical training, Rennie et al. 2017)."""

from collections.abc import Sequence

from saccade.data.tokenizers import Tokenizer
from saccade.evaluation.caption_metrics import Cider
from saccade.evaluation.caption_words import Words, caption_words

END = "</s>"  # no caption has such a word


class CaptionWorth:
    """CIDEr against all references of a picture, words as they are scored, with their rarity in the training captions.

    The end of a caption counts as a word: otherwise one that breaks off at "on a" would lose nothing.
    """

    def __init__(self, captions: Sequence[Sequence[str]], tokenizer: Tokenizer) -> None:
        self._references = [[_ended(text) for text in every] for every in captions]
        self._cider = Cider(self._references)
        self._tokenizer = tokenizer

    def __call__(self, number: int, texts: Sequence[Sequence[int]]) -> list[float]:
        """Of captions, as tokens, of the picture of this number."""
        said = [_ended(self._tokenizer.decode(tokens)) for tokens in texts]
        return self._cider.scores(said, self._references[number])


def _ended(text: str) -> Words:
    return *caption_words(text), END
