"""Going on with a text: a language model reads a prompt and writes what it holds most likely, token by token."""

from collections.abc import Sequence

import torch

from saccade.data.batches import pad
from saccade.data.tokenizers import Tokenizer
from saccade.models import LanguageModel


def continued(
    model: LanguageModel, tokenizer: Tokenizer, prompts: Sequence[Sequence[int]], *, most: int
) -> list[list[int]]:
    """The greedy continuation of each prompt, at most so many tokens, without the end mark."""
    if not prompts:
        return []
    device = next(model.parameters()).device
    limit = most if model.max_length is None else min(most, model.max_length - max(map(len, prompts)))
    # The model reads the start mark and the prompt; of these the last token is the one that the first step is given.
    begun = [[tokenizer.bos_id, *prompt] for prompt in prompts]
    newest_N = torch.tensor([ids[-1] for ids in begun], device=device)
    written: list[list[int]] = [[] for _ in prompts]
    with torch.no_grad():
        state = model.start(pad([ids[:-1] for ids in begun], tokenizer.pad_id).to(device))
        for _ in range(limit):
            newest_N = model.step(newest_N, state).argmax(dim=-1)
            for text, token in zip(written, newest_N.tolist(), strict=True):
                text.append(token)
            if all(tokenizer.eos_id in text for text in written):
                break
    return [text[: text.index(tokenizer.eos_id)] if tokenizer.eos_id in text else text for text in written]
