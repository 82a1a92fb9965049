"""Programs end with the process that wanted them, whichever way that ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

import pytest

from intercode_sandbox.util import child_process
from intercode_sandbox.util.child_process import ChildProcess

CHILDREN = 'sleep 600 & echo $! > "$0/child"; wait'


def run(tmp_path: Path, *command: str) -> int:
    with (tmp_path / "output").open("wb") as output:
        return child_process.run(command, stdout=output, stderr=output, env=os.environ, signal="TERM")


def start(tmp_path: Path) -> subprocess.Popen[bytes]:
    """A Python that runs a shell that runs a sleeper, all of them at work."""
    code = f"""
import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_child_process import *
run(Path({str(tmp_path)!r}), "sh", "-c", CHILDREN, {str(tmp_path)!r})
"""
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    _child(tmp_path)
    return process


def wait_until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_its_output_and_status_come_back(tmp_path: Path) -> None:
    assert run(tmp_path, "sh", "-c", "echo out; echo error >&2; exit 7") == 7
    assert (tmp_path / "output").read_text() == "out\nerror\n"


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_all_that_it_started_ends_with_the_process_that_wanted_it(tmp_path: Path, ending: signal.Signals) -> None:
    process = start(tmp_path)
    sleeper = _child(tmp_path)
    assert alive(sleeper)
    process.send_signal(ending)
    process.wait()
    wait_until(lambda: not alive(sleeper))


@pytest.mark.parametrize("ending", ["KILL", "TERM"])
def test_closing_it_ends_its_process_group_and_cleans_up(tmp_path: Path, ending: Literal["KILL", "TERM"]) -> None:
    folder = tmp_path / "it's here"
    folder.mkdir()
    command = ["sh", "-c", CHILDREN, str(tmp_path)]
    with ChildProcess(command, signal=ending, cleanup=["rmdir", str(folder)]) as child:
        sleeper = _child(tmp_path)
        assert (child.alive, child.exit_code) == (True, None)
    assert not child.alive
    assert child.exit_code == 128 + signal.Signals[f"SIG{ending}"]
    wait_until(lambda: not alive(sleeper))
    assert [path.name for path in tmp_path.iterdir()] == ["child"]
    child.close()


def test_it_ends_with_its_guard_too(tmp_path: Path) -> None:
    """Somebody may kill the shell that stands between."""
    with ChildProcess(["sleep", "600"]) as child:
        wait_until(lambda: Path(f"/proc/{child.pid}/comm").read_text() == "sleep\n")
        guard = int(Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()[1])
        os.kill(guard, signal.SIGKILL)
        assert child.wait(60)


def test_it_can_be_closed_before_it_has_begun() -> None:
    for _ in range(20):
        ChildProcess(["sleep", "600"]).close()


def test_it_does_not_end_with_the_thread_that_started_it() -> None:
    with ThreadPoolExecutor(1) as pool:
        child = pool.submit(ChildProcess, ["sleep", "600"]).result()
    with child:
        assert not child.wait(0.3)


def test_a_fork_of_ours_does_not_keep_it_alive() -> None:
    child = ChildProcess(["sleep", "600"])
    fork = os.fork()
    if not fork:
        signal.pause()
    try:
        child._channel.close()  # what our death would do
        assert child.wait(60)
    finally:
        os.kill(fork, signal.SIGKILL)
        os.waitpid(fork, 0)
        child.close()


def test_a_program_that_is_not_there_ends_with_127() -> None:
    with ChildProcess(["no-such-program"]) as child:
        child.wait()
    assert child.exit_code == 127


def test_what_it_needs_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="util-linux"):
        ChildProcess(["true"])


def test_it_reads_a_file_and_has_its_own_privileges(tmp_path: Path) -> None:
    (tmp_path / "input").write_text("given\n")
    with (tmp_path / "output").open("wb") as output:
        script = "cat; grep NoNewPrivs /proc/self/status"
        with ChildProcess(
            ["sh", "-c", script], stdin=tmp_path / "input", stdout=output, privileges=["--no-new-privs"]
        ) as child:
            child.wait()
    assert (tmp_path / "output").read_text() == "given\nNoNewPrivs:\t1\n"


def _child(folder: Path) -> int:
    """The process id that `CHILDREN` writes."""
    marker = folder / "child"
    wait_until(lambda: marker.exists() and marker.read_text().endswith("\n"))
    return int(marker.read_text())
