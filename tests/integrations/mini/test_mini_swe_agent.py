"""mini-swe-agent's own agent works in a session of ours, driven by its scripted model."""

from __future__ import annotations

import os
import runpy
from pathlib import Path
from typing import Any

os.environ["MSWEA_SILENT_STARTUP"] = "1"

from minisweagent.models.test_models import DeterministicModel, make_output

EXAMPLE = runpy.run_path(str(Path(__file__).parents[3] / "examples" / "mini_swe_agent.py"))


def play(*commands: str) -> dict[str, Any]:
    """Have the agent run *commands*, one a turn; how it ended, and what it saw."""
    model = DeterministicModel(outputs=[make_output("", [{"command": command}]) for command in commands])
    seen: list[str] = []
    inner = model.format_observation_messages

    def listen(message: dict[str, Any], outputs: list[dict[str, Any]], *rest: Any, **more: Any) -> Any:
        seen.extend(output["output"] for output in outputs)
        return inner(message, outputs, *rest, **more)

    model.format_observation_messages = listen
    return {**EXAMPLE["run"]("count", model), "seen": seen}


def test_its_commands_run_in_one_session_and_its_submission_comes_back() -> None:
    """Files live on from turn to turn, a command that fails is no end, and nothing of this machine is in sight."""
    done = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT; cat /work/made"
    ended = play("mkdir /work; echo 42 > /work/made", f"ls {Path.home()}/.. | wc -l; false", done)
    assert (ended["exit_status"], ended["submission"]) == ("Submitted", "42\n")
    assert ended["seen"][0] == ""
    assert not Path("/work/made").exists()
