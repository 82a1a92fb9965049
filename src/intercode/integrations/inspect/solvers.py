"""Who plays: a model with the world's action as its tool, or a person at this terminal."""

from __future__ import annotations

from inspect import Parameter, Signature

from inspect_ai.agent import AgentSubmit, as_solver, react
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.solver._task_state import sample_state
from inspect_ai.tool import Tool, ToolDef
from inspect_ai.util import input_screen

from intercode.agents.human import HumanAgent
from intercode.integrations.inspect.episodes import find_episode
from intercode.integrations.inspect.names import qualified
from intercode.types import Action, Observation
from intercode.worlds import WorldSpec


def action_tool(spec: WorldSpec) -> Tool:
    """The world's action as a tool, under the world's own name for it."""

    async def run(**arguments: str) -> str:
        episode = find_episode(sample_state())
        if episode.env.status is not None:
            return f"The episode is over ({episode.env.status}): submit."
        turn = await episode.take(Action("execute", arguments[spec.tool_argument]))
        return turn.observation.text

    parameter = Parameter(spec.tool_argument, Parameter.KEYWORD_ONLY, annotation=str)
    run.__signature__ = Signature([parameter], return_annotation=str)  # type: ignore[attr-defined]
    run.__annotations__ = {spec.tool_argument: str, "return": str}
    about = f"Run {spec.code or 'code'} on {spec.about or 'the environment'} and see what it prints."
    return ToolDef(
        run, name=spec.tool, description=about, parameters={spec.tool_argument: spec.code or "the code"}, parallel=False
    ).as_tool()


def model_solver(spec: WorldSpec) -> Solver:
    """Inspect's `react` agent with the world's action."""
    rules = "\n".join(spec.rules)
    wanted = (
        f"Submit {spec.answer}."
        if spec.answer
        else "Submit when the request is met; what you write then plays no part."
    )
    prompt = f"You work on {spec.about or 'an environment'} with the tool {spec.tool}. {rules}\n{wanted}".strip()
    return as_solver(react(prompt=prompt, tools=[action_tool(spec)], submit=AgentSubmit(answer_only=True)))


@solver(name=qualified("human"))
def human() -> Solver:
    """A person plays at this terminal, as with `intercode run --agent human`: one sample at a time."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        episode = find_episode(state)
        agent = HumanAgent()
        with input_screen():
            agent.reset(episode.env.task.view(), seed=0)
            observation, reward = Observation(state.input_text), 0.0
            while episode.env.status is None:
                turn = episode.env.take_action(agent.act(observation, reward))
                observation, reward = turn.observation, turn.reward
        return state

    return solve
