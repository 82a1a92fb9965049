"""Golds in the words of the agent that will be evaluated: what it would have been asked, and would have said."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from sample_trajectories import episode, run, turn

from intercode import registry
from intercode.errors import UserError
from intercode.report import exports
from intercode.report.export import RunData
from intercode.report.rephrase import Rephraser
from intercode.types import Observation, Trajectory
from intercode.types.conversation import Message, Reply, Tool

GOLD = episode("t/1", 1.0, turn("ls /shop", "a.txt\n"), turn("submit", exit_code=None, value=1.0), agent="oracle")
AGENTS = ("single-turn", "try-again", "react", "plan-solve", "tool-use", "compact")


class Recorder:
    """Answers as an episode did, and records what it was asked."""

    def __init__(self, replies: Sequence[Reply]) -> None:
        self.replies, self.asked = list(replies), list[tuple[Message, ...]]()

    def complete(self, messages: Sequence[Message], *, tools: Sequence[Tool] = (), seed: int | None = None) -> Reply:
        self.asked.append(tuple(messages))
        return self.replies.pop(0)


def rephrased(agent: str, gold: Trajectory = GOLD) -> Trajectory:
    found = Rephraser(agent, "exact").rephrase(gold)
    assert found is not None
    return found


@pytest.mark.parametrize("agent", AGENTS)
def test_a_gold_is_the_conversation_that_the_agent_has_when_a_model_says_the_same(agent: str) -> None:
    """Played by the agent itself, each question is the one that stands in the exported conversation."""
    found = rephrased(agent)
    calls = [call for each in found.turns for call in each.calls]
    model = Recorder([call.reply for call in calls])
    player = registry.find("agents", agent)(model=model)
    player.reset(GOLD.task, seed=0)
    shown, actions = Observation(GOLD.task.query), []
    for each in GOLD.turns:
        actions.append(player.act(shown, 1.0 if each.action.kind == "submit" else 0.0))
        shown = each.observation
    assert [action.kind for action in actions] == ["execute", "submit"]
    assert actions[0].text == "ls /shop"
    assert [len(asked) for asked in model.asked] == [call.kept + len(call.sent) for call in calls]
    assert calls[0].sent == model.asked[0]
    assert found.scores == GOLD.scores


def test_what_is_exported_is_read_as_any_conversation_with_a_loss_mask(tmp_path: Path) -> None:
    stored = run(tmp_path / "run", [GOLD])
    data = RunData("run", stored.manifest, (rephrased("compact"),), "exact")
    exports.find("openai").write(data, tmp_path / "out.jsonl")
    (line,) = [json.loads(each) for each in (tmp_path / "out.jsonl").read_text().splitlines()]
    system, query, code, seen, handed_in = line["messages"]
    assert system["role"] == "system"
    assert len(system["content"].split()) < 20
    assert query == {"role": "user", "content": "Do t/1."}
    assert code == {"role": "assistant", "content": "```bash\nls /shop\n```", "weight": 1}
    assert seen == {"role": "user", "content": "a.txt"}
    assert handed_in == {"role": "assistant", "content": "submit", "weight": 1}


def test_functions_are_exported_with_their_calls(tmp_path: Path) -> None:
    stored = run(tmp_path / "run", [GOLD])
    data = RunData("run", stored.manifest, (rephrased("tool-use"),), "exact")
    exports.find("openai").write(data, tmp_path / "out.jsonl")
    line = json.loads((tmp_path / "out.jsonl").read_text())
    assert [tool["function"]["name"] for tool in line["tools"]] == ["run_command", "submit"]
    assert json.loads(line["messages"][2]["tool_calls"][0]["function"]["arguments"]) == {"command": "ls /shop"}


def test_what_the_agent_could_not_have_played_is_left_out() -> None:
    looked = episode("t/2", 1.0, turn("ls", "a"), turn("cat a", "b"), turn("submit", exit_code=None, value=1.0))
    fenced = episode("t/3", 1.0, turn("echo '\n```\n'", "b"), turn("submit", exit_code=None, value=1.0))
    failed = episode("t/4", 0.5, turn("ls", "a"), turn("submit", exit_code=None, value=0.5))
    assert Rephraser("single-turn", "exact").rephrase(looked) is None
    assert Rephraser("react", "exact").rephrase(looked) is not None
    assert Rephraser("react", "exact").rephrase(fenced) is None
    assert Rephraser("try-again", "exact").rephrase(failed) is None


@pytest.mark.parametrize("agent", ["oracle", "tree-search", "human"])
def test_agents_that_have_no_such_words_are_refused(agent: str) -> None:
    with pytest.raises(UserError, match=f"--as {agent}: choose an agent that asks a model"):
        Rephraser(agent, "exact")
