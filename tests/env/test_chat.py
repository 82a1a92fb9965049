"""Tools and messages of an environment: what a model that calls functions is told, in OpenAI's form."""

from __future__ import annotations

import json
from typing import Any

import pytest
from gymnasium.error import ResetNeeded

import intercode
from canned_model import CannedModel
from intercode.agents.tool_use import ToolUseAgent
from intercode.env.env import Env
from intercode.models.core.chat_protocol import messages_to_json, tools_to_json
from intercode.runs.episode import EpisodeRun
from intercode.types import Action, Observation
from intercode.types.conversation import Reply, ToolCall
from intercode.worlds import WorldSpec

ACTIONS = {
    "starter": ("run_command", "command"),
    "starter-sql": ("run_query", "query"),
    "starter-python": ("run_python", "code"),
    "starter-ctf": ("run_command", "command"),
    "starter-swe": ("run_command", "command"),
}


def function(tools: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(tool["function"] for tool in tools if tool["function"]["name"] == name)


@pytest.mark.parametrize("dataset", ACTIONS)
def test_each_world_has_its_tools(dataset: str) -> None:
    name, argument = ACTIONS[dataset]
    with intercode.make(dataset) as env:
        tools = env.tools()
        assert [tool["function"]["name"] for tool in tools] == [name, "submit", "skip"]
        assert all(tool["type"] == "function" and tool["function"]["description"] for tool in tools)
        parameters = function(tools, name)["parameters"]
        assert parameters == {"type": "object", "properties": {argument: {"type": "string"}}, "required": [argument]}
        answered = function(tools, "submit")["parameters"]["properties"]
        assert set(answered) == ({"answer"} if env.world_spec.answer else set())
        assert env.read_call(name, json.dumps({argument: "x"})) == Action("execute", "x")
        assert env.read_call("skip", "") == Action("skip")


def test_calls_that_cannot_be_made_are_turns_in_which_nothing_runs() -> None:
    with intercode.make("starter") as env:
        for name, arguments in (("run_command", "{"), ("run_command", "[]"), ("run_command", "{}"), ("rm", "{}")):
            action = env.read_call(name, arguments)
            assert action.kind == "nothing"
            assert "nothing was run" in action.text.lower()


def test_the_messages_are_those_that_the_agent_tool_use_sends() -> None:
    """But for numbers of calls, and skip, which it does not offer."""
    run = Reply("", (ToolCall("call_0", "run_command", json.dumps({"command": "echo a"})),))
    quiet = Reply("", (ToolCall("call_1", "run_command", json.dumps({"command": "true"})),))
    end = Reply("", (ToolCall("call_2", "submit", "{}"),))
    model = CannedModel(run, quiet, end)
    with intercode.make("starter") as env:
        EpisodeRun(env, ToolUseAgent(model=model), env.dataset[0]).play()
        messages = env.messages()
        assert messages[:-2] == messages_to_json(model.asked[-1])
        assert [message["role"] for message in messages[-2:]] == ["assistant", "tool"]
        assert env.tools()[:2] == tools_to_json(model.tools)


def test_nothing_is_a_message_of_the_user_and_an_answer_is_in_the_call() -> None:
    with intercode.make("starter-ctf", attempts=2) as env:
        with pytest.raises(ResetNeeded):
            env.messages()
        env.reset()
        env.take_action(Action("nothing", "Call something."))
        env.step("submit flag{no}")
        *_, empty, hint, call, result = env.messages()
        assert (empty["role"], hint) == ("assistant", {"role": "user", "content": "Call something."})
        assert json.loads(call["tool_calls"][0]["function"]["arguments"]) == {"answer": "flag{no}"}
        assert result["tool_call_id"] == call["tool_calls"][0]["id"]
        json.dumps(env.messages())


def test_a_world_without_prompts_has_tools_and_messages() -> None:
    class BareEnv(Env):
        world_spec = WorldSpec("bash", tool="say", tool_argument="words")

        def execute(self, text: str) -> Observation:
            return Observation(text)

    BareEnv.world_spec = WorldSpec("bare", tool="say", tool_argument="words")
    with BareEnv("starter", sandbox="scripted") as env:
        assert [tool["function"]["name"] for tool in env.tools()] == ["say", "submit", "skip"]
        env.reset(options={"task": 0})
        assert [message["role"] for message in env.messages()][-1] == "user"
