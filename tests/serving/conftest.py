"""A server in this process, over real sandboxes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from threading import Thread
from typing import Any

import pytest
from served import FragileEnv, Serve, Served
from starlette.types import ASGIApp

from intercode import datasets
from intercode.env.env import Env
from intercode.integrations.openenv import app as openenv
from intercode.integrations.serving.served_tasks import ServedTasks
from intercode.integrations.serving.server import EpisodeServer
from intercode.integrations.serving.sessions import ServedSessions
from intercode.rewards.base import Reward
from intercode_sandbox.embedded import EmbeddedSandbox


@pytest.fixture(scope="session")
def sandbox() -> Iterator[EmbeddedSandbox]:
    """One sandbox for all."""
    with EmbeddedSandbox() as made:
        yield made


@pytest.fixture
def serve(sandbox: EmbeddedSandbox) -> Iterator[Serve]:
    """Serve the starter set until the test is over. Options are those of `ServedSessions`, and the four below."""
    with ExitStack() as stack:

        def begin(
            *,
            token: str = "",
            reward: Reward | None = None,
            drain_seconds: float = 2.0,
            make_app: Callable[..., ASGIApp] = openenv.make_app,
            **options: Any,
        ) -> Served:
            dataset = datasets.load("starter")

            def make() -> Env:
                return FragileEnv(dataset, sandbox=sandbox, reward=reward)

            pool = ServedSessions(make, ServedTasks.of(dataset, list(dataset)), **options)
            app = make_app(pool, description="tasks for tests", token=token)
            server = EpisodeServer(app, pool, host="127.0.0.1", port=0, drain_seconds=drain_seconds)
            thread = Thread(target=server.run, daemon=True)
            thread.start()
            stack.callback(thread.join, 20)
            stack.callback(server.stop)
            served = Served(server, pool)
            assert served.wait(lambda: served.http("/health")[0] == 200)
            return served

        yield begin
