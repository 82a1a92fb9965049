"""What a person is told of an observation is told once."""

from __future__ import annotations

import pytest

from intercode.env.observations import observe
from intercode.types import Observation
from intercode_sandbox.sandbox import Result


@pytest.mark.parametrize(("timed_out", "truncated"), [(True, False), (False, True), (True, True)])
def test_what_the_text_says_itself_is_not_said_again(timed_out: bool, truncated: bool) -> None:
    """As with `vi`, which ends at the time limit: the world's own line says so."""
    result = Result(137, b"~\n~\n", timed_out=timed_out, truncated=truncated, output_bytes=99)
    seen = observe(result, seconds=10.0)
    assert seen.text.count("timed out") == timed_out
    assert seen.notes(seen.text) == ([] if timed_out else ["exit 137"])


def test_what_is_not_on_display_is_said() -> None:
    seen = Observation("a\nb\n[timed out after 10 s; killed]", None, timed_out=True)
    assert seen.notes("a\nb") == ["timed out"]
    assert Observation("slow", 3, timed_out=True, truncated=True).notes("slow") == [
        "timed out",
        "output cut at the limit",
        "exit 3",
    ]
