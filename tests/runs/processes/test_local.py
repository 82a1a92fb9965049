"""What the processes of a run share on this machine, where several machines or containers have one cache."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from intercode.runs.processes.local import LocalLauncher

APART = ("bwrap", "--dev-bind", "/", "/", "--unshare-pid")
"""Process numbers of its own, as another machine or container has."""

RUN = """
import os
from intercode.runs.processes.local import LocalLauncher
launcher = LocalLauncher()
print("ready", flush=True)
input()
os.kill(os.getpid(), 9)
"""


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a cache in which runs have folders of their own."""
    monkeypatch.setenv("INTERCODE_CACHE", str(tmp_path))
    return tmp_path / "shared"


def _folders(shared: Path) -> list[str]:
    return [path.name for path in shared.iterdir() if path.is_dir()]


def test_a_run_elsewhere_keeps_its_folder_while_it_lives_and_loses_it_once_killed(shared: Path) -> None:
    with subprocess.Popen([*APART, sys.executable, "-c", RUN], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout
        assert other.stdout.readline() == b"ready\n"
        [theirs] = _folders(shared)
        here = LocalLauncher()
        assert theirs in _folders(shared)
        assert len(_folders(shared)) == 2
        here.close()
        assert _folders(shared) == [theirs]
        other.communicate(b"die\n")
    LocalLauncher().close()
    assert list(shared.iterdir()) == []


def test_runs_of_one_process_have_folders_of_their_own(shared: Path) -> None:
    first, second = LocalLauncher(), LocalLauncher()
    assert len(_folders(shared)) == 2
    first.close()
    first.close()
    assert len(_folders(shared)) == 1
    second.close()
    assert list(shared.iterdir()) == []
