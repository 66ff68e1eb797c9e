"""A sparsely gated mixture of experts in place of a feed-forward layer (Shazeer et al. 2017).

Shapes: N tokens, E width of the model, F inner width, M experts, K experts that a token uses, X = N·K visits.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import softplus

from saccade.layers.dropout import Dropout
from saccade.layers.feedforward import ACTIVATIONS, Activation

LEAST_NOISE = 0.01  # the noise's standard deviation never vanishes: the load is divided by it
FIRST_GATE = 0.02  # spread of the gate's first weights: less than that of the noise, which decides at first


@dataclass(frozen=True)
class Routing:
    """Where the tokens of one call went; both have the call's shape, with M in place of E.

    ``gates`` are the weights of the experts, 0 for those that were not asked. ``load`` is the probability that the
    expert would be among the K chosen if its noise alone were drawn again: a count with a gradient.
    """

    gates: Tensor
    load: Tensor


class MixtureOfExperts(nn.Module):
    """MoE(x) = Σ_m G(x)_m · W₂ₘ act(W₁ₘ x), over the K experts with the highest gates alone.

        G(x) = softmax over the K largest of H(x)        H(x)_m = (W_g x)_m + noise · softplus((W_n x)_m)

    The noise is standard normal, drawn from torch's generator as dropout is, and in training only. Every token gets its
    K experts, however many ask for the same one: what a token becomes never depends on its companions.
    """

    def __init__(
        self,
        *,
        dim: int,
        ff_dim: int,
        experts: int,
        used: int = 2,
        balance: float = 0.01,
        dropout: float = 0.0,
        activation: Activation = "relu",
    ) -> None:
        super().__init__()
        self.used = used
        self.balance = balance
        self.gate = nn.Linear(dim, 2 * experts, bias=False)  # W_g above W_n
        self.inner_MEF = nn.Parameter(torch.empty(experts, dim, ff_dim))
        self.outer_MFE = nn.Parameter(torch.empty(experts, ff_dim, dim))
        self.activation = ACTIVATIONS[activation]()
        self.dropout = Dropout(dropout)
        self.routing: Routing | None = None
        nn.init.normal_(self.gate.weight, std=FIRST_GATE)
        for weight in (*self.inner_MEF.unbind(), *self.outer_MFE.unbind()):
            nn.init.xavier_uniform_(weight)

    def forward(self, x: Tensor) -> Tensor:
        x_NE = x.reshape(-1, x.shape[-1])
        logits_NM, raw_NM = self.gate(x_NE).float().chunk(2, dim=-1)
        scale_NM = softplus(raw_NM) + LEAST_NOISE
        noisy_NM = logits_NM + torch.randn_like(logits_NM) * scale_NM if self.training else logits_NM
        best = noisy_NM.topk(self.used + 1, dim=-1)  # one more than are used: the bar that those have passed
        chosen_NK = best.indices[:, : self.used]
        gates_NK = best.values[:, : self.used].softmax(dim=-1)
        self.routing = None
        if self.training:
            gates_NM = torch.zeros_like(logits_NM).scatter(1, chosen_NK, gates_NK)
            bar_NM = torch.where(gates_NM > 0, best.values[:, self.used :], best.values[:, self.used - 1 : self.used])
            load_NM = torch.special.ndtr((logits_NM - bar_NM) / scale_NM)
            self.routing = Routing(gates_NM.view(*x.shape[:-1], -1), load_NM.view(*x.shape[:-1], -1))
        return self._mixed(x_NE, chosen_NK, gates_NK).view_as(x)

    def _mixed(self, x_NE: Tensor, chosen_NK: Tensor, gates_NK: Tensor) -> Tensor:
        """The tokens sorted by expert, two products for each expert, and every token's answers back in its place."""
        expert_X = chosen_NK.flatten()
        order_X = expert_X.argsort(stable=True)
        visits = expert_X.bincount(minlength=len(self.inner_MEF)).tolist()
        asked_XE = x_NE.index_select(0, order_X // self.used)
        hidden_XF = self.dropout(self.activation(_by_expert(asked_XE, self.inner_MEF, visits)))
        answers_XE = _by_expert(hidden_XF, self.outer_MFE, visits).index_select(0, order_X.argsort())
        answers_NKE = answers_XE.view(*chosen_NK.shape, -1)
        return torch.bmm(gates_NK[:, None].to(answers_NKE.dtype), answers_NKE)[:, 0]

    def take_balance_loss(self, real: Tensor) -> Tensor:
        """balance · (CV²(importance) + CV²(load)) of the last call's ``real`` tokens; 0 if it was not in training.

        importance_m = Σ gates and load_m = Σ load over the tokens; CV² = variance / mean² over the experts, 0 when all
        are asked alike. What the call left behind is forgotten.
        """
        routing, self.routing = self.routing, None
        if routing is None:
            return self.gate.weight.new_zeros(())
        importance_M, load_M = (each[real].sum(dim=0) for each in (routing.gates, routing.load))
        return self.balance * (_squared_variation(importance_M) + _squared_variation(load_M))


def take_balance_loss(part: nn.Module, real: Tensor) -> Tensor:
    """The summed balance loss of all mixtures in a part of a model that has just read tokens; 0 if there are none."""
    mixtures = [module for module in part.modules() if isinstance(module, MixtureOfExperts)]
    return sum((one.take_balance_loss(real) for one in mixtures), start=torch.zeros((), device=real.device))


def _by_expert(x_XI: Tensor, weights_MIO: Tensor, visits: list[int]) -> Tensor:
    """Each expert's rows, which stand together, through its own matrix."""
    groups = zip(torch.split(x_XI, visits), weights_MIO.unbind(), strict=True)
    return torch.cat([rows @ weight_IO for rows, weight_IO in groups])


def _squared_variation(sums_M: Tensor) -> Tensor:
    return sums_M.var(correction=0) / sums_M.mean().square()
