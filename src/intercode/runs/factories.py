"""Makes what settings name: the data set, the model, agents, environments, and the sandbox or database they share."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from intercode import datasets, models, registry
from intercode.agents.base import Agent
from intercode.datasets.base import Dataset
from intercode.env.env import Env
from intercode.env.make import make
from intercode.errors import UserError
from intercode.models.base import ChatModel, Model
from intercode.runs.budget import Budget, MeteredModel
from intercode.runs.reply_cache import ReplyCache
from intercode.runs.settings import Settings
from intercode.types.databases import Database
from intercode.worlds.sql import databases
from intercode_sandbox.sandbox import Sandbox
from intercode_sandbox.util import paths

Say = Callable[[str], None]

Backend = Sandbox | Database
"""Where a world's code runs."""


def load(settings: Settings) -> Dataset:
    """Load the data set of *settings*.

    Raises:
        UserError: If it cannot be loaded, or has no such option.
    """
    kind = registry.find("datasets", datasets.plugin(settings.dataset))
    registry.refuse_unknown(f"the data set {settings.dataset}", settings.dataset_options, registry.options(kind))
    return datasets.load(settings.dataset, **settings.dataset_options)


def needs_sandbox(settings: Settings) -> bool:
    """Return whether the world of *settings* runs in a sandbox, and not on a database."""
    return bool(registry.find("envs", settings.world).needs_sandbox)


def make_model(settings: Settings) -> Model | None:
    """Make the model of *settings*; None if the agent asks none.

    Raises:
        UserError: If agent and model do not go together.
    """
    agent = registry.find("agents", settings.agent)
    needs_model = agent.needs_model
    if settings.model and not needs_model:
        raise UserError(f"the agent {settings.agent} asks no model: leave --model out, or choose another --agent")
    if not (settings.model and needs_model):
        return None
    model = models.load(
        settings.model, base_url=settings.base_url, logprobs=settings.logprobs, options=settings.model_options
    )
    if settings.agent_options.get("parser") != "paper":
        model.defaults.stop = agent.stops
    return model


def limit_model(model: Model, settings: Settings, budget: Budget) -> ChatModel:
    """Return what agents get of *model*.

    Within *budget* they can ask, and what was asked before is free if that is wanted.
    """
    metered = MeteredModel(model, budget)
    if not settings.cache:
        return metered
    name = f"{settings.model} {model.base_url} {settings.logprobs}"
    return ReplyCache(metered, paths.cache() / "replies.sqlite", name, settings.model_options)


def make_agent(settings: Settings, model: ChatModel | None) -> Agent:
    """Make the agent of *settings*.

    Args:
        settings: The settings of a run.
        model: What it asks, if it asks one.
    """
    options: dict[str, Any] = dict(settings.agent_options)
    if model is not None:
        options["model"] = model
    with registry.refuse_exit(settings.agent):
        agent: Agent = registry.create("agents", settings.agent, **options)
    agent.shell = settings.shell
    return agent


def make_backend(settings: Settings, say: Say) -> Backend:
    """Make what the environments of *settings* share: a sandbox or a database.

    Args:
        settings: With all defaults filled in.
        say: Gets a line when something slow begins.
    """
    if needs_sandbox(settings):
        return _make_sandbox(settings, say)
    return databases.find(settings.database, progress=say)


def _make_sandbox(settings: Settings, say: Say) -> Sandbox:
    """Return the sandbox that *settings* name, given those of our options that it takes.

    *say* hears of images being built.
    """
    kind = registry.find("sandboxes", settings.sandbox)
    options: dict[str, Any] = {"progress": say, "i_know_this_is_unsafe": settings.unsafe}
    known = inspect.signature(kind).parameters
    given = {name: value for name, value in options.items() if name in known}
    sandbox: Sandbox = registry.create("sandboxes", settings.sandbox, **given)
    return sandbox


def env_of(settings: Settings, dataset: Dataset, backend: Backend) -> Env:
    """Make an environment.

    Args:
        settings: With all defaults filled in.
        dataset: Its data set.
        backend: The sandbox or the database that it uses.
    """
    known = inspect.signature(registry.find("envs", settings.world)).parameters
    options = {name: getattr(settings, name) for name in ("shell", "handicap", "attempts") if name in known}
    if isinstance(backend, Database):
        options |= {"database": backend}
    else:
        options |= {"sandbox": backend, "image": settings.image}
        options |= {"network": settings.network or None, "verifier_network": settings.verifier_network or None}
    return make(
        dataset,
        world=settings.world,
        scoring=settings.scoring,
        turns=settings.turns,
        reward_every_turn=settings.reward_every_turn,
        reward=settings.reward or None,
        step_reward=settings.step_reward,
        episode_seconds=settings.episode_seconds,
        **options,
    )
