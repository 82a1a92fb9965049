"""The scripted agent: the script's moves, and clear words about scripts that will not do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from intercode.agents.scripted import ScriptedAgent
from intercode.errors import BadDataError, UserError
from intercode.types import Action, Observation, TaskView

TASK = TaskView("toy/1", "Say hi.", "bash")


def script(folder: Path, moves: object) -> str:
    path = folder / "script.json"
    path.write_text(json.dumps({"moves": moves}))
    return str(path)


def test_it_plays_its_moves_and_then_submits(tmp_path: Path) -> None:
    agent = ScriptedAgent(script=script(tmp_path, {"toy/1": ["ls", "echo hi"]}))
    agent.reset(TASK, seed=0)
    moves = [agent.act(Observation(""), 0.0) for _ in range(4)]
    assert moves == [Action("execute", "ls"), Action("execute", "echo hi"), Action("submit"), Action("submit")]


def test_a_task_without_moves_is_refused_at_the_door_by_its_id(tmp_path: Path) -> None:
    agent = ScriptedAgent(script=script(tmp_path, {"toy/1": []}))
    with pytest.raises(UserError, match=r"no moves for toy/2, toy/3; .*--tasks"):
        agent.check([TASK, TaskView("toy/2", "?", "bash"), TaskView("toy/3", "?", "bash")])


def test_without_a_script_the_message_says_how_to_give_one() -> None:
    with pytest.raises(UserError, match="--agent-option script=FILE"):
        ScriptedAgent()


def test_a_script_that_is_not_there_is_named() -> None:
    with pytest.raises(UserError, match=r"no script called '/nowhere\.json'"):
        ScriptedAgent(script="/nowhere.json")


@pytest.mark.parametrize("moves", [None, [], {"toy/1": "ls"}, {"toy/1": [1]}])
def test_a_script_of_another_shape_is_bad_data(tmp_path: Path, moves: object) -> None:
    with pytest.raises(BadDataError, match=r"script\.json"):
        ScriptedAgent(script=script(tmp_path, moves))


def test_a_script_that_is_not_json_is_bad_data(tmp_path: Path) -> None:
    (tmp_path / "script.json").write_text("{")
    with pytest.raises(BadDataError, match=r"script\.json"):
        ScriptedAgent(script=str(tmp_path / "script.json"))
