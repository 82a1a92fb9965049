"""Files of a run that are no files, or have no end: they are named, nothing hangs, and the good run beside is shown."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
import stored_runs
from terminal import PROGRAM, in_process, intercode

from intercode.util.regular_files import LONGEST_LINE


def pipe(path: Path) -> None:
    os.mkfifo(path)


def folder(path: Path) -> None:
    path.mkdir()


def listening(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)  # the name of a socket has 107 bytes at most


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def password(path: Path) -> None:
    path.symlink_to("/etc/passwd")


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(20 << 30)


def circle(path: Path) -> None:
    path.symlink_to(path.name)


def bytes_of_all_kinds(path: Path) -> None:
    path.write_bytes(b'{"\xff\xfe\0": 1}\n')


def depth(path: Path) -> None:
    path.write_bytes(b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"\n")


def digits(path: Path) -> None:
    path.write_text('{"format": ' + "9" * 100_000 + "}\n")


HOSTILE = (pipe, folder, listening, device, password, sparse, circle, bytes_of_all_kinds, depth, digits)


@pytest.fixture(autouse=True)
def nothing_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A test that waits for a pipe would wait for ever."""

    def give_up(number: int, frame: object) -> None:
        raise AssertionError("it hangs")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(300)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def stored(path: Path) -> Path:
    return stored_runs.write(path, stored_runs.manifest(), stored_runs.episodes())


def spoil(run: Path, name: str, make: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put in the place of the file *name* of *run* what *make* makes."""
    (run / name).unlink(missing_ok=True)
    monkeypatch.chdir(run)
    make(run / name)
    monkeypatch.chdir(run.parent)
    return run


@pytest.mark.parametrize("make", HOSTILE)
@pytest.mark.parametrize("name", ["manifest.json", "episodes.jsonl"])
def test_every_command_names_the_file_and_says_what_it_is(
    tmp_path: Path, finished: Path, monkeypatch: pytest.MonkeyPatch, name: str, make: Callable[[Path], None]
) -> None:
    run, good = spoil(shutil.copytree(finished, tmp_path / "bad"), name, make, monkeypatch), finished
    commands: list[list[str | Path]] = [
        ["show", run],
        ["report", run],
        ["errors", run],
        ["compare", good, run],
        ["export", run, "--format", "openai", "--out", tmp_path / "out.jsonl"],
        ["demos", run, "--out", tmp_path / "demos.jsonl"],
        ["replay", run],
        ["run", "--resume", "--out", run],
        ["play", "--from", run, "list-confs"],
    ]
    if name == "episodes.jsonl":
        commands.append(
            ["run", "--agent", "replay", "--agent-option", f"file={run}", "-n", "1", "--out", tmp_path / "new"]
        )
    for words in commands:
        status, out, err = in_process(*words)
        assert status in (1, 2), (words, out)
        assert name in err, (words, err)
        assert "root:" not in out + err, words


@pytest.mark.parametrize("make", HOSTILE)
def test_a_report_shows_the_good_run_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None]
) -> None:
    run, good = spoil(stored(tmp_path / "bad"), "episodes.jsonl", make, monkeypatch), stored(tmp_path / "good")
    status, out, err = in_process("report", run, good, "--format", "csv")
    assert status == 2
    assert "good" in out
    assert err.startswith("left out: ")
    assert "episodes.jsonl" in err


def test_view_shows_the_good_run_beside_all_that_is_hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored(tmp_path / "all" / "good")
    for name in ("manifest.json", "episodes.jsonl", "activity.json", "notes.json"):
        for make in HOSTILE if name == "manifest.json" else (pipe, device):
            spoil(stored(tmp_path / "all" / f"{name}-{make.__name__}"), name, make, monkeypatch)
    (tmp_path / "all" / "atif").mkdir()
    os.mkfifo(tmp_path / "all" / "atif" / "a.json")
    os.mkfifo(tmp_path / "all" / "log.eval")
    argv = [*PROGRAM, "view", str(tmp_path / "all"), "--no-browser"]
    server = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert server.stdout is not None
    assert server.stderr is not None
    try:
        address = server.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]+/", address)
        told = httpx.get(f"{address}api/runs", timeout=60).json()
        names = {run["name"] for run in told["runs"]}
        assert "good" in names
        assert "manifest.json-pipe" not in names
        assert not {name for name in names if name.startswith("manifest.json-")}
        assert any("manifest.json-pipe" in problem for problem in told["problems"])
        assert any("episodes.jsonl-pipe" in problem and "a named pipe" in problem for problem in told["problems"])
        rows = httpx.get(f"{address}api/rows", params={"run": "good"}, timeout=60).json()
        assert rows["count"] == 3
        for make in (pipe, device):
            for place in ("api/rows", "api/notes", "api/search"):
                asked = {"run": f"notes.json-{make.__name__}", "q": "x"}
                assert httpx.get(f"{address}{place}", params=asked, timeout=60).status_code in (200, 404)
    finally:
        server.send_signal(signal.SIGINT)
        said = server.stderr.read()
        assert server.wait(20) == 0
        server.stdout.close()
        server.stderr.close()
    assert "left out: " in said
    assert "Traceback" not in said


def test_a_run_whose_one_line_never_ends_is_given_up_once(tmp_path: Path) -> None:
    from intercode.view.index import RunIndex

    run = stored(tmp_path / "run")
    with (run / "episodes.jsonl").open("ab") as file:
        file.truncate(20 << 30)
    index = RunIndex.of(run)
    index.refresh()
    index.refresh()
    assert index.count == 3
    assert index.is_whole
    assert index.problems == [
        f"line 4 of {run / 'episodes.jsonl'} has over {LONGEST_LINE >> 20} MiB: it and what follows are left out"
    ]


@pytest.mark.parametrize("name", ["episodes.jsonl", "episodes.torn", "manifest.json.new", "activity.json"])
def test_going_on_with_a_run_writes_no_file_of_the_users_own(finished: Path, tmp_path: Path, name: str) -> None:
    """A torn line in a stranger's run, and a link beside it, would have put the line into `.profile`."""
    run = Path(shutil.copytree(finished, tmp_path / "run"))
    profile = tmp_path / ".profile"
    profile.write_text("# mine\n")
    lines = (run / "episodes.jsonl").read_bytes().splitlines(keepends=True)
    (run / "episodes.jsonl").write_bytes(b"".join(lines[:2]) + b"touch PWNED\n")
    (run / name).unlink(missing_ok=True)
    (run / name).symlink_to("../.profile")
    intercode("run", "--resume", "--out", run)
    assert profile.read_text() == "# mine\n"


@pytest.mark.parametrize("make", [pipe, device, sparse])
def test_settings_that_are_no_files_are_named_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "replies").write_text('{"replies": {"x": ["submit"]}}')
    for name, words in (
        ("intercode.toml", ["tasks", "--config", "intercode.toml"]),
        ("sweep.toml", ["sweep", "sweep.toml"]),
        ("script.json", ["run", "--agent", "scripted", "--agent-option", "script=script.json", "--out", "new"]),
        ("tasks.jsonl", ["tasks", "tasks.jsonl"]),
        ("tasks.csv", ["import", "tasks.csv", "--out", "mine"]),
        ("ic_bash.json", ["replay", "ic_bash.json"]),
        ("demos.jsonl", ["run", "--model", "scripted:replies", "--demos", "demos.jsonl", "--out", "new"]),
    ):
        make(tmp_path / name)
        status, out, err = in_process(*words)
        assert status in (1, 2), words
        assert name in err, (words, err)
        assert "root:" not in out + err
        (tmp_path / name).unlink()
