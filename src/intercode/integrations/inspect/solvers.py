"""Who plays: a model with the world's action as its tool, or a person at this terminal."""

from __future__ import annotations

from inspect import Parameter, Signature

from inspect_ai.agent import AgentSubmit, as_solver, react
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.solver._task_state import sample_state
from inspect_ai.tool import Tool, ToolDef
from inspect_ai.util import input_screen

from intercode.agents.human import HumanAgent
from intercode.errors import UserError
from intercode.integrations.inspect.episodes import find_episode
from intercode.integrations.inspect.names import qualify
from intercode.types import Action, Observation
from intercode.world_specs import WorldSpec, prompts
from intercode.world_specs import tools as world_tools


def action_tool(spec: WorldSpec, description: str) -> Tool:
    """Return the world's action as a tool, under the world's own name for it."""

    async def run(**arguments: str) -> str:
        episode = find_episode(sample_state())
        if episode.env.status is not None:
            return f"The episode is over ({episode.env.status}): submit."
        turn = await episode.take(Action("execute", arguments[spec.tool_argument]))
        return turn.observation.text

    parameter = Parameter(spec.tool_argument, Parameter.KEYWORD_ONLY, annotation=str)
    run.__signature__ = Signature([parameter], return_annotation=str)  # type: ignore[attr-defined]
    run.__annotations__ = {spec.tool_argument: str, "return": str}
    parameters = {spec.tool_argument: spec.code or "the code"}
    return ToolDef(run, name=spec.tool, description=description, parameters=parameters, parallel=False).as_tool()


def model_solver(spec: WorldSpec) -> Solver:
    """Inspect's `react` agent with the world's action and what the agent `tool-use` is told."""
    action, submit, *_ = world_tools.tools(spec)
    try:
        instructions = prompts.find("tool_use", spec.name).part("system", shell=prompts.shell("fresh"))
    except UserError:  # a world without prompts
        instructions = None
    handing_in = AgentSubmit(description=submit.description, answer_only=True)
    return as_solver(react(prompt=instructions, tools=[action_tool(spec, action.description)], submit=handing_in))


@solver(name=qualify("human"))
def human() -> Solver:
    """Return a person plays at this terminal, as with `intercode run --agent human`: one sample at a time."""

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
