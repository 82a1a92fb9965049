"""`intercode run` with an agent in a file of the user's own that does what agents should not."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from terminal import PROGRAM, intercode

AGENT = """
import sys
from intercode.agents.base import Agent
from intercode.types import Action

{at_import}

class OwnAgent(Agent):
    def __init__(self):
        {at_start}

    def reset(self, task, *, seed, gold=None):
        {at_reset}

    def act(self, observation, reward):
        {at_action}
        return Action("submit")
"""
PLACES = ("at_import", "at_start", "at_reset", "at_action")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("processes", [1, 2])
def test_an_agent_cannot_end_the_program(tmp_path: Path, place: str, processes: int) -> None:
    """It ended the whole run without a word, with a status that looked like success; or its process, three times."""
    text = AGENT.format_map({**dict.fromkeys(PLACES, "pass"), place: "sys.exit()"})
    (tmp_path / "own.py").write_text(text)
    options = ("--parallel", "2", "--processes", str(processes), "--limit", "4")
    done = intercode("run", "--agent", "own.py", *options, "--out", "run", "-q", cwd=tmp_path)
    assert done.returncode == 2
    assert "called sys.exit(), which would end the whole program" in done.stderr
    assert "own.py" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("broken", "options", "said"),
    [
        (("def act", "def acts"), (), "own.py: OwnAgent does not define act, which every agent has to"),
        (
            ("__init__(self)", "__init__(self, size)"),
            (),
            "own.py: OwnAgent() needs size: give it a default, or a value by --agent-option size=VALUE",
        ),
        (("", ""), ("--agent-option", "size=3"), "own.py: OwnAgent() got an unexpected keyword argument 'size'"),
    ],
    ids=["abstract", "argument", "option"],
)
def test_an_agent_that_cannot_be_made_is_told_why(
    tmp_path: Path, broken: tuple[str, str], options: tuple[str, ...], said: str
) -> None:
    (tmp_path / "own.py").write_text(AGENT.format_map(dict.fromkeys(PLACES, "pass")).replace(*broken))
    done = intercode("run", "--agent", "own.py", *options, "--out", "run", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, f"intercode: {said}\n")
    assert not (tmp_path / "run").exists()


def test_who_mends_an_agent_is_told_how_to_go_on(tmp_path: Path) -> None:
    text = "return None if 'january' in self.task else Action('submit')"
    own = AGENT.format_map({**dict.fromkeys(PLACES, "pass"), "at_reset": "self.task = task.id", "at_action": text})
    (tmp_path / "own.py").write_text(own)
    tasks = "list-confs,count-january,show-port"
    done = intercode("run", "--agent", "own.py", "--tasks", tasks, "--out", "run", "-q", cwd=tmp_path)
    assert done.returncode == 2
    assert "the agent own.py: act() gave None" in done.stderr
    assert "2 are left)\n  fix: correct what it names\n  resume: intercode run --resume --out run" in done.stderr
    (tmp_path / "own.py").write_text(own.replace("return None if", "return Action('submit') if"))
    assert intercode("run", "--resume", "--out", "run", "--i-know-this-is-unsafe", "-q", cwd=tmp_path).returncode == 0


def test_an_agent_may_change_the_folder_of_a_program_that_was_called_by_a_relative_path(tmp_path: Path) -> None:
    """The run ended in a trace after its last episode, where it says what to call next."""
    own = AGENT.format_map({**dict.fromkeys(PLACES, "pass"), "at_action": "import os; os.chdir('/')"})
    (tmp_path / "own.py").write_text(own)
    (tmp_path / "intercode").symlink_to(PROGRAM[0])
    command = ["./intercode", "run", "--agent", "own.py", "--limit", "1", "--out", str(tmp_path / "run"), "-q"]
    path = f"{Path(PROGRAM[0]).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "look at one: intercode show" in done.stdout
