"""Parsers are total functions: whatever a model writes, they read an action in it or none, and they do it soon."""

from __future__ import annotations

from collections.abc import Sequence
from json import dumps
from time import process_time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from intercode import registry
from intercode.agents import parsers
from intercode.agents.model_agents.model_agent import ModelAgent
from intercode.agents.parsers.parsed_reply import ParsedReply
from intercode.agents.tool_use import ToolUseAgent
from intercode.errors import UserError
from intercode.types import Action, Observation, TaskView
from intercode.types.conversation import Message, Reply, Tool, ToolCall

WORLDS = ("bash", "ctf", "python", "sql", "swe")

PIECES = (
    *("```", "```bash\n", "```sql\n", "~~~", "~~~~ {.python}\n", "\n", " ", ";", "$ ", "`", "**", "#"),
    *("SQL: ", "sql: ", "SELECT", "DESC", "bash: ", "Bash: ", "command:", "Command:", "\\_", "def ", "     "),
    *(
        "Thought: ",
        "Action 1: ",
        "\nAction: ",
        "execute[",
        "submit[",
        "]",
        "submit",
        "skip",
        "flag{a}",
        "\nObservation:",
    ),
    *("<think>", "</think>", "<thinking>", "1 \u00b2\u0663", "\ud800", "\0", "\u2028", "\x85", "\r\n", "İ", "\x1b[2J"),
)
"""What parsers look for, and what trips them up."""

replies = st.one_of(st.text(st.characters()), st.lists(st.sampled_from(PIECES) | st.text(max_size=3)).map("".join))


def strategies() -> list[str]:
    """Of all agents that read a model's text."""
    agents = (registry.find("agents", name) for name in registry.names("agents"))
    return sorted({agent.strategy for agent in agents if issubclass(agent, ModelAgent)})


def every_parser() -> dict[str, parsers.Parser]:
    """By its name, its strategy and its world."""
    found = {}
    for name in parsers.PARSERS:
        for strategy in strategies():
            for world in WORLDS:
                try:
                    found[f"{name} {strategy} {world}"] = parsers.choose(name, strategy, world)
                except UserError:  # nothing was published for these
                    assert name == "paper"
    return found


EVERY = every_parser()


def test_there_are_parsers_for_all_agents_and_worlds() -> None:
    assert len([name for name in EVERY if name.startswith("default")]) == len(strategies()) * len(WORLDS)
    assert len([name for name in EVERY if name.startswith("paper")]) >= 10


@given(replies)
@example("SQL: ")
@example("Command:")
@example("submit\n" * 3)
def test_any_reply_is_read_by_every_parser(reply: str) -> None:
    for name, parse in EVERY.items():
        parsed = parse(reply)
        assert isinstance(parsed, ParsedReply), name
        assert isinstance(parsed.thought, str), name
        assert parsed.action is None or isinstance(parsed.action, Action), name


@pytest.mark.parametrize("piece", PIECES)
def test_long_replies_are_read_in_a_time_that_grows_with_their_length(piece: str) -> None:
    """100 000 of anything take some milliseconds; where each looked at all others it would be minutes."""
    reply = piece * 100_000
    for name, parse in EVERY.items():
        begun = process_time()
        parse(reply)
        assert process_time() - begun < 5, name


class Calls:
    """A model that answers with one call of a tool."""

    def __init__(self, name: str, arguments: str) -> None:
        self.call = ToolCall("call_0", name, arguments)

    def complete(self, messages: Sequence[Message], *, tools: Sequence[Tool] = (), seed: int | None = None) -> Reply:
        return Reply("", (self.call,))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["query", "command", "x"]), inner),
)


DEEP = [
    prefix + bracket * depth for depth in (90, 900, 990, 100_000) for prefix in ("", '{"query": ') for bracket in "[{"
]
DEEP += [f'{{"command": {"[" * depth}{"]" * depth}}}' for depth in (*range(80, 110), *range(900, 1000, 3), 5000)]


@given(st.sampled_from(WORLDS), st.sampled_from(["run_command", "run_query", "run_python", "submit", ""]), st.data())
def test_any_arguments_of_a_call_are_read(world: str, name: str, data: st.DataObject) -> None:
    arguments = data.draw(st.text(st.characters()) | json_values.map(dumps) | st.sampled_from(DEEP), label="arguments")
    agent = ToolUseAgent(model=Calls(name, arguments))
    agent.reset(TaskView("t/1", "Do.", world), seed=0)
    assert isinstance(agent.act(Observation("Do."), 0.0), Action)
