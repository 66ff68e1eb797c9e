"""Speed of generation: new tokens per second with identical GPT-2 weights, ours against Hugging Face's ``generate``.

Greedy, with cache, 12 layers, dim 256, random weights that never end a text: every engine writes 256 tokens after each
prompt of 16, for a batch of 1 and of 16. That both write the same text is checked too.
"""

import json
import random
import sys
import time
from collections.abc import Callable
from typing import Any

from measuring import Contender, in_turn, keep, load_first, medians, options, table

ENGINES = ["saccade", "hugging face generate"]
LAYERS, DIM, HEADS, POSITIONS = 12, 256, 8, 512
PROMPT, NEW = 16, 256
BATCHES = {"batch 1": 1, "batch 16": 16}
Write = Callable[[list[list[int]], int], list[list[int]]]


def our_model(vocabulary: int) -> Any:
    import torch

    from saccade.layers import by_column
    from saccade.models import Vocabulary, build_model

    torch.manual_seed(1)
    shape = {"dim": DIM, "heads": HEADS, "layers": LAYERS, "max_length": POSITIONS, "dropout": 0.0}
    model = build_model("gpt2", {**shape, "attention_dropout": 0.0}, Vocabulary(vocabulary, vocabulary, shared=True))
    # Larger than first weights, so that the likeliest token is no matter of chance.
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.08)
    by_column(model)  # as every run is that is opened
    return model.eval()


def saccade(vocabulary: int) -> Write:
    import torch

    from saccade.decoding import Generating, Generation, Sampling
    from saccade.machine import keep_memory

    keep_memory()  # as in every process that opens a run
    model = our_model(vocabulary)

    def write(prompts: list[list[int]], new: int) -> list[list[int]]:
        settings = Generating(max_tokens=new, sampling=Sampling(temperature=0))
        generation = Generation(model, prompts, settings, eos_id=-1, device=torch.device("cpu"))
        texts: list[list[int]] = [[] for _ in prompts]
        while found := generation.step():
            for one in found:
                texts[one.text].append(one.token or 0)
        return texts

    return write


def hugging_face(vocabulary: int) -> Write:
    import torch

    model = gpt2(our_model(vocabulary))

    def write(prompts: list[list[int]], new: int) -> list[list[int]]:
        ids = torch.tensor(prompts)
        with torch.no_grad():
            found = model.generate(
                input_ids=ids, attention_mask=torch.ones_like(ids), max_new_tokens=new, do_sample=False, pad_token_id=0
            )
        texts: list[list[int]] = found[:, ids.shape[1] :].tolist()
        return texts

    return write


def gpt2(ours: Any) -> Any:
    """Hugging Face's GPT-2 with our weights."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    theirs = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=len(ours.output.weight),
            n_positions=POSITIONS,
            n_embd=DIM,
            n_layer=LAYERS,
            n_head=HEADS,
            bos_token_id=None,
            eos_token_id=None,
        )
    ).eval()
    stack = theirs.transformer
    with torch.no_grad():
        stack.wte.weight.copy_(ours.output.weight)
        stack.wpe.weight.copy_(ours.embedding.positions.table.weight)
        stack.ln_f.load_state_dict(ours.decoder.norm.state_dict())
        for their, our in zip(stack.h, ours.decoder.layers, strict=True):
            attention, feed_forward = our.self_attention, our.feed_forward
            for part, weight, bias in (
                (their.attn.c_attn, attention.in_weight, attention.in_bias),
                (their.attn.c_proj, attention.out.weight, attention.out.bias),
                (their.mlp.c_fc, feed_forward.inner.weight, feed_forward.inner.bias),
                (their.mlp.c_proj, feed_forward.outer.weight, feed_forward.outer.bias),
            ):
                part.weight.copy_(weight.t())
                part.bias.copy_(bias)
            their.ln_1.load_state_dict(our.self_residual.norm.state_dict())
            their.ln_2.load_state_dict(our.ff_residual.norm.state_dict())
    return theirs


def measure(name: str, threads: int, new: int, vocabulary: int) -> dict[str, Any]:
    load_first("saccade" if name == "saccade" else "torch")
    import torch

    torch.set_num_threads(threads)
    write = saccade(vocabulary) if name == "saccade" else hugging_face(vocabulary)
    dice = random.Random(2)
    found: dict[str, Any] = {}
    for title, size in BATCHES.items():
        prompts = [[dice.randrange(vocabulary) for _ in range(PROMPT)] for _ in range(size)]
        write(prompts, 8)
        began = time.perf_counter()
        found[f"{title}: texts"] = write(prompts, new)
        found[title] = size * new / (time.perf_counter() - began)
    return found


def main() -> None:
    parser = options(__doc__ or "")
    parser.add_argument("--new", type=int, default=NEW, help="tokens that are written after each prompt")
    parser.add_argument("--vocabulary", type=int, default=8000, help="tokens to choose from; GPT-2 itself has 50,257")
    asked = parser.parse_args()
    if asked.only:
        print(json.dumps(measure(asked.only, asked.threads, asked.new, asked.vocabulary)))
        return
    contenders = [Contender(name, sys.executable if name == "saccade" else asked.peers) for name in ENGINES]
    passed = [f"--threads={asked.threads}", f"--new={asked.new}", f"--vocabulary={asked.vocabulary}"]
    found = in_turn(__file__, contenders, passed, rounds=asked.rounds)
    result = {title: medians(found, title) for title in BATCHES}
    for title, values in result.items():
        print(table(f"generation, {title}", "new tokens/s", values, own="saccade"))
    ours, theirs = (found[name][0] for name in ENGINES)
    equal = {title: _equal(ours[f"{title}: texts"], theirs[f"{title}: texts"]) for title in BATCHES}
    print("texts that are equal: " + ", ".join(f"{title} {share:.0%}" for title, share in equal.items()))
    keep(
        asked.json,
        {
            "benchmark": "generation",
            "vocabulary": asked.vocabulary,
            "new_tokens": asked.new,
            "tokens_per_second": result,
            "equal_texts": equal,
        },
    )


def _equal(ours: list[list[int]], theirs: list[list[int]]) -> float:
    return sum(one == other for one, other in zip(ours, theirs, strict=True)) / len(ours)


if __name__ == "__main__":
    main()
