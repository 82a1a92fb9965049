from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from intercode.sandboxes.images.child_process import run_child

CHILDREN = 'sleep 600 & echo $! > "$0/child"; wait'


def run(tmp_path: Path, *command: str) -> int:
    with (tmp_path / "output").open("wb") as output:
        return run_child(command, stdout=output, stderr=output, env=dict(os.environ))


def start(tmp_path: Path) -> subprocess.Popen[bytes]:
    """A Python that runs a shell that runs a sleeper, all of them at work."""
    code = f"""
import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_image_child_process import *
run(Path({str(tmp_path)!r}), "sh", "-c", CHILDREN, {str(tmp_path)!r})
"""
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    wait_until(lambda: (tmp_path / "child").exists() and (tmp_path / "child").read_text().endswith("\n"))
    return process


def wait_until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def alive(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def test_its_output_and_status_come_back(tmp_path: Path) -> None:
    assert run(tmp_path, "sh", "-c", "echo out; echo error >&2; exit 7") == 7
    assert (tmp_path / "output").read_text() == "out\nerror\n"


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_all_that_it_started_ends_with_the_process_that_wanted_it(tmp_path: Path, ending: signal.Signals) -> None:
    process = start(tmp_path)
    sleeper = int((tmp_path / "child").read_text())
    assert alive(sleeper)
    process.send_signal(ending)
    process.wait()
    wait_until(lambda: not alive(sleeper))
