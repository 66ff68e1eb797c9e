"""Training speed of recurrent translators: ``saccade train`` against an equal model in a plain loop of torch's cells.

The plain one goes word by word with ``gru_cell``, attends with ordinary operations, and learns like the plain loops of
training.py: cross-entropy of all logits, gradient clipping, AdamW. That both are the same model is checked first: with
the same weights they give the same states. Batches are those of training.py (Multi30k with --data, else scenes).
"""

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import material
from measuring import Contender, in_turn, keep, load_first, medians, options, table

from training import BOS, EOS, plain_loop, saccade, step_of

SYSTEMS = ["rnn-seq2seq", "rnn-additive", "rnn-dot"]


def twin(model: Any) -> Callable[[Any, Any], Any]:
    """(source, target) → states, as a per-word loop of ``nn.GRUCell``s over our model's own parameters."""
    import torch
    from torch.nn.functional import dropout

    def dropped(x: Any) -> Any:
        return dropout(x, model.decoder.dropout.p, model.training)

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
        x, y = (dropped(model.output.weight[tokens] * model.source_embedding.scale) for tokens in (source, target))
        forwards, last = read(x, real, encoder.forwards.kernel, range(x.shape[1]))
        backwards, first_state = read(x, real, encoder.backwards.kernel, reversed(range(x.shape[1])))
        memory = dropped(torch.cat((forwards, backwards), -1))
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
                scores = torch.tanh(query + keys) @ attention.score.v_HD[0] if additive else (query * keys).sum(-1)
                weights = torch.softmax(scores.masked_fill(~real, float("-inf")), -1)
                context = (weights[:, None] @ memory)[:, 0]
                s = torch.gru_cell(torch.cat((y[:, t], context), -1), s, *wide, *biases)
                found.append(torch.tanh(decoder.end(torch.cat((s, context, y[:, t]), -1))))
        else:
            kernel = parameters(first.recurrent.kernel)
            for t in range(y.shape[1]):
                s = torch.gru_cell(torch.cat((y[:, t], final), -1), s, *kernel)
                found.append(torch.tanh(decoder.end(torch.cat((s, final, y[:, t]), -1))))
        return dropped(torch.stack(found, dim=1))

    return states


def check_equal(model: Any, place: Path) -> None:
    import torch

    batch = material.batches(place)[0]
    source, read = material.padded(batch["source"], after=EOS), material.padded(batch["target"], before=BOS)
    model.eval()
    with torch.no_grad():
        torch.testing.assert_close(twin(model)(source, read), model(source, read), atol=1e-4, rtol=1e-4)
    model.train()


def loop_of_cells(name: str, place: Path, steps: int) -> float:
    load_first("torch")
    from saccade.models import Vocabulary, build_model

    size = material.vocabulary(place)
    model: Any = build_model(name, {}, Vocabulary(size, size, shared=True))
    check_equal(model, place)
    states = twin(model)
    step = step_of(list(model.parameters()), lambda source, read: states(source, read) @ model.output.weight.t())
    return plain_loop(step, place, steps)


def main() -> None:
    parser = options(__doc__ or "")
    parser.add_argument("--system", choices=SYSTEMS, help="only this one; default: all")
    parser.add_argument("--steps", type=int, default=10)
    asked = parser.parse_args()
    if asked.only:
        import torch

        torch.set_num_threads(asked.threads)
        torch.manual_seed(1)
        measured = (
            saccade(asked.system, [], asked.place, asked.data, asked.steps)
            if asked.only == "saccade"
            else loop_of_cells(asked.system, asked.place, asked.steps)
        )
        print(json.dumps({"tokens_per_second": measured}))
        return
    result = {}
    with TemporaryDirectory(prefix="saccade-bench-") as place:
        material.prepare(Path(place), asked.data)
        for name in [asked.system] if asked.system else SYSTEMS:
            passed = [f"--system={name}", f"--steps={asked.steps}", f"--threads={asked.threads}", f"--place={place}"]
            passed += [f"--data={asked.data}"] if asked.data else []
            found = in_turn(__file__, [Contender("saccade"), Contender("loop of cells")], passed, rounds=asked.rounds)
            result[name] = medians(found, "tokens_per_second")
            print(table(f"training, {name}", "real target tokens/s", result[name], own="saccade"), flush=True)
    keep(
        asked.json,
        {"benchmark": "recurrent", "data": "multi30k" if asked.data else "scenes", "tokens_per_second": result},
    )


if __name__ == "__main__":
    main()
