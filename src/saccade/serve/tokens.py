"""How long texts are, found out before they wait: what is too long is refused at once."""

import asyncio
from collections.abc import Sequence

from saccade.data.tokenizers import Tokenizer
from saccade.errors import SaccadeError
from saccade.serve.limits import Limits
from saccade.serve.refusals import Unfit


async def lengths(limits: Limits, tokenizer: Tokenizer, texts: Sequence[str], *, most: int, param: str) -> list[int]:
    """The tokens of each text, marks not counted; in a thread, since it takes a while for long texts."""
    limits.check_count(len(texts), param)
    for text in texts:
        limits.check_letters(text, most, param)
    try:
        encoded = await asyncio.to_thread(tokenizer.encode_batch, texts)
    except SaccadeError as error:
        raise Unfit(str(error), param) from error
    for ids in encoded:
        limits.check_tokens(len(ids), most, param)
    return [len(ids) for ids in encoded]
