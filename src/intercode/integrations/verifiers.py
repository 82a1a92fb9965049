"""verifiers 0.4: `vf-eval intercode-verifiers`, one taskset and one environment for every data set of ours.

The engine plays the user: a model's reply is one action, and what it did is the next message. Prompts are worded, and
replies read, as those of the agent `react`. Code runs in our sandbox, and never in the harness's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import verifiers.v1 as vf

from intercode import world_specs
from intercode.env.async_env import AsyncEnv
from intercode.env.env import Env
from intercode.errors import UserError
from intercode.integrations.scored_tasks import scored_tasks
from intercode.integrations.text_episodes import TextEpisodes, load, make, opening
from intercode.types import Action, Task


class IntercodeData(vf.TaskData):
    """What is recorded of a task: its id, its data set and its query. The gold is in no trace."""

    dataset: str


class IntercodeTaskConfig(vf.TaskConfig):
    """How episodes are played and judged: `--env.taskset.task.*`."""

    turns: int = 10
    """Actions, after which the episode is truncated and judged as it stands."""

    sandbox: str = ""
    """Where code runs, in worlds that need one. All episodes of a process share it."""

    options: dict[str, Any] = {}
    """What else `intercode.make` takes: `world`, `scoring`, `shell`, `image`, `database` and so on."""

    def make(self, dataset: str) -> Env:
        """Return an environment for *dataset*.

        Raises:
            UserError: If an option is impossible.
            MachineError: If the sandbox or the database cannot be had.
        """
        return make(dataset, turns=self.turns, sandbox=self.sandbox, **self.options)


class IntercodeTask(vf.Task[IntercodeData, vf.State, IntercodeTaskConfig]):
    """One task of a data set."""

    @property
    def key(self) -> str:
        """Its id, which stays when its query is worded anew."""
        return str(self.data.id)

    @vf.reward
    async def intercode(self, trace: vf.Trace) -> float | None:
        """Return what the ending is worth under the scoring; where nobody has played, what an untouched world is worth.

        Raises:
            UserError: If another environment than ours has played: no world has seen the replies.
        """
        if "judgement" in trace.info:
            return float(trace.info["judgement"])
        if trace.num_turns:
            raise UserError("only intercode-verifiers' own environment plays its tasks: leave --env.id out")
        return await asyncio.to_thread(self._play, lambda env: (Action("submit"),))

    async def validate(self, runtime: vf.Runtime) -> bool | None:
        """Return whether the gold earns 1, played for real in our sandbox; None where there is no gold."""
        earned = await asyncio.to_thread(self._play, _gold_actions)
        return None if earned is None else earned == 1

    def _play(self, plan: Callable[[Env], Iterable[Action]]) -> float | None:
        """Return what an episode of the *plan* earns; None for one without actions."""
        with self.config.make(self.data.dataset) as env:
            env.start_episode(env.dataset.find(self.key))
            for action in plan(env):
                if env.status is None:
                    env.take_action(action)
            return _value(env) if env.history else None


class IntercodeConfig(vf.TasksetConfig):
    """Which tasks: `--env.taskset.*`."""

    dataset: str = "starter"
    """A name (`starter-sql`, `mbpp/train`), or the path of a file or folder."""

    task: IntercodeTaskConfig = IntercodeTaskConfig()


class IntercodeTaskset(vf.Taskset[IntercodeTask, IntercodeConfig]):
    """The tasks of a data set that can be judged."""

    def load(self) -> Iterator[IntercodeTask]:
        """Yield each under its id.

        Raises:
            UserError: For a data set that there is not.
        """
        found, settings = load(self.config.dataset), self.config.task
        world, shell = settings.options.get("world") or found.world, settings.options.get("shell", "fresh")
        for task in scored_tasks(found):
            yield IntercodeTask(self._data(task, *opening(world, task.query, shell)), settings)

    def _data(self, task: Task, system: str, first: str) -> IntercodeData:
        return IntercodeData(id=task.id, name=task.id, dataset=self.config.dataset, prompt=first, system_prompt=system)


class IntercodeEnvConfig(vf.EnvConfig):
    """Who plays: `--env.player.*`. Without more, a chat without tools, in a process of this machine."""

    player: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"}, runtime={"type": "subprocess"})


class IntercodeEnv(vf.Env[IntercodeEnvConfig]):
    """An episode is one conversation. A failure of the machine fails the episode, and is never a reward of 0."""

    async def run(self, task: IntercodeTask, agents: vf.Agents) -> None:
        """Play *task*. Its reward finds what the ending is worth in the trace; both scorings are metrics."""
        made = await asyncio.to_thread(task.config.make, task.data.dataset)
        async with AsyncEnv(made) as env:
            await env.areset(options={"task": task.key})
            async with agents.player.interaction(task) as interaction:
                await _converse(env, interaction)
                if made.status is not None:
                    _record(made, interaction.trace)


async def _converse(env: AsyncEnv, interaction: vf.Interaction) -> None:
    """Reply by reply, until the episode is over.

    Where the player's own limits end it, it is judged as it stands; where the model fails, it is not.
    """
    episodes, segment = TextEpisodes(env.env), await interaction.turn()
    while not segment.terminated:
        turn = await env.atake_action(episodes.read(segment.last_reply))
        if env.env.status is not None:
            return
        segment = await interaction.turn(episodes.show(turn))
    if not interaction.trace.errors:
        await env.atake_action(Action("submit"))


def _record(env: Env, trace: vf.Trace) -> None:
    ending = env.history[-1]
    trace.info |= {"judgement": _value(env), "status": env.status, "state_hash": ending.state_hash}
    trace.record_metrics({scoring: score.value for scoring, score in (ending.scores or {}).items()})


def _gold_actions(env: Env) -> tuple[Action, ...]:
    """Return the gold's, which challenges bring when the episode begins."""
    return () if env.task.gold is None else world_specs.find(env.world).gold_actions(env.task.gold)


def _value(env: Env) -> float:
    """Return what the ending is worth; 0 where the episode was given up."""
    scores = env.history[-1].scores
    return 0.0 if scores is None else scores[env.leading_reward].value


__all__ = ["IntercodeEnv", "IntercodeTaskset"]
