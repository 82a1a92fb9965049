"""A server of OpenEnv's protocol for what a run's settings name: a data set, its world, a sandbox."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from starlette.types import ASGIApp

from intercode.integrations.openenv.app import make_app
from intercode.integrations.serving.served_tasks import ServedTasks
from intercode.integrations.serving.server import EpisodeServer
from intercode.integrations.serving.sessions import ServedSessions
from intercode.runs.job import Job, prepare
from intercode.runs.settings import Settings


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How sessions are served. Times in seconds.

    Attributes:
        host: Where to listen.
        port: The port; 0 for one that is free.
        token: What clients must send; "" for none.
        max_sessions: How many sessions there may be at once.
        session_timeout: How long a session may be idle.
        drain_timeout: How long episodes may go on when the server is told to stop.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    token: str = ""
    max_sessions: int = 64
    session_timeout: float = 600.0
    drain_timeout: float = 2.0


def serve(
    settings: Settings,
    options: ServerOptions,
    *,
    say: Callable[[str], None],
    ready: Callable[[str], None],
    make: Callable[..., ASGIApp] = make_app,
) -> None:
    """Serve until SIGTERM or Ctrl-C. *say* hears of slow beginnings, *ready* gets the address.

    *make* makes the application, with the arguments of `make_app`: those of other protocols than OpenEnv's.

    Raises:
        UserError: If an option is impossible.
        MachineError: If the world does not start.
    """
    with prepare(settings.changed(agent="human"), say=say) as job:
        job.try_out()
        pool = make_pool(job, options)
        app = make(pool, description=describe(job), token=options.token)
        server = EpisodeServer(app, pool, host=options.host, port=options.port, drain_seconds=options.drain_timeout)
        ready(server.url)
        server.run()


def application(settings: Settings, options: ServerOptions) -> ASGIApp:
    """Return the same as an ASGI application, for whoever runs one: its shutdown ends all that was started."""
    job = prepare(settings.changed(agent="human"))
    return make_app(make_pool(job, options), description=describe(job), token=options.token, on_close=job.close)


def make_pool(job: Job, options: ServerOptions) -> ServedSessions:
    """Return the sessions in which the tasks of *job* are played."""
    with job.make_env() as env:
        tasks = ServedTasks.of(env.dataset, job.tasks)
    return ServedSessions(job.make_env, tasks, max_sessions=options.max_sessions, idle_seconds=options.session_timeout)


def describe(job: Job) -> str:
    """Return what *job* plays, in a sentence."""
    return f"{len(job.tasks)} tasks of {job.settings.dataset} in InterCode's world {job.settings.world}"
