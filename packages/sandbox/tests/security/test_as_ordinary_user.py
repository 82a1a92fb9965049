"""The same once more as an ordinary user, where the tests run as root: with a range of users, and with a single one."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from unprivileged import missing, run_tests

SELECTION = (
    *("packages/sandbox/tests/security", "packages/sandbox/tests/test_embedded_contract.py", "-m", "not slow"),
    *(f"--ignore=packages/sandbox/tests/security/test_proxy_{part}.py" for part in ("hosts", "requests")),
)
"""What a proxy takes and refuses is the same for every user: it runs outside. That sessions reach it is in the rest."""


IDS = ("isolation", "visibility", "readback", "leftovers", "processes")
"""Attacks in which it matters whether a session has one user or many."""


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_the_sandbox_of_an_ordinary_user_with_a_single_id_holds_as_well() -> None:
    _run(SELECTION, subordinate=False)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_the_sandbox_of_an_ordinary_user_with_a_range_of_ids_holds_as_well() -> None:
    """All attacks take four minutes: those where ids decide are what differs from the test above and from root's."""
    files = (f"packages/sandbox/tests/security/test_{part}.py" for part in IDS)
    _run((*files, "packages/sandbox/tests/test_embedded_contract.py", "-m", "not slow"), subordinate=True)


def _run(selection: Sequence[str], *, subordinate: bool) -> None:
    if reason := missing(subordinate=subordinate):
        pytest.skip(reason)
    outcome = run_tests(selection, subordinate=subordinate, timeout=1100)
    assert outcome.exit_code == 0, outcome.text[-20000:]
