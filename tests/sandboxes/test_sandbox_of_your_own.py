"""The sandbox that docs/how-to/add-a-sandbox.md shows keeps the contract, and a run can be made with it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from intercode import registry
from intercode.errors import SandboxGoneError
from intercode_sandbox import images
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Sandbox
from intercode_sandbox.testing.contract import SandboxContract
from intercode_sandbox.testing.fixtures import alive, appears, disappears, mark

FILE = Path(__file__).parents[2] / "examples" / "sandbox_of_your_own.py"


class TestSandboxOfYourOwn(SandboxContract):
    no_limits = "plain bubblewrap limits neither memory nor processes nor disk"
    no_order = "the order of a temporary folder is that of its file system"
    no_owners = no_users = "plain bubblewrap has one user"
    no_folder = "it does not look where its programs end"
    no_jobs = "it does not tell which of its processes belongs to which command"

    @pytest.fixture
    def sandbox(self) -> Iterator[Sandbox]:
        with registry.find("sandboxes", str(FILE))() as sandbox:
            yield sandbox

    @pytest.fixture
    def image(self) -> Image:
        return images.find("host")

    def test_what_runs_in_it_has_no_powers(self, sandbox: Sandbox, image: Image) -> None:
        script = "grep -c 'Cap.*: *0*$' /proc/self/status; unshare -Ur true || mount -t tmpfs none /tmp || touch /usr/x"
        with sandbox.start(image) as session:
            result = session.run(["/bin/sh", "-c", script.replace(": *", ":.")])
            assert result.text.startswith("5\n")
            assert result.exit_code != 0

    def test_a_session_whose_container_has_ended_is_gone(self, sandbox: Sandbox, image: Image) -> None:
        with sandbox.start(image) as session:
            session._bubblewrap.kill()  # type: ignore[attr-defined]
            session._bubblewrap.wait()  # type: ignore[attr-defined]
            with pytest.raises(SandboxGoneError, match="start another"):
                session.run(["/bin/true"])

    def test_a_session_ends_with_the_process_that_started_it(self, tmp_path: Path) -> None:
        sleeping = mark()
        code = f"""
import os, sys
from intercode import registry
from intercode_sandbox.images import find
session = registry.find("sandboxes", {str(FILE)!r})().start(find("host"))
session.open(["/bin/sleep", "{sleeping}"])
sys.stdin.read()
os._exit(1)
"""
        environment = {**os.environ, "TMPDIR": str(tmp_path)}  # whoever is killed leaves his temporary files
        process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, env=environment)
        assert appears(sleeping, 60)
        process.kill()
        process.communicate()
        assert disappears(sleeping)
        assert not alive(sleeping)


def test_it_is_as_short_as_the_page_says() -> None:
    assert len(FILE.read_text().splitlines()) < 120
