"""The program itself: help, versions, exit statuses."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from terminal import PROGRAM, intercode

from intercode import __version__
from intercode.cli.main import status_of
from intercode.errors import BadDataError, ImageError, InterruptedRunError, SandboxGoneError, UnsafeError

COMMANDS = ("data", "doctor", "images", "play", "replay", "run", "show", "tasks")


def test_help_lists_every_command_with_what_it_is_for() -> None:
    done = intercode("--help")
    assert done.returncode == 0
    for command in COMMANDS:
        line = next(line for line in done.stdout.splitlines() if line.strip().startswith(command))
        assert len(line.split()) > 3


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_and_can_speak_json(command: str) -> None:
    words = [command, "list"] if command in ("data", "images") else [command]
    done = intercode(*words, "--help")
    assert done.returncode == 0
    assert "--json" in done.stdout


def test_help_imports_nothing_heavy() -> None:
    """Time cannot be tested on a busy machine; what costs it can."""
    code = (
        "import sys; from intercode.cli.main import make_app; make_app()\n"
        "heavy = {'gymnasium', 'numpy', 'rich', 'pooch', 'intercode.runs.job', 'intercode.cli.run'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_version_is_printed() -> None:
    assert intercode("--version").stdout == f"intercode {__version__}\n"


def test_whoever_reads_no_further_is_told_nothing() -> None:
    """As under `head`: what is written then goes nowhere, and that is no news."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run([*PROGRAM, "tasks", "starter"], stdout=writer, stderr=subprocess.PIPE, check=False)
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_an_output_that_is_full_is_named_without_a_trace() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*PROGRAM, "tasks", "starter"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert done.stderr.startswith("intercode: No space left on device: make room")
    assert len(done.stderr.splitlines()) == 1


def test_what_the_encoding_of_the_output_lacks_is_printed_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "own.jsonl").write_text('{"query": "Grüße", "gold": "true", "id": "日本"}\n', encoding="utf-8")
    latin = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [*PROGRAM, "tasks", str(tmp_path / "own.jsonl")]
    done = subprocess.run(command, env=latin, capture_output=True, text=True, check=True)
    assert "own/\\u65e5\\u672c\t\t\tGr\\xfc\\xdfe" in done.stdout


@pytest.mark.skipif(os.name != "posix", reason="the shell's way to close streams")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_streams_that_are_closed_go_nowhere(closed: str, tmp_path: Path) -> None:
    """Otherwise the next file to be opened has their number, and gets what is printed."""
    made = tmp_path / "kitchen"
    command = shlex.join([*PROGRAM, "new", str(made)])
    done = subprocess.run(["/bin/sh", "-c", f"{command} {closed}"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert (made / "task.toml").exists()


def test_without_a_command_the_help_is_shown() -> None:
    assert "Commands:" in intercode().stdout + intercode().stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["runn"], "No such command 'runn'"),
        (["run", "--colour"], "--colour"),
        (["run", "--scoring", "fair"], "--scoring is paper or exact, not 'fair'"),
        (["run", "--agent", "orakel"], "no agent called 'orakel'"),
        (["run", "--agent-option", "x"], "--agent-option wants NAME=VALUE, not 'x'"),
        (["run", "--tasks", "nothing-like-this"], "no task 'nothing-like-this' in starter"),
        (["run", "--sandbox", "local"], "--i-know-this-is-unsafe"),
        (["run", "--resume"], "--resume goes on with a run: name it with --out"),
        (["run", "--dataset", "no-such.jsonl"], "no-such.jsonl"),
        (["tasks", "startet"], "no data set called 'startet'"),
        (["show", "/nowhere"], "no run in /nowhere"),
        (["replay", "/nowhere"], "/nowhere"),
        (["data", "get", "nl3bash"], "no published data called 'nl3bash'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_mistakes_of_the_caller_are_named_without_a_trace_and_exit_with_2(arguments: list[str], says: str) -> None:
    done = intercode(*arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert not done.stdout


def test_a_name_that_is_too_long_is_told_without_a_trace() -> None:
    for words in (["show", "r" * 300], ["run", "--limit", "1", "--out", "r" * 300]):
        done = intercode(*words)
        said = f"intercode: File name too long: {'r' * 60}…: choose a shorter one\n"
        assert (done.returncode, done.stderr.endswith(said), done.stdout) == (2, True, "")
        assert "Traceback" not in done.stderr


def test_exit_statuses_tell_whose_fault_it_was() -> None:
    assert [
        status_of(error("x"))
        for error in (BadDataError, UnsafeError, ImageError, SandboxGoneError, InterruptedRunError)
    ] == [
        2,
        2,
        1,
        1,
        130,
    ]


def test_a_reader_that_has_seen_enough_is_no_error(finished: Path) -> None:
    import subprocess

    command = f"{PROGRAM[0]} show {finished} --json | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
