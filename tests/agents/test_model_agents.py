"""Agents that ask a model: what each strategy says, and does with what it is told."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from intercode import registry, world_specs
from intercode.agents.base import BranchResult
from intercode.agents.model_agents.message_history import LEFT_OUT, MessageHistory, truncate_messages
from intercode.agents.model_agents.model_agent import ModelAgent
from intercode.agents.plan_solve import PlanSolveAgent
from intercode.agents.react import ReactAgent
from intercode.agents.single_turn import SingleTurnAgent
from intercode.agents.tool_use import ToolUseAgent
from intercode.agents.tree_search import TreeSearchAgent
from intercode.agents.try_again import TryAgainAgent
from intercode.errors import BadDataError, ContextOverflowError, UnknownNameError, UserError
from intercode.types import Action, Observation, TaskView, Trajectory, Turn
from intercode.types.conversation import Message, ModelCall, Reply, Tool, ToolCall, Usage, conversations
from intercode.types.trajectories import dumps
from intercode.world_specs import prompts
from intercode.world_specs.tools import read_call

TASK = TaskView("toy/1", "How many files are there?", "bash")
LS = Action("execute", "ls")
ASKED = Observation(TASK.query)

STRATEGIES = ["single_turn", "try_again", "react", "plan_solve", "tool_use", "tree_search", "compact"]


class Sayer:
    """A model that says one thing after the other, and can read `room` characters."""

    def __init__(self, *says: str | Reply, room: int = 10**9) -> None:
        self.says, self.room = list(says), room
        self.asked: list[tuple[Message, ...]] = []
        self.seeds: list[int | None] = []

    def complete(self, messages: Sequence[Message], *, tools: Sequence[Tool] = (), seed: int | None = None) -> Reply:
        if sum(len(message.text) for message in messages) > self.room:
            raise ContextOverflowError("too long")
        self.asked.append(tuple(messages))
        self.seeds.append(seed)
        said = self.says.pop(0)
        return said if isinstance(said, Reply) else Reply(said)


def begun(agent: ModelAgent, task: TaskView = TASK) -> ModelAgent:
    agent.reset(task, seed=3)
    return agent


def code(text: str) -> str:
    return f"```bash\n{text}\n```"


def test_single_turn_asks_once_runs_and_hands_in() -> None:
    model = Sayer(code("ls"))
    agent = begun(SingleTurnAgent(model=model))
    assert [agent.act(ASKED, 0.0), agent.act(Observation("a"), 0.0)] == [LS, Action("submit")]
    assert len(model.asked) == 1


def test_single_turn_runs_no_prose_but_hands_in_all_the_same() -> None:
    agent = begun(SingleTurnAgent(model=Sayer("There are three files.")))
    assert agent.act(ASKED, 0.0).kind == "nothing"
    assert agent.act(Observation("No code was found."), 0.0) == Action("submit")
    assert begun(SingleTurnAgent(model=Sayer("ls"), parser="bare")).act(ASKED, 0.0) == LS


def test_a_program_that_has_functions_is_not_handed_in_as_the_name_of_one() -> None:
    """The world takes what was run last, and finds the function in it where one is wanted."""
    program = "def solve():\n    print(input())\nsolve()"
    agent = begun(SingleTurnAgent(model=Sayer(f"```python\n{program}\n```")), TaskView("p/1", "?", "python"))
    assert agent.act(ASKED, 0.0) == Action("execute", program)
    assert agent.act(Observation("EOFError", 1), 0.0) == Action("submit")


@pytest.mark.parametrize(
    ("shown", "flag"),
    [
        ("bag: intercode{a b-c}, flag{d}\n", "intercode{a b-c}"),
        ("no such file", ""),
        ("{} f{}", ""),
        ("{x{y}}", "x{y}"),
    ],
)
def test_single_turn_hands_in_the_flag_that_its_command_shows(shown: str, flag: str) -> None:
    agent = begun(SingleTurnAgent(model=Sayer(code("cat f"))), TaskView("c/1", "?", "ctf"))
    agent.act(ASKED, 0.0)
    assert agent.act(Observation(shown, 0), 0.0) == Action("submit", flag)


def test_try_again_is_told_the_reward_until_it_is_1() -> None:
    model = Sayer(code("ls"), "let me think", code("ls"))
    agent = begun(TryAgainAgent(model=model))
    assert agent.sees_reward
    actions = [agent.act(ASKED, 0.0), agent.act(Observation("a b"), 0.34), agent.act(Observation("No code"), 0.0)]
    assert [action.kind for action in actions] == ["execute", "nothing", "execute"]
    assert "a b" in model.asked[1][-1].text
    assert "Reward: 0.34" in model.asked[1][-1].text
    assert "```bash" in actions[1].text
    assert agent.act(Observation("2"), 1.0) == Action("submit")


def test_react_keeps_thought_action_and_the_calls_of_a_turn() -> None:
    agent = begun(
        ReactAgent(model=Sayer(Reply("Thought: look\nAction: execute[ls]", reasoning="hm"), "Action: submit"))
    )
    assert agent.act(ASKED, 0.0) == LS
    assert agent.thought == "hm\n\nlook"
    first = agent.calls
    assert agent.act(Observation("a"), 0.0) == Action("submit")
    (opening, _), (question, reply) = conversations([*first, *agent.calls])
    assert question[:2] == opening
    assert question[3].text == "Observation: a"
    assert reply.text == "Action: submit"
    assert agent.calls[0].kept == 3


def test_plan_and_solve_makes_a_plan_does_its_steps_and_refines() -> None:
    plan = "My plan:\n1. Look around\n   carefully.\n2) Count\n"
    model = Sayer(plan, code("ls"), code("ls | wc -l"), code("ls -A | wc -l"))
    agent = begun(PlanSolveAgent(model=model, refine="1"))
    actions = [agent.act(ASKED, 0.0), *(agent.act(Observation("seen"), 0.5) for _ in range(3))]
    assert [str(action) for action in actions] == ["ls", "ls | wc -l", "ls -A | wc -l", "submit"]
    assert "Look around\n   carefully." in model.asked[1][-1].text
    assert "Count" in model.asked[2][-1].text
    assert "seen" in model.asked[2][-1].text
    assert "Reward: 0.5" in model.asked[3][-1].text


def test_plan_and_solve_without_steps_takes_the_plan_as_one() -> None:
    agent = begun(PlanSolveAgent(model=Sayer("Just count them.", code("ls"))))
    assert [agent.act(ASKED, 0.0), agent.act(Observation("a"), 0.0)] == [LS, Action("submit")]


def called(name: str, arguments: str) -> Reply:
    return Reply("", (ToolCall("c1", name, arguments),))


@pytest.mark.parametrize(
    ("reply", "action"),
    [
        (called("run_command", '{"command": "ls"}'), LS),
        (called("submit", "{}"), Action("submit")),
        (called("submit", ""), Action("submit")),
        (called("run_command", '{"command": '), None),
        (called("run_command", "[1]"), None),
        (called("run_command", '{"cmd": "ls"}'), None),
        (called("fly", '{"command": "ls"}'), None),
        (Reply("I would rather talk."), None),
    ],
)
def test_tool_calls_are_actions_and_broken_ones_are_explained(reply: Reply, action: Action | None) -> None:
    agent = begun(ToolUseAgent(model=Sayer(reply)))
    done = agent.act(ASKED, 0.0)
    if action is None:
        assert done.kind == "nothing"
        assert done.text
    else:
        assert done == action


def test_every_tool_call_gets_its_answer() -> None:
    calls = tuple(ToolCall(f"c{number}", "run_command", '{"command": "ls"}') for number in (1, 2))
    model = Sayer(Reply("", calls), called("submit", "{}"))
    agent = begun(ToolUseAgent(model=model))
    agent.act(ASKED, 0.0)
    agent.act(Observation("a b"), 0.0)
    assert [(m.role, m.tool_call_id, m.text[:7]) for m in model.asked[1][-2:]] == [
        ("tool", "c1", "a b"),
        ("tool", "c2", "Not run"),
    ]


def test_the_functions_that_a_model_may_call_are_recorded_once() -> None:
    agent = begun(ToolUseAgent(model=Sayer(called("run_command", '{"command": "ls"}'), called("submit", "{}"))))
    recorded: list[ModelCall] = []
    for observation in (ASKED, Observation("a b")):
        agent.act(observation, 0.0)
        recorded += agent.calls
    first, second = (each.tools for each in recorded)
    assert [tool.name for tool in first] == ["run_command", "submit"]
    assert first[0].parameters["required"] == ["command"]
    assert second == ()


class Outcomes:
    """Branches in which an action is worth its length."""

    def try_out(self, actions: Sequence[Action]) -> tuple[BranchResult, ...]:
        self.tried = list(actions)
        return tuple(BranchResult(Observation(f"did {action}"), len(action.text) / 10, False) for action in actions)


@pytest.mark.parametrize(
    ("judge", "vote", "taken"), [("vote", ["Number 1."], "ls"), ("reward", [], "ls -la"), ("vote", ["?"], "ls")]
)
def test_tree_search_tries_different_actions_and_takes_the_best(judge: str, vote: list[str], taken: str) -> None:
    model = Sayer(code("ls"), code("ls -la"), code("ls"), *vote)
    agent = begun(TreeSearchAgent(model=model, judge=judge))
    agent.branches = outcomes = Outcomes()
    assert str(agent.act(ASKED, 0.0)) == taken
    assert [str(action) for action in outcomes.tried] == ["ls", "ls -la"]
    assert len(set(model.seeds)) == len(model.seeds)
    assert [trial.chosen for trial in agent.trials] == [taken == "ls", taken == "ls -la"]
    assert (agent.trials[0].reward is None) == (judge == "vote")
    if vote:
        assert "did ls -la" in model.asked[-1][-1].text
    assert agent.dialogue.messages[-1].text == code(taken)


def test_a_conversation_that_is_too_long_loses_its_oldest_observations() -> None:
    model = Sayer(*[code("ls")] * 9, room=6000)
    agent = begun(ReactAgent(model=model))
    agent.act(ASKED, 0.0)
    for number in range(6):
        assert agent.act(Observation(f"{number} " + "x" * 1500), 0.0) == LS
    texts = [message.text for message in model.asked[-1]]
    assert "5 xxx" in texts[-1]
    assert sum(LEFT_OUT in text for text in texts) >= 3
    assert texts[1].endswith(TASK.query)


def test_when_nothing_is_left_to_leave_out_it_hands_in() -> None:
    agent = begun(ReactAgent(model=Sayer(room=10)))
    assert agent.act(ASKED, 0.0) == Action("submit")


def test_the_papers_dialogue_limit_keeps_the_opening_and_the_last_messages() -> None:
    model = Sayer(*[code("ls")] * 6)
    agent = begun(TryAgainAgent(model=model, dialogue_limit="3"))
    agent.act(ASKED, 0.0)
    for number in range(5):
        agent.act(Observation(f"seen {number}"), 0.0)
    assert [message.role for message in model.asked[-1]] == ["system", "user", "user", "assistant", "user"]
    assert "seen 4" in model.asked[-1][-1].text


def test_a_limited_dialogue_never_begins_with_the_answer_to_a_call_that_is_gone() -> None:
    dialogue = MessageHistory(limit=1, opening=2)
    for role in ("system", "user", "assistant", "tool"):
        dialogue.add(Message(role, role))
    assert [message.role for message in dialogue.question()] == ["system", "user"]


def test_long_observations_are_cut_in_the_middle() -> None:
    assert truncate_messages("x" * 50 + "y" * 50, 30).startswith("x" * 20 + "\n… (70 characters")
    assert truncate_messages("short", 30) == "short"


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("world", ["bash", "sql", "python", "ctf", "swe"])
def test_there_is_a_prompt_for_every_strategy_and_world(strategy: str, world: str) -> None:
    kind = registry.find("agents", strategy)
    prompt = prompts.find(strategy, world)
    prompt.require(kind.parts)
    assert "{{query}}" in prompt.parts["first"]
    assert set(prompt.parts) == set(kind.parts)
    said = "\n".join(prompt.parts.values())
    assert ("submit FLAG" in said) is (world == "ctf" and strategy not in ("single_turn", "tool_use"))
    assert ("{{reward}}" in said) is (strategy in ("try_again", "plan_solve"))


@pytest.mark.parametrize("world", ["bash", "ctf", "swe"])
@pytest.mark.parametrize("strategy", ["single_turn", "try_again", "react", "plan_solve", "tool_use", "tree_search"])
def test_what_stays_between_commands_is_told_as_it_is(strategy: str, world: str) -> None:
    prompts = {}
    for shell in ("fresh", "persistent"):
        agent = registry.find("agents", strategy)(model=(model := Sayer("1. Look.", "submit", "submit")))
        agent.shell = shell
        begun(agent, TaskView("toy/1", "?", world)).act(ASKED, 0.0)
        prompts[shell] = model.asked[0][0].text
    assert "variables do not" not in prompts["persistent"]
    if strategy != "single_turn" or world == "bash":
        assert "variables do not" in prompts["fresh"]
        assert "in one shell" in prompts["persistent"]


def test_a_prompt_of_ones_own_is_used(tmp_path: Path) -> None:
    file = tmp_path / "mine.md"
    file.write_text("## system\nBe brief.\n## first\nQ: {{query}}\n## next\n{{observation}}\n## no code\nCode!\n")
    model = Sayer("x")
    agent = begun(ReactAgent(model=model, prompt=str(file)))
    assert agent.act(Observation("{{observation}}"), 0.0) == Action("nothing", "Code!")
    assert [message.text for message in model.asked[0]] == ["Be brief.", "Q: {{observation}}"]


@pytest.mark.parametrize(("text", "says"), [("## system\nx", "'## first'"), ("## first\n{{qery}}", "qery")])
def test_a_prompt_that_will_not_do_is_refused_at_the_door(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "mine.md"
    file.write_text(text)
    with pytest.raises(BadDataError, match=says):
        ReactAgent(model=Sayer(), prompt=str(file)).check([TASK])


def test_a_world_without_prompt_is_refused_with_the_way_out() -> None:
    with pytest.raises(UserError, match="--prompt FILE"):
        ReactAgent(model=Sayer()).check([TaskView("x/1", "?", "chess")])


def test_demonstrations_are_shown_but_never_of_the_task_itself(tmp_path: Path) -> None:
    turns = (Turn(LS, Observation("a\n"), thought="look"), Turn(Action("submit"), Observation("a\n"), thought="done"))
    tasks = [TASK, TaskView("toy/2", "Which files?", "bash"), TaskView("toy/3", "Which tables?", "sql")]
    file = tmp_path / "demos.jsonl"
    file.write_text("".join(dumps(Trajectory(task, "x", "submitted", turns)) + "\n" for task in tasks))
    model = Sayer("Action: submit")
    begun(ReactAgent(model=model, demos=str(file))).act(ASKED, 0.0)
    first, *rest = model.asked[0]
    assert [(message.role, message.text) for message in rest] == [
        ("user", "Request: Which files?"),
        ("assistant", "Thought: look\nAction:\n```bash\nls\n```"),
        ("user", "Observation: a"),
        ("assistant", "Thought: done\nAction: submit"),
        ("user", f"Request: {TASK.query}"),
    ]
    assert [message.is_example for message in rest] == [True] * 4 + [False]
    assert "1 examples" not in first.text
    assert "First comes an example of another request" in first.text


def test_under_the_papers_parser_demonstrations_are_text_as_the_paper_had_them(tmp_path: Path) -> None:
    turns = (Turn(LS, Observation("a\n"), thought="look"), Turn(Action("submit"), Observation("a\n")))
    file = tmp_path / "demos.jsonl"
    file.write_text(dumps(Trajectory(TaskView("toy/2", "Which files?", "bash"), "x", "submitted", turns)) + "\n")
    model = Sayer("Action: submit")
    begun(ReactAgent(model=model, demos=str(file), parser="paper")).act(ASKED, 0.0)
    example = "### Example 1\nRequest: Which files?\nThought: look\nAction: execute[ls]\nObservation: a\nThought: …\n"
    assert model.asked[0][0].text.endswith(f"{example}Action: submit")
    assert len(model.asked[0]) == 2


@pytest.mark.parametrize("world", ["bash", "sql", "python", "ctf", "swe", "harbor"])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_there_are_demonstrations_of_ours_for_every_world_in_the_form_that_is_asked_for(
    strategy: str, world: str
) -> None:
    """What an agent is shown, it would read as the very actions that were taken."""
    model = Sayer("submit", "submit", "submit")
    agent = begun(registry.find("agents", strategy)(model=model, demos="starter"), TaskView("x/1", "What?", world))
    agent.act(Observation("What?"), 0.0)
    shown = [message for message in model.asked[0] if message.is_example]
    replies = [message for message in shown if message.role == "assistant"]
    assert replies
    assert shown[0].role == "user"
    assert shown[-1].role == ("tool" if strategy == "tool_use" else "assistant")
    if strategy == "tool_use":
        calls = [call for message in replies for call in message.tool_calls]
        assert len(calls) == len(replies)
        assert all(read_call(world_specs.find(world), call, agent._tools).kind != "nothing" for call in calls)  # type: ignore[attr-defined]
    elif strategy != "plan_solve":
        assert all(agent.parse(Reply(message.text)).action for message in replies)


@pytest.mark.parametrize("world", ["bash", "sql", "python", "ctf", "swe", "harbor", "generic"])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_prompt_holds_a_placeholder_that_a_model_could_copy(strategy: str, world: str) -> None:
    prompt = prompts.read(prompts.FOLDER / f"{strategy}.md") if world == "generic" else prompts.find(strategy, world)
    said = "\n".join(prompt.parts.values())
    assert not re.search("…|what you know by now|why it is done", said)


def test_with_a_dialogue_limit_demonstrations_stay() -> None:
    model = Sayer(*[f"Thought: {n}\nAction:\n{code('ls')}" for n in range(9)])
    agent = begun(ReactAgent(model=model, demos="starter", dialogue_limit="2"))
    for _ in range(4):
        agent.act(Observation("a"), 0.0)
    examples = [sum(message.is_example for message in asked) for asked in model.asked]
    assert len(set(examples)) == 1
    assert examples[0] > 0
    assert len(model.asked[-1]) == 2 + examples[0] + 2


@pytest.mark.parametrize(
    "options", [{"dialogue_limit": "x"}, {"observation_limit": "-1"}, {"parser": "x"}, {"no_such": "1"}]
)
def test_options_that_will_not_do_are_named(options: dict[str, Any]) -> None:
    with pytest.raises(UserError, match=next(iter(options))):
        ReactAgent(model=Sayer(), **options).check([TASK])


def test_without_a_model_it_says_how_to_name_one() -> None:
    with pytest.raises(UserError, match="--model"):
        ReactAgent()


def test_two_episodes_with_the_same_seed_ask_with_the_same_seeds() -> None:
    seeds = []
    for _ in range(2):
        model = Sayer(code("ls"), code("ls"))
        agent = begun(ReactAgent(model=model))
        agent.act(ASKED, 0.0)
        agent.act(ASKED, 0.0)
        seeds.append(model.seeds)
    assert seeds[0] == seeds[1]
    assert len(set(seeds[0])) == 2


def test_an_option_that_an_agent_lacks_is_refused_with_those_that_it_has() -> None:
    """Its own and those of all agents that ask a model; the model is none of them."""
    with pytest.raises(UnknownNameError, match=r"has no option called 'refined'; there are: .*") as refused:
        PlanSolveAgent(model=Sayer(), refined="1")
    listed, _, hint = str(refused.value).partition("there are: ")[2].partition(". ")
    assert hint == "Did you mean 'refine'?"
    assert listed.split(", ") == [
        "demos",
        "dialogue_limit",
        "observation_limit",
        "parser",
        "prompt",
        "refine",
        "steps",
    ]


def cut(text: str, *calls: ToolCall) -> Reply:
    """A reply that had no more tokens."""
    return Reply(text, calls, finish_reason="length", usage=Usage(10, 64))


NOTE = "[Your last reply was cut at 64 tokens: be shorter.]"
AGENTS: dict[str, Callable[..., ModelAgent]] = {
    "react": ReactAgent,
    "try-again": TryAgainAgent,
    "tree-search": TreeSearchAgent,
    "tool-use": ToolUseAgent,
}


@pytest.mark.parametrize("name", AGENTS)
def test_a_reply_that_was_cut_before_its_code_says_so_in_the_observation(name: str) -> None:
    options = {"width": "1"} if name == "tree-search" else {}
    agent = begun(AGENTS[name](model=Sayer(cut("Thought: First I would like to")), **options))
    action = agent.act(ASKED, 0.0)
    assert action.kind == "nothing"
    assert action.text.startswith(NOTE)
    assert len(action.text.splitlines()) > 1


@pytest.mark.parametrize("name", ["react", "try-again", "tree-search"])
def test_a_reply_that_was_cut_after_its_code_is_run_and_the_model_is_told_with_what_it_did(name: str) -> None:
    options = {"width": "1"} if name == "tree-search" else {}
    model = Sayer(cut(f"Thought: I look.\nAction:\n{code('ls')}\nAnd then I"), "submit")
    agent = begun(AGENTS[name](model=model, **options))
    assert agent.act(ASKED, 0.0) == LS
    agent.act(Observation("a\n", 0), 0.0)
    assert f"{NOTE}\na" in model.asked[-1][-1].text


def test_a_call_in_a_reply_that_was_cut_is_made_and_the_model_is_told() -> None:
    model = Sayer(cut("I look", ToolCall("1", "run_command", '{"command": "ls"}')), "done")
    agent = begun(ToolUseAgent(model=model))
    assert agent.act(ASKED, 0.0) == LS
    agent.act(Observation("a\n", 0), 0.0)
    assert model.asked[-1][-1].text == f"{NOTE}\na"


def BareAgent(model: Sayer) -> ModelAgent:
    return SingleTurnAgent(model=model, parser="bare")


@pytest.mark.parametrize(
    ("agent", "world", "text"),
    [
        (ReactAgent, "bash", "Thought: I clean up.\nAction: rm -rf /data"),
        (ReactAgent, "ctf", "Thought: I have it.\nAction: submit flag{ab"),
        (ReactAgent, "bash", "Action: execute[rm -rf /data"),
        (SingleTurnAgent, "bash", "```bash\nrm -rf /data"),
        (BareAgent, "bash", "rm -rf /data"),
        (TryAgainAgent, "ctf", "submit flag{ab"),
    ],
)
def test_what_may_be_half_an_action_is_not_taken(agent: Callable[..., ModelAgent], world: str, text: str) -> None:
    whole = begun(agent(model=Sayer(text)), TaskView("t/1", "?", world)).act(ASKED, 0.0)
    assert begun(agent(model=Sayer(cut(text))), TaskView("t/1", "?", world)).act(ASKED, 0.0).kind == "nothing"
    assert whole.kind != "nothing" or "[" in text or "```" in text


def test_the_papers_agents_are_told_nothing_that_its_agents_were_not() -> None:
    model = Sayer(cut("Thought: I look.\nAction: execute[ls]"), "Thought: Done.\nAction: submit")
    agent = begun(ReactAgent(model=model, parser="paper"))
    assert agent.act(ASKED, 0.0) == LS
    agent.act(Observation("a\n", 0), 0.0)
    assert not any("Your last reply" in message.text for message in model.asked[-1])
