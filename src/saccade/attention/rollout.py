"""Attention rollout (Abnar & Zuidema 2020): what the last layer sees of the first tokens, through all layers.

Shapes: H heads, T tokens of a text or patches of a picture.
"""

from collections.abc import Sequence

import torch
from torch import Tensor


def rollout(weights: Sequence[Tensor]) -> Tensor:
    """R = Â_L · … · Â_1 with Â_l = ½ (mean over heads of A_l) + ½ I: (T, T), rows sum to one.

    ``weights`` are the layers' self-attentions A_l, (H, T, T), the first layer's first. The identity stands for the
    residual connection, past which a token keeps half of what it was.
    """
    tokens = weights[0].shape[-1]
    identity_TT = torch.eye(tokens)
    rolled_TT = identity_TT
    for weights_HTT in weights:
        rolled_TT = (0.5 * weights_HTT.mean(dim=0) + 0.5 * identity_TT) @ rolled_TT
    return rolled_TT
