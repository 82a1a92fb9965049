"""The contract notices sandboxes that are broken on purpose: each of them fails, in the test that is about it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path

import broken_changes
import broken_commands
import broken_files
import broken_lifetimes
import pytest

from intercode_sandbox import images
from intercode_sandbox.errors import IntercodeError
from intercode_sandbox.host import directory_tree
from intercode_sandbox.images import Image
from intercode_sandbox.local import LocalSandbox
from intercode_sandbox.local.sandbox import LocalSession
from intercode_sandbox.sandbox import Limits, Sandbox
from intercode_sandbox.testing.contract import SandboxContract
from intercode_sandbox.testing.fixtures import contract_image

BROKEN = [*broken_commands.BROKEN, *broken_files.BROKEN, *broken_changes.BROKEN, *broken_lifetimes.BROKEN]


class BrokenSandbox(LocalSandbox):
    """Its sessions are of the class given."""

    def __init__(self, kind: type[LocalSession]) -> None:
        super().__init__(i_know_this_is_unsafe=True)
        self.kind = kind
        self.made: list[LocalSession] = []

    def make_session(self, image: Image, limits: Limits) -> LocalSession:
        self.made.append(self.kind(image, limits))
        return self.made[-1]

    def close(self) -> None:
        """What is broken must not outlive its test."""
        for session in self.made:
            LocalSession.kill(session)
            LocalSession.close(session)
            directory_tree.remove(session.folder)
        super().close()


@pytest.mark.parametrize(("kind", "test"), BROKEN, ids=[f"{kind.__name__}-{test}" for kind, test in BROKEN])
def test_the_contract_notices(
    kind: type[LocalSession], test: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same tests pass on the local sandbox as it is: `tests/sandboxes/test_local.py`."""
    with BrokenSandbox(kind) as sandbox:
        run = _prepared(sandbox, test, tmp_path, monkeypatch)
        with pytest.raises((AssertionError, IntercodeError, OSError, ValueError, pytest.fail.Exception)):
            run()


def test_a_sandbox_without_snapshots_may_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SandboxContract, "no_snapshots", "there are none here")
    with BrokenSandbox(broken_lifetimes.Stateless) as sandbox:
        _prepared(sandbox, "test_who_takes_no_snapshots_says_so", tmp_path, monkeypatch)()
        _prepared(sandbox, "test_nothing_can_be_done_after_close", tmp_path, monkeypatch)()
        with pytest.raises(pytest.skip.Exception, match="none here"):
            _prepared(sandbox, "test_processes_go_on_after_a_snapshot", tmp_path, monkeypatch)()


def _prepared(sandbox: Sandbox, test: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], object]:
    """The contract's *test* with what it asks for."""
    world = contract_image(images.find("host"))
    method = getattr(SandboxContract(), test)
    known = {"sandbox": sandbox, "world": world, "tmp_path": tmp_path, "monkeypatch": monkeypatch}
    parameters = inspect.signature(method).parameters
    if "session" in parameters:
        known["session"] = sandbox.start(world)
    return lambda: method(**{name: known[name] for name in parameters})
