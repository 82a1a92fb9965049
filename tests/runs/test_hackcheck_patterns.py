"""Examples of what a reward's patterns ask for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from intercode.adversaries.clues import of_files
from intercode.adversaries.patterns import LONGEST, example


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"(\d+) passed", "1 passed"),
        (r"^flag\{\w+\}$", "flag{1}"),
        (r"(?:ok|done)\s+\d{2,3}(?:a|b)$", "ok 11a"),
        (r"[^\W\d_]+@(?P<host>\w+)\.org", "a@1.org"),
        (r"a(b|c(d|e)f)\w*g|h", "ab1g"),
    ],
)
def test_an_example_has_the_form_that_is_asked_for(pattern: str, text: str) -> None:
    assert example(pattern) == text
    assert re.search(pattern, text)


@pytest.mark.parametrize("pattern", ["failed", "Well done.", "(", r"\d+(", r"(?=\d+)x", r"(?<!\w+)x", r"\d{999999999}"])
def test_there_is_none_of_a_plain_text_and_of_what_is_not_understood(pattern: str) -> None:
    assert example(pattern) is None


def test_an_example_is_no_longer_than_what_is_taken_from_a_source() -> None:
    assert example(rf"\d{{{LONGEST}}}") == "1" * LONGEST
    assert example(rf"\d{{{LONGEST + 1}}}") is None


def test_the_patterns_of_a_reward_are_among_its_words(tmp_path: Path) -> None:
    path = tmp_path / "reward.py"
    path.write_text("import re\n\ndef reward(result):\n    return bool(re.match(r'id: \\d+', result.answer or ''))\n")
    assert of_files([path]).words == (r"id: \d+", "id: 1")
