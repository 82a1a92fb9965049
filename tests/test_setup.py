"""`scripts/setup.sh` on machines that lack something: an ordinary user is told what to install."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bare_path import path_without

REPOSITORY = Path(__file__).parents[1]


def complaint(*lacking: str, tests: bool) -> str:
    """What the script tells an ordinary user without sudo, where those programs are missing."""
    with path_without("sudo", "id", *lacking) as folder:
        (folder / "id").write_text("#!/bin/sh\necho 1000\n")
        (folder / "id").chmod(0o755)
        command = ["scripts/setup.sh", sys.executable, *(["tests"] if tests else [])]
        done = subprocess.run(command, cwd=REPOSITORY, env={"PATH": str(folder)}, capture_output=True, text=True)
    assert done.returncode == (1 if done.stderr else 0)
    return done.stderr


@pytest.mark.parametrize(
    ("program", "package"),
    [("my_print_defaults", "mariadb-client-core"), ("openssl", "openssl"), ("bwrap", "bubblewrap")],
)
def test_a_missing_program_is_asked_for_by_its_package(program: str, package: str) -> None:
    assert f" {package}" in complaint(program, tests=True)
    assert complaint(program, tests=True).startswith("Please run: sudo apt-get install ")


def test_what_only_tests_need_is_not_asked_for_before() -> None:
    assert complaint("my_print_defaults", "openssl", tests=False) == ""
