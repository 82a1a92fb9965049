"""On macOS and Windows, as far as Linux can tell: what needs no sandbox works, and a sandbox says what to do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

OTHER = Path(__file__).with_name("other_system.py")


def on(system: str, *arguments: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **variables}
    command = [sys.executable, OTHER, system, *arguments]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("system", ["Darwin", "Windows"])
def test_sql_and_reports_work_without_what_only_linux_has(system: str, tmp_path: Path) -> None:
    run = tmp_path / "run"
    for words in (
        ("--help",),
        ("tasks", "starter-sql"),
        ("run", "--dataset", "starter-sql", "--database", "sqlite", "--limit", "2", "--out", run),
        ("report", run),
        ("show", run),
        ("export", run, "--format", "openai", "--out", tmp_path / "rows.jsonl"),
    ):
        done = on(system, *words)
        assert done.returncode == 0, done.stderr
    assert "100.0%" in on(system, "report", run).stdout


@pytest.mark.parametrize(("system", "name"), [("Darwin", "macOS"), ("Windows", "Windows")])
def test_a_sandbox_says_in_one_line_that_it_needs_linux_and_what_to_do(system: str, name: str) -> None:
    done = on(system, "play", "--sandbox", "embedded")
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"intercode: the embedded sandbox needs Linux, and this is {name}: ")
    assert all(way in line for way in ("--sandbox docker ", "WSL 2", "Docker Desktop", "Podman", "intercode serve"))


@pytest.mark.parametrize("system", ["Darwin", "Windows"])
def test_without_docker_the_default_sandbox_says_what_to_install(system: str, tmp_path: Path) -> None:
    done = on(system, "run", "--limit", "1", "--out", tmp_path / "run", PATH=str(tmp_path))
    assert done.returncode == 1
    assert "the command `docker` or `podman`" in done.stderr
    assert "Docker Desktop" in done.stderr
    checks = {each["name"]: each for each in json.loads(on(system, "doctor", "--json", PATH=str(tmp_path)).stdout)}
    assert checks["docker"]["ok"] is False
