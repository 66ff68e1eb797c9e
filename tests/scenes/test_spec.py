"""Options behind the question mark; what is wrong with them is tested with the pairs and the stories."""

from saccade.scenes.spec import Draw, Options, decide, read_options


def test_options_are_read() -> None:
    assert read_options("stories") == read_options("stories?") == Options()
    assert read_options("stories?seed=3&size=20") == Options(size=20, seed=3)


def test_options_go_before_arguments_and_those_before_defaults() -> None:
    assert decide("x", Options(), split="valid", size=None, seed=2) == Draw("valid", 500, 2)
    assert decide("x", Options(), split="train", size=7, seed=2) == Draw("train", 7, 2)
    assert decide("x", Options(9, 0), split="train", size=7, seed=2) == Draw("train", 9, 0)
