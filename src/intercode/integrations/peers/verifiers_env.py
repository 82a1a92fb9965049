"""Environments of verifiers: a taskset and whoever plays it, by verifiers' own engine, with an agent of ours.

Code and tools of tasks run as verifiers runs them without a container: in a temporary folder of this machine.
"""

from __future__ import annotations

import sys
from contextlib import AsyncExitStack
from itertools import islice

import verifiers.v1 as vf
from verifiers.v1.configs.agent import agent_config_fields
from verifiers.v1.utils.generic import concrete_type
from verifiers.v1.utils.loaders import environment_class, load_environment

from intercode.integrations.peers import replies_server, verifiers_harness
from intercode.integrations.peers.base import (
    Grade,
    Peer,
    PeerError,
    PeerTask,
    Shown,
    answers_in,
    source_files,
    weighted,
)
from intercode.integrations.peers.turns import SAY, Turns

MOST_TASKS = 200
"""Tasks of a taskset that are read."""

HARNESS = "intercode_replies"
"""What verifiers calls our agent: harnesses are top-level modules there."""

sys.modules[HARNESS] = verifiers_harness


class VerifiersPeer(Peer):
    """One environment: the first tasks of its taskset."""

    def __init__(self, env: vf.Env) -> None:
        self.env, self._turns = env, Turns()
        self._loaded = list(islice(iter(env.taskset), MOST_TASKS))
        self.tasks = [_describe(number, task) for number, task in enumerate(self._loaded)]
        kinds = dict.fromkeys(map(type, self._loaded))
        self.sources = source_files(type(env.taskset), type(env), *kinds, but="verifiers")
        client = vf.EvalClientConfig(base_url=replies_server.start(self._turns), api_key_var="OPENAI_API_KEY")
        self._context = vf.ModelContext(replies_server.MODEL, client)
        self._serving = AsyncExitStack()
        self._turns.run(self._serving.enter_async_context(env.serving()))

    def begin(self, index: int) -> Shown:
        return self._turns.begin(lambda: self.env.run_episode(self._loaded[index], self._context))

    def say(self, text: str) -> Shown:
        return self._turns.reply(SAY, text)

    def grade(self) -> Grade:
        episode: vf.Episode = self._turns.finish()
        errors = [error for each in (episode, *episode.traces) for error in each.errors]
        if errors:
            raise PeerError(errors[0].traceback or errors[0].message)
        rewards = {name: each for trace in episode.traces for name, each in trace.rewards.items() if each is not None}
        parts = {name: (each.score, each.weight) for name, each in rewards.items()}
        return weighted(parts, sum(each.value for each in rewards.values()))

    def close(self) -> None:
        self._turns.cancel()
        self._turns.run(self._serving.aclose())


def open_taskset(name: str) -> Peer:
    """Open the environment of the module called *name*, which has been imported."""
    return VerifiersPeer(load_environment(_config(name)))


def _config(taskset: str) -> vf.EnvConfig:
    """Return the environment's config, with our agent in every seat."""
    kind = environment_class(taskset)
    config = concrete_type(kind, vf.EnvConfig, origin=vf.Env) or vf.EnvConfig
    seat = {"harness": {"id": HARNESS}, "runtime": {"type": "subprocess"}, "client": None, "model": None}
    seats = dict.fromkeys(agent_config_fields(config.model_construct()), seat)
    return config.model_validate({"taskset": {"id": taskset}, **seats})


def _describe(number: int, task: vf.Task) -> PeerTask:
    data = task.data
    query = "\n\n".join(text for text in (data.system_prompt, data.prompt_text) if text)
    return PeerTask(str(data.id or data.name or number).replace("/", "-"), query, answers_in(data.model_dump()))
