"""What captions are worth that were drawn to be learned from: CIDEr or BLEU (self-critical, Rennie et al. 2017)."""

from collections.abc import Sequence

from saccade.data.tokenizers import Tokenizer
from saccade.evaluation.caption_metrics import Cider, bleu_of_one
from saccade.evaluation.caption_words import Words, caption_words
from saccade.evaluation.sentences import RewardName

END = "</s>"  # no caption has such a word


class CaptionWorth:
    """CIDEr or BLEU against all references of a picture, words as they are scored.

    For CIDEr they are as rare as in the training captions. The end of a caption counts as a word: otherwise one that
    breaks off at "on a" would lose nothing.
    """

    def __init__(
        self, captions: Sequence[Sequence[str]], tokenizer: Tokenizer, *, reward: RewardName = "cider"
    ) -> None:
        self._references = [[_ended(text) for text in every] for every in captions]
        self._cider = Cider(self._references) if reward == "cider" else None
        self._tokenizer = tokenizer

    def __call__(self, number: int, texts: Sequence[Sequence[int]]) -> list[float]:
        """Of captions, as tokens, of the picture of this number."""
        said = [_ended(self._tokenizer.decode(tokens)) for tokens in texts]
        references = self._references[number]
        if self._cider is None:
            return [bleu_of_one(words, references) for words in said]
        return self._cider.scores(said, references)


def _ended(text: str) -> Words:
    return *caption_words(text), END
