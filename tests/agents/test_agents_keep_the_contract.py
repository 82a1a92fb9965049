"""Our agents keep the contract; agents broken on purpose do not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from intercode.agents.base import Agent
from intercode.agents.human import HumanAgent
from intercode.agents.model_agents.model_agent import ModelAgent
from intercode.agents.oracle import OracleAgent
from intercode.agents.plan_solve import PlanSolveAgent
from intercode.agents.react import ReactAgent
from intercode.agents.replay import ReplayAgent
from intercode.agents.scripted import ScriptedAgent
from intercode.agents.single_turn import SingleTurnAgent
from intercode.agents.tool_use import ToolUseAgent
from intercode.agents.tree_search import TreeSearchAgent
from intercode.agents.try_again import TryAgainAgent
from intercode.models.scripted import ScriptedModel
from intercode.testing.agent import AgentContract
from intercode.types import Action, Observation, TaskView, Trajectory, Turn
from intercode.types.trajectories import dumps


class TestOracle(AgentContract):
    name = "oracle"

    @pytest.fixture
    def agent(self) -> Agent:
        return OracleAgent()


class TestScripted(AgentContract):
    name = "scripted"

    @pytest.fixture
    def agent(self, tmp_path: Path) -> Agent:
        script = tmp_path / "script.json"
        script.write_text(json.dumps({"moves": {"contract/1": ["ls", "echo hi", "submit"]}}))
        return ScriptedAgent(script=str(script))


class TestReplay(AgentContract):
    name = "replay"

    @pytest.fixture
    def agent(self, tmp_path: Path, task: TaskView) -> Agent:
        turns = (Turn(Action("execute", "ls"), Observation("")), Turn(Action("submit"), Observation("")))
        (tmp_path / "episodes.jsonl").write_text(dumps(Trajectory(task, "test", "submitted", turns)) + "\n")
        return ReplayAgent(file=str(tmp_path))


class TestHuman(AgentContract):
    name = "human"

    @pytest.fixture
    def agent(self, tmp_path: Path) -> Agent:
        agent = HumanAgent(history=str(tmp_path / "history"))
        agent.ask = lambda prompt: "submit"
        return agent


REPLIES = ["Look.\n```bash\nls\n```", "nothing of use", "Action: submit", "submit"]


class ModelAgentContract(AgentContract):
    """All of them with a model that says what a file has."""

    kind: type[ModelAgent]

    @pytest.fixture
    def agent(self, tmp_path: Path) -> Agent:
        replies = tmp_path / "replies.json"
        replies.write_text(json.dumps({"replies": {"": self.replies()}}))
        return self.kind(model=ScriptedModel(str(replies)))

    def replies(self) -> list[Any]:
        return REPLIES


class TestSingleTurn(ModelAgentContract):
    name, kind = "single-turn", SingleTurnAgent


class TestTryAgain(ModelAgentContract):
    name, kind = "try-again", TryAgainAgent


class TestReact(ModelAgentContract):
    name, kind = "react", ReactAgent


class TestPlanSolve(ModelAgentContract):
    name, kind = "plan-solve", PlanSolveAgent


class TestTreeSearch(ModelAgentContract):
    name, kind = "tree-search", TreeSearchAgent


class TestToolUse(ModelAgentContract):
    name, kind = "tool-use", ToolUseAgent

    def replies(self) -> list[Any]:
        return ["words", {"tool": "run_command", "arguments": {"command": "ls"}}, {"tool": "fly"}, {"tool": "submit"}]
