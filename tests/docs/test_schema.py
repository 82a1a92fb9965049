"""The published JSON Schema is the one of today, and what is played keeps to it, no field more."""

from __future__ import annotations

import json
import runpy
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from canned_model import CannedModel
from intercode import datasets
from intercode.agents.tool_use import ToolUseAgent
from intercode.runs.episode import EpisodeRun
from intercode.types import Action, Observation, Trajectory, Trial, trajectories
from intercode.types.conversation import Reply, Tokens, ToolCall, Usage
from intercode.worlds.bash import BashEnv

jsonschema = pytest.importorskip("jsonschema")

SCRIPT = Path(__file__).parents[2] / "scripts/schema.py"


@pytest.fixture
def schema() -> Any:
    """As published."""
    return json.loads(runpy.run_path(str(SCRIPT))["FILE"].read_text())


def strict(schema: Any) -> Any:
    """The same, for which a field that it does not name is an error."""
    closed = deepcopy(schema)
    for part in closed["$defs"].values():
        part["additionalProperties"] = False
    return closed


def errors(schema: Any, value: Any, part: str = "Trajectory") -> Iterator[str]:
    """What is wrong with *value*."""
    validator = jsonschema.Draft202012Validator({**schema, "$ref": f"#/$defs/{part}"})
    yield from (f"{error.json_path}: {error.message}" for error in validator.iter_errors(value))


def played() -> Trajectory:
    """A real episode in which a model called tools."""
    data = datasets.load("starter")
    task = next(task for task in data if task.gold)
    tokens = Tokens(("a",), (1,), (-0.5,), (2, 3))
    run = Reply("", (ToolCall("1", "run_command", json.dumps({"command": task.gold})),), "hm", tokens=tokens)
    end = Reply("Done.", (ToolCall("2", "submit", "{}"),), usage=Usage(1, 2, 0, None))
    env = BashEnv(data)
    try:
        return EpisodeRun(env, ToolUseAgent(model=CannedModel(run, end)), task, name="tool-use").play()
    finally:
        env.close()


def test_the_published_schema_is_the_one_of_today() -> None:
    made = runpy.run_path(str(SCRIPT))
    assert made["FILE"].read_text() == made["text"](), "run scripts/schema.py"


def test_a_real_trajectory_keeps_to_the_schema_and_comes_back(schema: Any) -> None:
    episode = played()
    assert episode.success("exact")
    assert list(errors(strict(schema), episode.as_dict())) == []
    assert json.loads(json.dumps(episode.as_dict())) == episode.as_dict()
    assert trajectories.from_json(episode.as_dict()) == episode


def test_parts_keep_to_their_part_of_the_schema(schema: Any) -> None:
    episode = played()
    turn = episode.turns[-1]
    assert turn.scores is not None
    trial = Trial(Action("execute", "ls"), Observation("a"), 0.5)
    parts: list[Any] = [episode.task, turn, turn.action, turn.observation, turn.scores["exact"], trial, *turn.calls]
    for part in parts:
        assert list(errors(strict(schema), part.as_dict(), type(part).__name__)) == []


def test_what_environments_tell_besides_keeps_to_it(schema: Any) -> None:
    with BashEnv() as env:
        for info in (env.reset(seed=1)[1], env.step("true")[4], env.step("submit")[4]):
            plain = env.info_dict(info)
            assert list(errors(strict(schema), plain, "InfoDict")) == []
            assert json.loads(json.dumps(plain)) == plain
        assert plain["scores"]["exact"]["value"] == 0.0


def test_a_trajectory_of_another_shape_does_not(schema: Any) -> None:
    wrong = played().as_dict()
    wrong["status"], wrong["turns"][0]["reward"] = "won", "much"
    found = list(errors(schema, wrong))
    assert [each.partition(":")[0] for each in sorted(found)] == ["$.status", "$.turns[0].reward"]
