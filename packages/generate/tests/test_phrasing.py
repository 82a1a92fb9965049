"""The grammar of requests."""

import pytest

from intercode_generate.draw import Draw
from intercode_generate.phrasing import render


def test_one_alternative_is_drawn_and_fields_are_filled() -> None:
    said = {render("[Print|Show|] {what}.", {"what": "all"}, Draw(number)) for number in range(40)}
    assert said == {"Print all.", "Show all.", " all."}


def test_what_a_value_says_is_left_as_it_is() -> None:
    assert render("{name}!", {"name": "a[b|c]{d}"}, Draw(0)) == "a[b|c]{d}!"


def test_brackets_without_a_choice_are_text() -> None:
    assert render("the section [auth]", {}, Draw(0)) == "the section [auth]"


def test_a_field_without_a_value_is_an_error() -> None:
    with pytest.raises(KeyError):
        render("{name}", {}, Draw(0))
