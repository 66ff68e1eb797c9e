import torch

from saccade.data.examples import Direction, Pair
from saccade.tasks.forced import forced_attention
from tasks.parts import PAIRS, member


def test_every_layer_has_weights_that_fit_the_tokens() -> None:
    one = member()
    pairs = [*PAIRS, Pair("the red star the blue tree", "la")] * 8  # more than one batch, and padding
    found = forced_attention(one, pairs)
    assert len(found) == len(pairs) == 80
    for pair, layers in zip(pairs, found, strict=True):
        source, target = (*pair.source.split(), "</s>"), (*pair.target.split(), "</s>")
        read = ("<s>", *pair.target.split())
        for name, (queries, keys) in {
            "encoder.0.self": (source, source),
            "decoder.0.self": (target, read),
            "decoder.1.self": (target, read),
            "decoder.0.cross": (target, source),
            "decoder.1.cross": (target, source),
        }.items():
            assert (layers[name].queries, layers[name].keys) == (queries, keys)
            assert layers[name].weights_HQK.shape == (2, len(queries), len(keys))
            torch.testing.assert_close(layers[name].weights_HQK.sum(-1), torch.ones(2, len(queries)))
        assert layers["decoder.0.self"].weights_HQK.triu(1).abs().max() == 0


def test_only_the_layers_that_were_asked_for_and_nobody_listens_afterwards() -> None:
    one = member()
    found = forced_attention(one, PAIRS, "decoder.1.*")
    assert list(found[0]) == ["decoder.1.self", "decoder.1.cross"]
    assert all(getattr(module, "listener", None) is None for module in one.model.modules())


def test_a_tag_is_seen_before_the_source() -> None:
    one = member(languages=("en", "fr"))
    directions = [Direction(None, "fr"), Direction("de", "en")]
    found = forced_attention(one, [Pair("the red star", "la", direction=direction) for direction in directions])
    assert [layers["decoder.0.cross"].keys for layers in found] == [
        (tag, "the", "red", "star", "</s>") for tag in ("<2fr>", "<2en>")
    ]
    assert [layers["encoder.0.self"].weights_HQK.shape for layers in found] == [(2, 5, 5)] * 2
