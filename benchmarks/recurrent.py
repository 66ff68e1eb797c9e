"""Training speed of recurrent translators against equal ones written with torch's cells, one word after the other.

Both have the same weights and give the same states, which is checked first. Then both take the same training steps on
the same batches (Multi30k with --data, else scenes), in turn, in one process: forward, backward, AdamW.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import material
from measuring import keep, table

SYSTEMS = ["rnn-seq2seq", "rnn-additive", "rnn-dot"]
BOS, EOS = 1, 2
STEPS, WARM_UP = 6, 2


def twin(model: Any) -> Callable[[Any, Any], Any]:
    """(source, target) → states, as a per-word loop of ``nn.GRUCell``s over our model's own parameters."""
    import torch

    encoder, decoder = model.encoder.layers[0], model.decoder
    first = decoder.layers[0]

    def parameters(kernel: Any) -> list[Any]:
        return [kernel.weight_ih_l0, kernel.weight_hh_l0, kernel.bias_ih_l0, kernel.bias_hh_l0]

    def read(x_BSE: Any, real_BS: Any, kernel: Any, order: Any) -> Any:
        weights = parameters(kernel)
        h, states = x_BSE.new_zeros(len(x_BSE), kernel.hidden_size), {}
        for t in order:
            new = torch.gru_cell(x_BSE[:, t], h, *weights)
            h = torch.where(real_BS[:, t, None], new, h)
            states[t] = h
        return torch.stack([states[t] for t in range(x_BSE.shape[1])], dim=1), h

    def states(source: Any, target: Any) -> Any:
        real = source != 0
        x, y = model.source_embedding(source), model.target_embedding(target)
        forwards, last = read(x, real, encoder.forwards.kernel, range(x.shape[1]))
        backwards, first_state = read(x, real, encoder.backwards.kernel, reversed(range(x.shape[1])))
        memory = model.encoder.dropout(torch.cat((forwards, backwards), -1))
        final = torch.cat((last, first_state), -1)
        s = torch.tanh(decoder.begin(final))
        found = []
        if hasattr(first, "cross_attention"):
            attention = first.cross_attention
            keys = attention.key(memory)
            wide = [torch.cat((first.input.weight, first.context.weight), 1), first.state.weight]
            biases = [first.input.bias, first.state.bias]
            additive = hasattr(attention.score, "v_HD")
            for t in range(y.shape[1]):
                query = attention.query(s)[:, None]
                if additive:
                    scores = torch.tanh(query + keys) @ attention.score.v_HD[0]
                else:
                    scores = (query * keys).sum(-1)
                weights = torch.softmax(scores.masked_fill(~real, float("-inf")), -1)
                context = (weights[:, None] @ memory)[:, 0]
                s = torch.gru_cell(torch.cat((y[:, t], context), -1), s, *wide, *biases)
                found.append(torch.tanh(decoder.end(torch.cat((s, context, y[:, t]), -1))))
        else:
            weights = parameters(first.recurrent.kernel)
            for t in range(y.shape[1]):
                s = torch.gru_cell(torch.cat((y[:, t], final), -1), s, *weights)
                found.append(torch.tanh(decoder.end(torch.cat((s, final, y[:, t]), -1))))
        return decoder.dropout(torch.stack(found, dim=1))

    return states


def measure(name: str, place: Path) -> dict[str, float]:
    import torch

    from saccade.models import Vocabulary, build_model

    torch.manual_seed(1)
    size = material.VOCABULARY
    model = build_model(name, {}, Vocabulary(size, size, shared=True))
    contenders = {"saccade": model, "loop of cells": twin(model)}
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)

    def prepared(batch: dict[str, list[list[int]]]) -> tuple[Any, Any, Any]:
        source = material.padded(batch["source"], after=EOS)
        return source, material.padded(batch["target"], before=BOS), material.padded(batch["target"], after=EOS)

    batches = [prepared(batch) for batch in material.batches(place)[: WARM_UP + STEPS]]
    model.eval()
    with torch.no_grad():
        source, read, _ = batches[0]
        ours, theirs = (one(source, read) for one in contenders.values())
        torch.testing.assert_close(ours, theirs, atol=1e-4, rtol=1e-4)
    model.train()
    speeds: dict[str, list[float]] = {contender: [] for contender in contenders}
    for number, (source, read, written) in enumerate(batches):
        for contender, states in contenders.items():
            began = time.perf_counter()
            real = written != 0
            loss = model.loss(states(source, read)[real], written[real], label_smoothing=0.1)
            (loss / real.sum()).backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            if number >= WARM_UP:
                speeds[contender].append(int(real.sum()) / (time.perf_counter() - began))
    return {contender: statistics.median(each) for contender, each in speeds.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="the folder of Multi30k; without it, scenes")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=Path, help="keep the result here")
    asked = parser.parse_args()
    from saccade.training.setup import use_machine

    use_machine(asked.threads)
    with TemporaryDirectory(prefix="saccade-bench-") as place:
        material.prepare(Path(place), asked.data)
        result = {name: measure(name, Path(place)) for name in SYSTEMS}
    for name, speeds in result.items():
        print(table(f"training, {name}", "real target tokens/s", speeds, own="saccade"))
    keep(asked.json, {"benchmark": "recurrent", "data": "multi30k" if asked.data else "scenes", "speeds": result})


if __name__ == "__main__":
    main()
