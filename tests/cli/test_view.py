"""`intercode view`, `play --from` and the filters of `show`, as people type them."""

from __future__ import annotations

import re
import signal
import subprocess
from pathlib import Path

import httpx
import pytest
from pseudo_terminal import PseudoTerminal
from terminal import PROGRAM, intercode


def test_view_serves_until_it_is_stopped(finished: Path) -> None:
    argv = [*PROGRAM, "view", str(finished), "--no-browser"]
    server = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        address = server.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]+/", address)
        (run,) = httpx.get(f"{address}api/runs", timeout=60).json()["runs"]
        assert (run["name"], run["summary"]["episodes"]) == (finished.name, 3)
    finally:
        server.send_signal(signal.SIGINT)
        assert server.wait(20) == 0
        server.stdout.close()


def test_view_writes_one_file(finished: Path, tmp_path: Path) -> None:
    done = intercode("view", finished, "--export", tmp_path / "run.html")
    assert done.returncode == 0, done.stderr
    assert "3 episodes" in done.stdout
    assert (tmp_path / "run.html").read_bytes().startswith(b"<!doctype html>")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["nowhere"], "there is no such file or directory"),
        (["RUN", "--failed"], "are for --export"),
        (["RUN", "--export", "x.html", "--redact", "names"], "what can be left out is"),
        (["RUN", "--export", "x.html", "--changes", "--redact", "observations"], "shows what was observed"),
        (["RUN", "--export", "/nowhere/x.html"], "cannot write /nowhere/x.html"),
    ],
)
def test_what_cannot_be_is_said_plainly(finished: Path, options: list[str], said: str) -> None:
    done = intercode("view", *[str(finished) if each == "RUN" else each for each in options])
    assert done.returncode in (1, 2)
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_without_the_extra_the_page_says_what_to_install(finished: Path, tmp_path: Path) -> None:
    for name in ("starlette", "uvicorn"):  # found first, and as good as not there
        (tmp_path / f"{name}.py").write_text(f"raise ModuleNotFoundError(name={name!r})")
    done = intercode("view", finished, "--no-browser", PYTHONPATH=str(tmp_path))
    assert done.returncode == 2
    assert "pip install 'intercode-env[view]'; `intercode show` needs none" in done.stderr
    assert "Traceback" not in done.stderr


def test_what_is_longer_than_the_terminal_goes_through_the_pager(finished: Path, tmp_path: Path) -> None:
    pager = tmp_path / "pager"
    pager.write_text(f"#!/bin/sh\ncat > {tmp_path}/paged\necho the pager was here\n")
    pager.chmod(0o755)
    for lines, options, is_paged in (("5", [], True), ("5", ["--no-pager"], False), ("500", [], False)):
        env = {"PAGER": str(pager), "LINES": lines, "COLUMNS": "80"}
        with PseudoTerminal([*PROGRAM, "show", str(finished), *options], env=env) as terminal:
            status, shown = terminal.wait()
        assert (status, "the pager was here" in shown) == (0, is_paged)
        text = (tmp_path / "paged").read_text() if is_paged else shown
        assert "starter/bash/" in text
        (tmp_path / "paged").unlink(missing_ok=True)


def test_show_lists_only_what_is_asked_for(erring: Path) -> None:
    done = intercode("show", erring, "--failed", "--sort", "-turns")
    assert "2 of 2 episodes" in done.stdout
    listed = [line.split()[1] for line in done.stdout.splitlines() if re.match(r"\d+\s+starter/", line)]
    assert listed == ["starter/bash/list-confs", "starter/bash/show-port"]
    assert (
        "starter/bash/list-confs" not in intercode("show", erring, "--status", "skipped").stdout.split("2 episodes")[0]
    )
    assert "1 of 2 episodes" in intercode("show", erring, "--grep", "NOWHERE").stdout


def test_show_finds_an_episode_by_its_number(erring: Path) -> None:
    listed = intercode("show", erring).stdout.splitlines()
    (line,) = [each for each in listed if re.match(r"2\s+starter/", each)]
    assert intercode("show", erring, "2").stdout.startswith(line.split()[1])


def test_show_refuses_an_episode_together_with_filters(erring: Path) -> None:
    assert "choose among episodes" in intercode("show", erring, "2", "--failed").stderr
    assert "--sort is" in intercode("show", erring, "--sort", "colour").stderr


def test_a_person_goes_on_from_a_turn(erring: Path, tmp_path: Path) -> None:
    done = intercode(
        "play", "list-confs", "--from", erring, "--turn", "3", "--record", tmp_path / "on", stdin="echo mine\nsubmit\n"
    )
    assert done.returncode == 0, done.stderr
    assert "1> ls /nowhere" in done.stdout
    assert "3> mine" in done.stdout
    shown = intercode("show", tmp_path / "on", "list-confs").stdout
    assert "ls /nowhere" in shown
    assert "echo mine" in shown


def test_a_turn_that_is_not_there_is_named(erring: Path) -> None:
    assert "--turn is 1 to 3, not 9" in intercode("play", "list-confs", "--from", erring, "--turn", "9").stderr
    assert "name its run with --from" in intercode("play", "list-confs", "--turn", "2").stderr
    assert "leave out scoring" in intercode("play", "list-confs", "--from", erring, "--scoring", "paper").stderr
