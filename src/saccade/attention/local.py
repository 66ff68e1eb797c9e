"""Restricted self-attention: each position looks only r to each side, at a cost that grows as r·n, not n².

The sequence is cut into blocks of r positions. A query in block i can only reach blocks i−1, i, i+1, so each block
attends to 3r keys (2r when causal) with a small table of what is allowed. Shapes: as in ``attend``; C blocks, R = r.
"""

import torch
from torch import Tensor
from torch.nn.functional import pad, scaled_dot_product_attention

from saccade.attention.masks import Mask
from saccade.errors import ModelError


def attend_window(query: Tensor, key: Tensor, value: Tensor, *, scale: float, mask: Mask, dropout: float) -> Tensor:
    """The context of every position, equal to full attention under the same mask; all inputs (B, H, T, D)."""
    if mask.window is None:
        raise ModelError("restricted attention needs a mask with a window")
    batch, heads, length, dim = query.shape
    reach = mask.window
    blocks = -(-length // reach)
    after = blocks * reach - length
    ahead = 0 if mask.causal else reach
    span = 2 * reach + ahead

    def around(tensor: Tensor) -> Tensor:
        """(B, H, T, D) → (B, C, H, span, D): for each block the positions it can reach."""
        padded = pad(tensor, (0, 0, reach, after + ahead))
        return padded.unfold(2, span, reach).permute(0, 2, 1, 4, 3).flatten(0, 1)

    position_CR = torch.arange(blocks * reach, device=query.device).view(blocks, reach)
    target_CS = position_CR[:, :1] - reach + torch.arange(span, device=query.device)
    distance_CRS = position_CR[:, :, None] - target_CS[:, None, :]
    inside_CS = (target_CS >= 0) & (target_CS < length)
    allowed = inside_CS[:, None, :] & (distance_CRS.abs() <= reach)
    if mask.causal:
        allowed = allowed & (distance_CRS >= 0)
    allowed = allowed[None].expand(batch, -1, -1, -1)
    if mask.keys_BK is not None:
        real = pad(mask.keys_BK, (reach, after + ahead), value=False).unfold(1, span, reach)
        allowed = allowed & real[:, :, None, :]

    blocked = pad(query, (0, 0, 0, after)).view(batch, heads, blocks, reach, dim).transpose(1, 2).flatten(0, 1)
    context = scaled_dot_product_attention(
        blocked,
        around(key),
        around(value),
        attn_mask=allowed.reshape(batch * blocks, 1, reach, span),
        dropout_p=dropout,
        scale=scale,
    )
    return context.view(batch, blocks, heads, reach, dim).transpose(1, 2).flatten(2, 3)[:, :, :length]
