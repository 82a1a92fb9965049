"""The local sandbox keeps the contract, but for walls; and nobody gets it without asking."""

from __future__ import annotations

import gc
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from intercode_sandbox import images
from intercode_sandbox.errors import ImageError, SandboxError, SnapshotError, UnsafeError
from intercode_sandbox.images import Image
from intercode_sandbox.images.script_layer import ScriptLayer
from intercode_sandbox.local import LocalSandbox
from intercode_sandbox.sandbox import Sandbox
from intercode_sandbox.scripted import ScriptedSnapshot
from intercode_sandbox.testing.contract import SandboxContract
from intercode_sandbox.testing.fixtures import contract_image


class TestLocalSandbox(SandboxContract):
    no_walls = "the local sandbox has none: an absolute path is this machine's own"
    no_limits = "the local sandbox limits time and output only"
    no_order = "the order of a temporary folder is that of its file system"
    no_users = "the local sandbox runs everything as whoever started it"
    no_owners = "" if os.geteuid() == 0 else "who started the local sandbox is not root"

    @pytest.fixture
    def sandbox(self) -> Iterator[Sandbox]:
        with LocalSandbox(i_know_this_is_unsafe=True) as sandbox:
            yield sandbox

    @pytest.fixture
    def image(self) -> Image:
        return images.find("host")


def test_it_is_not_had_without_saying_so() -> None:
    """The message names the option that says it."""
    with pytest.raises(UnsafeError, match="--i-know-this-is-unsafe"):
        LocalSandbox()


def test_it_says_that_it_does_not_isolate() -> None:
    assert not LocalSandbox.isolated


def test_a_set_up_script_is_not_run_without_walls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was written for a root of its own. Nothing is left of the attempt."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    image = images.find("host").with_layers(ScriptLayer("touch /made"))
    with LocalSandbox(i_know_this_is_unsafe=True) as sandbox, pytest.raises(ImageError, match="embedded"):
        sandbox.start(image)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_in_the_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of sessions, snapshots and images, closed or forgotten."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with LocalSandbox(i_know_this_is_unsafe=True) as sandbox:
        world = contract_image(images.find("host"))
        first = sandbox.start(world, shuffle=1)
        with first.snapshot() as snapshot:
            sandbox.start(world, snapshot=snapshot)
        first.snapshot()
        assert list(tmp_path.iterdir()) != []
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_a_snapshot_that_is_closed_or_anothers_is_refused() -> None:
    with LocalSandbox(i_know_this_is_unsafe=True) as sandbox:
        world = contract_image(images.find("host"))
        with sandbox.start(world) as session:
            snapshot = session.snapshot()
        with pytest.raises(SandboxError, match="the snapshot is of image"):
            sandbox.start(images.find("host"), snapshot=snapshot)
        snapshot.close()
        for each in (snapshot, ScriptedSnapshot()):
            with pytest.raises(SandboxError, match="is closed, or another sandbox made it"):
                sandbox.start(world, snapshot=each)


def test_what_cannot_be_copied_is_no_error_of_the_machines() -> None:
    """Folders in each other, so deep that no path reaches the last: copied, or refused as the state that it is."""
    nest = "import os\nfor _ in range(2000):\n    os.mkdir('deep')\n    os.chdir('deep')"
    with LocalSandbox(i_know_this_is_unsafe=True) as sandbox, sandbox.start(images.find("host")) as session:
        assert session.run([sys.executable, "-c", nest], timeout=60).exit_code == 0
        with suppress(SnapshotError):
            session.snapshot().close()
        assert session.changes()[-1].after
