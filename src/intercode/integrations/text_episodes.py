"""Episodes that a model plays in plain text: prompts are worded, and replies read, as those of the agent `react`."""

from __future__ import annotations

import threading
from functools import cache
from typing import Any

import intercode
from intercode import datasets, registry
from intercode.agents import parsers
from intercode.datasets.base import Dataset
from intercode.env.env import Env
from intercode.types import Action, Turn
from intercode.world_specs import prompts
from intercode_sandbox.sandbox import Sandbox
from intercode_sandbox.util.linux import default_sandbox

STRATEGY = "react"
NO_OUTPUT = "(no output)"

_making = threading.Lock()
"""Held while that is made which all share: two threads would each make it, since a cache alone does not wait."""


class TextEpisodes:
    """What is said to a model in the episodes of *env*, and what its replies ask for."""

    def __init__(self, env: Env) -> None:
        self._parse = parsers.choose("", STRATEGY, env.world)
        self._prompt = prompts.find(STRATEGY, env.world)

    def read(self, reply: str) -> Action:
        """Return the action that *reply* asks for; without one, `nothing`, with what is said to that."""
        return self._parse(reply).action or Action("nothing", self._prompt.part("no code"))

    def show(self, turn: Turn) -> str:
        """Return what the model is told of *turn*. Never empty."""
        text = turn.observation.text
        if turn.action.kind != "execute":
            return text or NO_OUTPUT
        return self._prompt.part("next", observation=text.rstrip("\n") or NO_OUTPUT)


def opening(world: str, query: str, shell: str = "fresh") -> tuple[str, str]:
    """Return the instructions for *world*, and the first thing that is said to a model.

    *query*, in the prompt's words.
    """
    prompt = prompts.find(STRATEGY, world)
    return prompt.part("system", shell=prompts.shell(shell)), prompt.part("first", query=query)


def opening_messages(world: str, query: str) -> list[dict[str, str]]:
    """Return the same as a conversation's first two messages."""
    system, first = opening(world, query)
    return [{"role": "system", "content": system}, {"role": "user", "content": first}]


def make(dataset: str, *, sandbox: str = "", **options: Any) -> Env:
    """As `intercode.make`, with one sandbox of each name for all environments of this process."""
    with _making:
        found = load(dataset)
        if registry.find("envs", options.get("world") or found.world).needs_sandbox:
            options["sandbox"] = _sandbox(sandbox or default_sandbox())
    return intercode.make(found, **options)


@cache
def load(dataset: str) -> Dataset:
    """Return the data set of that name or path, read once."""
    return datasets.load(dataset)


@cache
def _sandbox(name: str) -> Sandbox:
    """Ended with this process."""
    made: Sandbox = registry.create("sandboxes", name)
    return made
