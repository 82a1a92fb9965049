"""Changes of a session are told as they are seen, and those of other folders are not."""

from __future__ import annotations

import pytest

from intercode_sandbox import images
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.errors import SandboxError
from intercode_sandbox.watching import watch


def test_each_change_is_told_as_it_differs_from_the_last_look() -> None:
    """What was there changes, a file comes, and goes again."""
    scripts = ["echo 2 > /other; echo 22 > /work/there", "echo new > /work/made", "rm /work/made"]
    with EmbeddedSandbox() as sandbox, sandbox.start(images.find("host")) as session:
        session.run(["/bin/bash", "-c", "mkdir /work; echo 1 > /work/there; echo 1 > /other"])
        changes = watch(session, "/work", interval=0.0)
        told = []
        for script in scripts:
            session.run(["/bin/bash", "-c", script])
            change = next(each for each in changes if "work/" in each.path)
            told.append((change.path, change.before and change.before.size, change.after and change.after.size))
    assert told == [("/work/there", 2, 3), ("/work/made", None, 4), ("/work/made", 4, None)]


def test_it_ends_after_its_time_or_with_its_session() -> None:
    with EmbeddedSandbox() as sandbox:
        session = sandbox.start(images.find("host"))
        assert list(watch(session, interval=0.01, seconds=0.05)) == []
        forever = watch(session, interval=0.01)
        session.close()
        with pytest.raises(SandboxError):
            next(forever)
