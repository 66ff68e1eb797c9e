"""Forms: read as they are written, and short."""

from saccade.scenes.cast import CAST, things
from saccade.scenes.forms import Place, read_forms, write_steps


def test_a_word_with_a_dot_is_said_by_its_role() -> None:
    animal = things("animal", ("dog", "cat"), ("black",), counts=(1, 2))
    forms = read_forms({"meet": ("there animal.is", "animal.noun")}, [animal])
    assert forms == {
        "meet": (
            (Place(None, ("there",)), Place("animal", ("is", "are", "is", "are"))),
            (Place("animal", ("dog", "dogs", "cat", "cats")),),
        )
    }


def test_masks_hold_the_values_that_say_a_word() -> None:
    assert Place("animal", ("is", "are", "is", "are")).masks == {"is": 0b0101, "are": 0b1010}
    assert Place(None, ("there",)).masks == {"there": 1}


def test_every_form_has_five_to_fourteen_words_and_knows_its_roles() -> None:
    steps = read_forms(write_steps(), CAST)
    for forms in steps.values():
        assert len(forms) > 1
        for form in forms:
            assert 4 < len(form) < 15
            assert all("." not in word and word for place in form for word in place.words)


def test_no_two_forms_of_a_step_are_the_same() -> None:
    assert all(len(forms) == len(set(forms)) for forms in write_steps().values())
