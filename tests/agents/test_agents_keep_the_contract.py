"""Our agents keep the contract; agents broken on purpose do not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from intercode.agents.base import Agent
from intercode.agents.human import HumanAgent
from intercode.agents.oracle import OracleAgent
from intercode.agents.replay import ReplayAgent
from intercode.agents.scripted import ScriptedAgent
from intercode.testing.agent import AgentContract
from intercode.trajectories import dumps
from intercode.types import Action, Observation, TaskView, Trajectory, Turn


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
