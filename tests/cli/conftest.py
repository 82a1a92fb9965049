"""A run made once, for all tests that look at one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from terminal import intercode

TASKS = "list-confs,count-january,show-port"


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of three starter tasks by the oracle, in the embedded sandbox."""
    folder = tmp_path_factory.mktemp("cli") / "finished"
    done = intercode("run", "--tasks", TASKS, "--out", folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="session")
def erring(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose script is wrong about one of two tasks."""
    folder = tmp_path_factory.mktemp("cli")
    moves = {
        "starter/bash/list-confs": ["ls /nowhere", "echo '\x1b[31mred'", "submit"],
        "starter/bash/show-port": ["skip"],
    }
    (folder / "script.json").write_text(json.dumps({"moves": moves}))
    script = f"script={folder / 'script.json'}"
    options = ["--agent", "scripted", "--agent-option", script, "--tasks", "list-confs,show-port"]
    done = intercode("run", *options, "--out", folder / "erring")
    assert done.returncode == 0, done.stderr
    return folder / "erring"
