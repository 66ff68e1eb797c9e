import torch

from saccade.decoding import BeamSettings, ModelSteps, beam_search
from saccade.tasks.continuing import continued
from tasks.texts import language_model, text_tokenizer, texts


def test_the_most_likely_token_every_time() -> None:
    tokenizer = text_tokenizer()
    model = language_model(tokenizer)
    prompts = [ids[:cut] for ids, cut in zip(tokenizer.encode_batch(texts(3)), (5, 2, 0), strict=True)]
    found = continued(model, tokenizer, prompts, most=6)
    for prompt, text in zip(prompts, found, strict=True):
        ids = [tokenizer.bos_id, *prompt]
        expected = []
        for _ in range(6):
            token = int(model.logits(model(torch.tensor([ids])))[0, -1].argmax())
            if token == tokenizer.eos_id:
                break
            expected.append(token)
            ids.append(token)
        assert text == expected


def test_a_search_writes_the_same() -> None:
    """A language model is decoded through the same steps as a translator: here with a beam of 1, from nothing."""
    tokenizer = text_tokenizer()
    model = language_model(tokenizer)
    with torch.no_grad():
        search = beam_search(
            lambda texts: ModelSteps(model, torch.zeros(len(texts), 0, dtype=torch.long)),
            [7, 7],
            BeamSettings(beam=1),
            bos_id=tokenizer.bos_id,
            eos_id=tokenizer.eos_id,
            device=torch.device("cpu"),
        )
        found = [one.hypotheses[0].tokens for one in search]
    assert [list(tokens) for tokens in found] == continued(model, tokenizer, [[], []], most=7)


def test_the_end_mark_ends_a_text() -> None:
    tokenizer = text_tokenizer()
    model = language_model(tokenizer, embeddings="separate")
    with torch.no_grad():
        model.output.weight.zero_()
        model.output.weight[tokenizer.eos_id] = 1000 * torch.sign(model(torch.tensor([[tokenizer.bos_id]]))[0, 0])
    assert continued(model, tokenizer, [[]], most=9) == [[]]
    assert continued(model, tokenizer, [], most=9) == []
