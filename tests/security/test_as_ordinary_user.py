"""The same once more as an ordinary user, where the tests run as root: with a range of users, and with a single one."""

from __future__ import annotations

import pytest

from unprivileged import missing, run_tests

SELECTION = ("tests/security", "tests/sandboxes/test_embedded_contract.py", "-m", "not slow")


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("subordinate", [True, False], ids=["with-a-range", "with-a-single-id"])
def test_an_ordinary_users_sandbox_holds_as_well(subordinate: bool) -> None:
    if reason := missing(subordinate=subordinate):
        pytest.skip(reason)
    outcome = run_tests(SELECTION, subordinate=subordinate, timeout=1100)
    assert outcome.exit_code == 0, outcome.text[-20000:]
