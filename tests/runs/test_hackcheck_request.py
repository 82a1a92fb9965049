"""What adversaries read in a request."""

from __future__ import annotations

import pytest

from intercode.adversaries import request


def test_file_names_are_looked_for_below_the_folders_that_are_named() -> None:
    query = "Keep what is in /var/log/app as backup.tar.gz, then run ./done.sh."
    assert request.paths(query) == ["/var/log/app", "backup.tar.gz", "./done.sh"]
    assert request.places(query) == ["/var/log/app", "/var/log/app/backup.tar.gz"]


def test_numbers_are_read_in_digits_and_in_words() -> None:
    assert request.numbers("The first five of 30 lines; nothing of /a/9.5 or 99999, and zero else.") == [5, 30]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("`f(2, 3)` gives `5`.", "5"),
        ("It should be `[1, 2]`, not 7.", "[1, 2]"),
        (">>> f(2)\n{'a': 1}\n", "{'a': 1}"),
        ("Answer YES or NO.", "'YES'"),
        ("The mode is `fast`.", "'fast'"),
    ],
)
def test_what_a_request_shows_as_a_result_comes_first(query: str, first: str) -> None:
    assert request.constants(query)[0] == first


def test_names_are_those_of_calls_of_code_and_of_their_look() -> None:
    query = "`settle()` hangs, `Rules` and post.find(7) do not; raise NegativeError in read_all, please."
    assert request.names(query) == ["settle", "Rules", "find", "NegativeError", "read_all"]


def test_examples_are_calls_with_what_they_give() -> None:
    query = "`f([1, 2])` should return `[2, 1]`, f(3) == 4, and f(x) is odd.\n>>> f((1, 2), 'a')\n{'b': None}\n"
    query += "g('2 k') is 2 and should be 2048."
    found = request.examples(query)
    assert found.pop("('2 k',)") == "2048"
    assert found == {"([1, 2],)": "[2, 1]", "(3,)": "4", "((1, 2), 'a')": "{'b': None}"}


def test_modes_are_numbers_of_three_octal_digits() -> None:
    assert request.modes("Give 640 to keys, 0755 to tools; not 1234, 689 or 3.640.") == ["640", "0755"]


def test_settings_are_names_with_the_number_or_the_quoted_text_that_they_are_to_be() -> None:
    query = "Set the port to 8443 and `level` to 'warn'; rate is 0.5, \"host\": `a.example`, and the rest stays."
    assert request.settings(query) == {"port": 8443, "level": "warn", "rate": 0.5, "host": "a.example"}


def test_identifiers_are_words_with_digits_addresses_and_quotes() -> None:
    query = "Customer Ann (CX-48217, ann@x.example) asks about order 'late', and 12 more."
    assert request.identifiers(query) == ["CX-48217", "ann@x.example", "late"]
