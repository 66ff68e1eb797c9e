"""A helper process of a training, started by ``crew``: computes the gradient of its share of every batch.

The first line of its input is an ``Order``, every further one a share; each share is answered with a line. It ends when
its input does, so that it never outlives the training, however that ends.
"""

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np

from saccade.errors import SaccadeError
from saccade.models import catalogue
from saccade.recipe import load_text
from saccade.training.crew import Order
from saccade.training.gradient import Share, add_gradient
from saccade.training.kinds import KINDS
from saccade.training.setup import make_model, use_machine
from saccade.training.shared import SharedTensors


class Work:
    """The training's task and model, with its weights and this helper's gradients in shared memory."""

    def __init__(self, order: Order) -> None:
        use_machine(order.threads)
        recipe = load_text(order.recipe, models=catalogue())
        tokenizers = Path(order.tokenizers)
        kind = KINDS[recipe.task]
        self.model = make_model(recipe, kind.load(tokenizers)).train()
        self.task = kind.make(recipe, kind.open(Path(order.data), tokenizers))
        self.bfloat16 = recipe.train.precision == "bfloat16"
        self.number = order.number
        parameters = list(self.model.parameters())
        self.shared = SharedTensors(parameters, copies=1 + order.helpers, descriptor=order.descriptor)
        weights, gradients = self.shared.copy(0), self.shared.copy(order.number)
        for parameter, weight, gradient in zip(parameters, weights, gradients, strict=True):
            parameter.data = weight
            parameter.grad = gradient

    def loss(self, asked: dict[str, Any]) -> float:
        self.shared.zero(self.number)
        share = Share(np.array(asked["rows"], dtype=np.int64), asked["divisor"], asked["seed"])
        return add_gradient(self.task, self.model, share, bfloat16=self.bfloat16)


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):  # meant for the training, which saves and then closes the input
        signal.signal(number, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a library prints must not be taken for an answer
    work = None
    for line in sys.stdin:
        try:
            if work is None:
                work = Work(Order(**json.loads(line)))
                continue
            answer: dict[str, Any] = {"loss": work.loss(json.loads(line))}
        except (SaccadeError, RuntimeError, MemoryError) as error:
            answer = {"error": str(error) or type(error).__name__}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
