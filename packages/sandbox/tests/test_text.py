"""Sentences are put together with one mark between."""

from __future__ import annotations

import pytest

from intercode_sandbox.util.text import clauses, failure, sentences


@pytest.mark.parametrize(
    ("parts", "whole"),
    [
        (("Is there a key?", "0 of 3 are stored"), "Is there a key? 0 of 3 are stored"),
        (
            ("it answered: no.", "Is there a key?", "Go on with: run"),
            "it answered: no. Is there a key? Go on with: run",
        ),
        (("it answered: no", "Go on"), "it answered: no. Go on"),
        (('it said "no!"', "Go on"), 'it said "no!" Go on'),
        (("it says (no)", "Go on"), "it says (no). Go on"),
        (("it said: ", "", "  Go on"), "it said. Go on"),
        (("alone",), "alone"),
        ((), ""),
    ],
)
def test_sentences(parts: tuple[str, ...], whole: str) -> None:
    assert sentences(*parts) == whole


@pytest.mark.parametrize(
    ("parts", "whole"),
    [
        (("git says: no.", "try again"), "git says: no; try again"),
        (("git says: no", "", "try again."), "git says: no; try again."),
    ],
)
def test_clauses(parts: tuple[str, ...], whole: str) -> None:
    assert clauses(*parts) == whole


def test_a_failure_says_what_happened_what_fixes_it_and_what_resumes() -> None:
    said = failure("the server\n  is gone", fix="start it", resume="intercode run --resume")
    assert said == "the server is gone\n  fix: start it\n  resume: intercode run --resume"
    assert failure("stopped", resume="again").splitlines() == ["stopped", "  resume: again"]
