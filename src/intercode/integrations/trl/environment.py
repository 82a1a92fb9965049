"""`environment_factory`: an object for each rollout, whose public methods are the tools of its world."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from inspect import Parameter, Signature
from os import PathLike
from typing import Any

from intercode.datasets.base import Dataset
from intercode.env.async_env import AsyncEnv
from intercode.env.env import Env
from intercode.errors import MachineError
from intercode.integrations.trl.shared_envs import SharedEnvs
from intercode.types import Action
from intercode.types.conversation import Tool
from intercode.world_specs.spec import WorldSpec
from intercode.world_specs.tools import tools

OVER = "the episode is over: nothing was run"
NO_OUTPUT = "(no output)"


def environment(dataset: str | PathLike[str] | Dataset | None = None, **options: Any) -> EnvironmentFactory:
    """Return what `GRPOTrainer` takes as `environment_factory`.

    Args:
        dataset: As for `intercode.make`.
        **options: As for `intercode.make`: `world`, `sandbox`, `turns`, `scoring`, `seconds`, `episode_seconds`, …

    Returns:
        A factory: close it after training, or use it in a `with` block. All its environments share one sandbox.
    """
    return EnvironmentFactory(dataset, options)


class Rollout:
    """One rollout's episode. TRL makes a tool of every public method but `reset` and `get_reward`."""

    def __init__(self, env: Env) -> None:
        self._env, self._async = env, AsyncEnv(env)

    def reset(self, **row: Any) -> str | None:
        """Begin the episode of the row's `task`. Text comes back where the query is not all that is to be seen.

        A failure of the machine is no reason to stop a training: tools then say so, and there is no reward.
        """
        task = self._env.dataset.find(row["task"])
        try:
            seen = self._env.start_episode(task).text
        except MachineError:
            return None
        return seen.removeprefix(task.query) or None

    def get_reward(self) -> float | None:
        """Return the reward, under the scoring of the environment; what was not handed in is judged as it stands.

        None, which TRL leaves out of its group, where nothing was judged: the machine failed, or there is no gold.
        """
        env = self._env
        try:
            if env.status is None:
                env.take_action(Action("submit"))
        except MachineError:
            return None
        scores = env.history[-1].scores if env.history and env.status != "error" else None
        return None if scores is None else scores[env.leading_reward].value

    async def _call(self, name: str, arguments: dict[str, Any]) -> str:
        if self._env.status is not None:
            raise RuntimeError(OVER)
        turn = await self._async.atake_action(self._env.read_call(name, json.dumps(arguments)))
        return turn.observation.text.rstrip("\n") or NO_OUTPUT


class EnvironmentFactory(SharedEnvs):
    """See `environment`. Calling it makes a `Rollout` with the tools of the world."""

    _kind: type[Rollout] | None = None

    def __call__(self) -> Rollout:
        """Return one more; the trainer uses it for one rollout after the other."""
        env = self.make()
        if self._kind is None:  # one class for all: TRL tells rewards apart by it
            self._kind = rollout_class(env.world_spec)
        return self._kind(env)


def rollout_class(world: WorldSpec) -> type[Rollout]:
    """Return `Rollout` with a method for each tool of *world*.

    But for `skip`: what is given up has no reward, and would be left out of its group, instead of being a failure.
    """
    methods = {tool.name: _method(tool) for tool in tools(world) if tool.name != "skip"}
    return type(f"InterCode{world.title or world.name.title()}", (Rollout,), methods)


def _method(tool: Tool) -> Callable[..., Awaitable[str]]:
    """Return an async method with the signature and the docstring that TRL reads a tool from."""
    names = list(tool.parameters["properties"])

    async def call(self: Rollout, **arguments: Any) -> str:
        return await self._call(tool.name, arguments)

    own = [Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)]
    given = [Parameter(name, Parameter.KEYWORD_ONLY, annotation=str) for name in names]
    arguments = "".join(f"\n    {name}: The {name}." for name in names)
    call.__name__ = call.__qualname__ = tool.name
    call.__doc__ = (
        f"{tool.description}\n" + (f"\nArgs:{arguments}\n" if names else "") + "\nReturns:\n    What it shows."
    )
    call.__annotations__ = {**dict.fromkeys(names, str), "return": str}
    call.__signature__ = Signature([*own, *given], return_annotation=str)  # type: ignore[attr-defined]
    return call
