"""What a fine-tuned BERT says of texts: scores of labels, numbers, or a tag for each word.

Shapes: N texts, L labels.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import torch

from saccade.data.batches import in_length_order
from saccade.data.examples import Labelled
from saccade.data.tokenizers import Tokenizer
from saccade.errors import DataError
from saccade.models import BertClassifier, BertTagger, Reading
from saccade.tasks.labelled_corpus import word_pieces
from saccade.tasks.reading import Joined, batch_of, join

Floats = npt.NDArray[np.float32]

BATCH_TOKENS = 4096
ONE_TEXT = "model.pool=both and apart compare the two texts of a pair"


def classified(model: BertClassifier, tokenizer: Tokenizer, examples: Sequence[Labelled], *, most: int) -> Floats:
    """(N, L); what is longer than ``most`` tokens with its marks is cut, as in training."""
    if model.compares and (alone := next((one for one in examples if not one.second), None)) is not None:
        raise DataError(f"{ONE_TEXT}, but {alone.where or repr(alone.text[:60])} is one text: give a second")
    firsts = tokenizer.encode_batch([example.text for example in examples])
    seconds = iter(tokenizer.encode_batch([example.second for example in examples if example.second is not None]))
    texts = [
        join(tokenizer, ids, None if example.second is None else next(seconds), most=most)
        for example, ids in zip(examples, firsts, strict=True)
    ]
    found: list[Floats] = [np.empty(0, np.float32)] * len(texts)
    for rows, reading in _batches(texts, tokenizer, next(model.parameters()).device):
        with torch.no_grad():
            for row, scores_L in zip(rows, model.scores(reading).float().cpu().numpy(), strict=True):
                found[row] = scores_L
    return np.stack(found)


def tagged(model: BertTagger, tokenizer: Tokenizer, sentences: Sequence[Sequence[str]], *, most: int) -> list[Floats]:
    """For each sentence (words, L), read where a word begins; a long sentence is read in several parts."""
    parts: list[Joined] = []
    starts: list[list[int]] = []
    whose: list[int] = []
    for number, words in enumerate(sentences):
        for stretch in _stretches(word_pieces(tokenizer, words), most - 2):
            lengths = [min(len(word), most - 2) for word in stretch]
            parts.append(join(tokenizer, [token for word in stretch for token in word], most=most))
            starts.append([1 + sum(lengths[:place]) for place in range(len(lengths))])
            whose.append(number)
    answers: dict[int, Floats] = {}
    for rows, reading in _batches(parts, tokenizer, next(model.parameters()).device):
        with torch.no_grad():
            scores_BTL = model.scores(reading).float().cpu().numpy()
        answers |= {row: scores_TL[starts[row]] for row, scores_TL in zip(rows, scores_BTL, strict=True)}
    found: list[list[Floats]] = [[] for _ in sentences]
    for part, number in enumerate(whose):
        found[number].append(answers[part])
    return [np.concatenate(of_one) for of_one in found]


def _stretches(words: Sequence[list[int]], most: int) -> Iterator[list[list[int]]]:
    """Words together as long as they have at most so many tokens."""
    together: list[list[int]] = []
    for word in words:
        if together and sum(map(len, together)) + len(word) > most:
            yield together
            together = []
        together.append(word)
    if together:
        yield together


def _batches(
    texts: Sequence[Joined], tokenizer: Tokenizer, device: torch.device
) -> Iterator[tuple[list[int], Reading]]:
    for rows in in_length_order(np.array([len(text) for text in texts]), BATCH_TOKENS):
        yield rows.tolist(), batch_of([texts[row] for row in rows], tokenizer, device)
