"""What a verifier of Harbor's has written, read and judged."""

from __future__ import annotations

import pytest

from intercode.errors import BadDataError
from intercode.worlds.harbor.reward_file import VerifierEnding, read_rewards, score


@pytest.mark.parametrize(
    ("text", "value", "success"),
    [
        ("1\n", 1.0, True),
        ("0.5", 0.5, False),
        ("0", 0.0, False),
        (".5\n", 0.5, False),
        ("+1", 1.0, True),
        ("1.", 1.0, True),
    ],
)
def test_one_number_is_the_reward(text: str, value: float, success: bool) -> None:
    found = score(VerifierEnding(read_rewards(text.encode())))
    assert (found.value, found.success) == (value, success)


def test_several_rewards_are_parts_and_all_of_them_make_a_success() -> None:
    found = score(VerifierEnding(read_rewards(b'{"reward": 1, "style": 0.5}')))
    assert (found.value, found.success) == (1.0, False)
    assert found.parts == {"reward": 1.0, "style": 0.5}


def test_without_one_that_is_called_reward_their_mean_counts() -> None:
    assert score(VerifierEnding(read_rewards(b'{"a": 1, "b": 0}'))).value == 0.5


@pytest.mark.parametrize(("text", "value"), [("7", 1.0), ("-3", 0.0)])
def test_a_value_is_brought_between_zero_and_one(text: str, value: float) -> None:
    assert score(VerifierEnding(read_rewards(text.encode()))).value == value


@pytest.mark.parametrize(
    "text",
    ["", "passed", "NaN", "Infinity", "true", '{"reward": "1"}', "{}", "[1]", "null", "9" * 400, "\xff", "[" * 9999],
)
def test_what_is_no_number_is_no_reward(text: str) -> None:
    with pytest.raises(BadDataError):
        read_rewards(text.encode("latin1"))


def test_no_reward_is_zero_with_the_reason() -> None:
    found = score(VerifierEnding(None, ("it wrote no reward",)))
    assert (found.value, found.success, found.notes) == (0.0, False, ("it wrote no reward",))


def test_what_the_verifier_printed_is_told_with_the_score_and_its_last_lines_in_an_error() -> None:
    ending = VerifierEnding({"reward": 0.0}, ("the verifier ended with status 1",), "one\n\ntwo\nthree\nfour")
    assert score(ending).notes == (
        "the verifier ended with status 1",
        "the verifier printed:\none\n\ntwo\nthree\nfour",
    )
    assert ending.summary == "the verifier ended with status 1; its last lines: two | three | four"
