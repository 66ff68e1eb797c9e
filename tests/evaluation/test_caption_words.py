import pytest

from saccade.evaluation.caption_words import caption_words


# what Stanford's PTBTokenizer 3.4.1 with -lowerCase and the standard code's list of punctuation make of each
@pytest.mark.parametrize(
    ("caption", "words"),
    [
        ("A child climbs up a set of stairs .", "a child climbs up a set of stairs"),
        (
            "A man's dog isn't here, it can't run; don't you think?",
            "a man 's dog is n't here it ca n't run do n't you think",
        ),
        (
            'He said "hello (world)" to the U.S. team & others...',
            "he said hello -lrb- world -rrb- to the u.s. team & others",
        ),
        (
            "T-shirt: 3-year-old boy's, 1/2 of $5.00 at 10:30 a.m. -- wow!",
            "t-shirt 3-year-old boy 's 1/2 of $ 5.00 at 10:30 a.m. wow",
        ),
        (
            "the dogs' bowl, I'm gonna eat, they'll we've you're he'd",
            "the dogs bowl i 'm gon na eat they 'll we 've you 're he 'd",
        ),
        ("rock 'n' roll in the '90s at five o'clock", "rock 'n' roll in the '90s at five o'clock"),
        (
            "John's #1 shirt with 50% off, no. 5 street st. Mr. Smith",
            "john 's # 1 shirt with 50 % off no. 5 street st. mr. smith",
        ),
        ("well...then… “quoted” ‘single’ text—dash - end", "well then quoted single text dash end"),
        ("a player of Miami U. pushes", "a player of miami u. pushes"),
        ("one,two 1,000 people", "one two 1,000 people"),
        ("", ""),
        ("...", ""),
    ],
)
def test_as_the_standard_tokenizer(caption: str, words: str) -> None:
    assert " ".join(caption_words(caption)) == words
