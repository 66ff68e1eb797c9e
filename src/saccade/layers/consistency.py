"""R-Drop (Liang et al. 2021): two passes over the same tokens, each with its own dropout, should say the same.

Shapes: N tokens, C tokens of a chunk, E width of the model, V vocabulary; 2 passes.
"""

from typing import Any

import torch
from torch import Tensor

CHUNK = 256  # tokens; the logits of both passes together are as many as in the loss of one


def consistency_loss(
    states_2NE: Tensor, weight_VE: Tensor, tokens_N: Tensor, *, label_smoothing: float, consistency: float
) -> Tensor:
    """Σ_n ½ (L_1n + L_2n) + α/4 (KL(p_1n ‖ p_2n) + KL(p_2n ‖ p_1n)): half of the paper's loss, with its α.

    L is the cross-entropy of ``vocabulary_loss``, p = softmax(states Wᵀ). As there, loss and gradient come together, a
    chunk of tokens at a time. With f = log p_1 − log p_2 the two divergences are Σ_v (p_1 − p_2) f, and their gradient
    with respect to the first pass's logits is p_1 (f − KL(p_1 ‖ p_2)) + p_1 − p_2.
    """
    with torch.autocast(states_2NE.device.type, enabled=False):
        loss: Tensor = _ConsistencyLoss.apply(  # type: ignore[no-untyped-call]
            states_2NE.float(), weight_VE.float(), tokens_N, label_smoothing, consistency
        )
    return loss


def divergence(first_XL: Tensor, second_XL: Tensor) -> Tensor:
    """KL(p_1 ‖ p_2) + KL(p_2 ‖ p_1) of p = softmax(scores over L labels), (…): Σ_l (p_1 − p_2) (log p_1 − log p_2)."""
    first_XL, second_XL = first_XL.log_softmax(dim=-1), second_XL.log_softmax(dim=-1)
    return ((first_XL.exp() - second_XL.exp()) * (first_XL - second_XL)).sum(dim=-1)


class _ConsistencyLoss(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, states_2NE: Tensor, weight_VE: Tensor, tokens_N: Tensor, smoothing: float, consistency: float
    ) -> Tensor:
        uniform, share = smoothing / weight_VE.shape[0], consistency / 4
        total = states_2NE.new_zeros(())
        grad_states_2NE, grad_weight_VE = torch.empty_like(states_2NE), torch.zeros_like(weight_VE)
        for start in range(0, len(tokens_N), CHUNK):
            rows = slice(start, start + CHUNK)
            token_2C1 = tokens_N[None, rows, None].expand(2, -1, -1)
            log_2CV = (states_2NE[:, rows] @ weight_VE.t()).log_softmax(dim=-1)
            p_2CV = log_2CV.exp()
            total -= (1 - smoothing) / 2 * log_2CV.gather(2, token_2C1).sum() + uniform / 2 * log_2CV.sum()

            f_CV, difference_CV = log_2CV[0] - log_2CV[1], p_2CV[0] - p_2CV[1]
            total += share * (difference_CV * f_CV).sum()

            # ½ (p − q) of the cross-entropy and α/4 of both divergences, gathered by p_1, p_2 and their difference.
            signed_2CV = torch.stack((f_CV, -f_CV))
            apart_2C1 = (p_2CV * signed_2CV).sum(dim=-1, keepdim=True)
            grad_2CV = signed_2CV.sub_(apart_2C1).mul_(share).add_(0.5).mul_(p_2CV)
            grad_2CV[0].add_(difference_CV, alpha=share)
            grad_2CV[1].sub_(difference_CV, alpha=share)
            grad_2CV.sub_(uniform / 2)
            grad_2CV.scatter_add_(2, token_2C1, grad_2CV.new_full(token_2C1.shape, (smoothing - 1) / 2))
            grad_states_2NE[:, rows] = grad_2CV @ weight_VE
            grad_weight_VE.addmm_(grad_2CV.flatten(0, 1).t(), states_2NE[:, rows].flatten(0, 1))
        ctx.save_for_backward(grad_states_2NE, grad_weight_VE)
        return total

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None, None, None]:
        grad_states_2NE, grad_weight_VE = ctx.saved_tensors
        return grad_states_2NE * grad, grad_weight_VE * grad, None, None, None
