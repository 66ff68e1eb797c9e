import torch

from saccade.data.tokenizers import train_tokenizer
from saccade.tasks.reading import batch_of, join

TOKENIZER = train_tokenizer(["the dog barked at a cat"] * 3, kind="bert", lowercase=True)
CLS, SEP, PAD = TOKENIZER.bos_id, TOKENIZER.eos_id, TOKENIZER.pad_id


def test_marks_and_segments() -> None:
    one, two = join(TOKENIZER, [7, 8], most=20), join(TOKENIZER, [7, 8, 9], [10, 11], most=20)
    assert one.tokens.tolist() == [CLS, 7, 8, SEP]
    assert two.tokens.tolist() == [CLS, 7, 8, 9, SEP, 10, 11, SEP]
    assert two.tokens[two.first].tolist() == [7, 8, 9]
    assert two.tokens[two.second].tolist() == [10, 11]
    batch = batch_of([one, two], TOKENIZER, torch.device("cpu"))
    assert batch.tokens_BT.tolist() == [[CLS, 7, 8, SEP, *[PAD] * 4], two.tokens.tolist()]
    assert batch.segments_BT.tolist() == [[0] * 8, [0] * 5 + [1] * 3]
    assert batch.real_BT.tolist() == [[True] * 4 + [False] * 4, [True] * 8]


def test_the_longer_text_is_cut() -> None:
    long = list(range(10, 30))
    assert join(TOKENIZER, long, most=6).tokens.tolist() == [CLS, 10, 11, 12, 13, SEP]
    assert join(TOKENIZER, long, [7, 8], most=9).tokens.tolist() == [CLS, 10, 11, 12, 13, SEP, 7, 8, SEP]
    assert join(TOKENIZER, [7, 8], long, most=9).tokens.tolist() == [CLS, 7, 8, SEP, 10, 11, 12, 13, SEP]
    assert join(TOKENIZER, long, long, most=9).tokens.tolist() == [CLS, 10, 11, 12, SEP, 10, 11, 12, SEP]
