"""Settings turned into things: the data set, its tasks, and ways to make environments and agents."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from intercode import registry, rewards
from intercode.agents.base import Agent
from intercode.datasets.annotations import all_annotations
from intercode.datasets.base import Dataset
from intercode.env.env import Env
from intercode.errors import ImageError, UserError
from intercode.models.base import Model
from intercode.models.core.rate_limit import RateLimit
from intercode.runs import factories, provenance
from intercode.runs.budget import Budget
from intercode.runs.factories import Backend, Say, env_of, load, make_backend, make_model, needs_sandbox
from intercode.runs.fail_fast import FIRST, reason
from intercode.runs.manifest import Manifest
from intercode.runs.settings import Settings
from intercode.runs.task_selection import select
from intercode.runs.verdicts import playable
from intercode.types import Task
from intercode.types.databases import Database
from intercode.worlds.sql import databases
from intercode_sandbox.util.closing import Closeable

__all__ = [
    "Job",
    "Say",
    "env_of",
    "load",
    "make_backend",
    "make_model",
    "needs_sandbox",
    "prepare",
    "prepare_part",
    "select",
]

NO_SANDBOX = (
    "--sandbox {sandbox}: the world {world} runs on a database, in no sandbox; leave it out, or say where with "
    "--database (docker:mysql:8.4 is a server in a container)"
)

MOST_EPISODES = 10_000_000
"""So many a run has at most: its plan is in memory, some 300 bytes for each."""

TOO_MANY = "these would be {episodes:,} episodes; a run has at most {most:,}: a smaller --repeat or --limit"

PINNED = "debian"
"""The image to be named to those whose own changes."""

VOLATILE = (
    "The sandbox's image is made of this machine's files. After they change (apt-get), this run resumes only with "
    f"--accept-changed-image. --image {PINNED} stays the same."
)


@dataclass(frozen=True)
class Job(Closeable):
    """What a runner needs to play a run.

    Attributes:
        settings: The settings, with all defaults filled in.
        tasks: The tasks to play.
        make_env: Makes an environment; called in each thread.
        make_agent: Makes an agent; called in each thread.
        manifest: What is written into the run's directory.
        close_backend: Closes what the environments share.
        interactive: Whether a person plays at this terminal.
        budget: What the run may use of money and tokens.
        one_process: Why it cannot be played by several processes; "" if it can.
        one_machine: Why it cannot be played by processes of several machines, if it can by several of this one.
        share: Has the processes that share a folder (`paths.shared`) use this one's servers; called before they start.
        warning: What a person should know before the run costs anything; "" for nothing.
    """

    settings: Settings
    tasks: tuple[Task, ...]
    make_env: Callable[[], Env]
    make_agent: Callable[[], Agent]
    manifest: Manifest
    close_backend: Callable[[], None] = lambda: None
    interactive: bool = False
    budget: Budget = field(default_factory=Budget)
    one_process: str = "it was put together in this process"
    one_machine: str = ""
    share: Callable[[Path], None] = lambda folder: None
    warning: str = ""

    def try_out(self) -> None:
        """Begin the first task whose image can be built, and drop it, before a run is begun.

        Raises:
            MachineError: If nothing at all can be played here, or the first images cannot be built for one reason.
        """
        failed = dict[str, ImageError]()
        with self.make_env() as env:
            for number, task in enumerate(self.tasks, 1):
                try:
                    env.start_episode(task)
                    return
                except ImageError as error:
                    folder = f"/{task.id.rpartition('/')[2]}/"
                    failed.setdefault(reason(folder, str(error)), error)
                if number >= FIRST and len(failed) == 1:
                    break
        raise next(iter(failed.values()))

    def close(self) -> None:
        """End the sandbox or the database, and every episode in it. Closing twice is harmless."""
        self.close_backend()

    @property
    def scoring(self) -> str:
        """Return the name of the reward that counts, and whose value the agent sees."""
        return self.manifest.leading_reward

    @property
    def episodes(self) -> int:
        """Return how many episodes there are to play."""
        return len(self.tasks) * self.settings.repeat


def prepare(settings: Settings, *, say: Say = lambda message: None, playable_only: bool = False) -> Job:
    """Prepare all that *settings* ask for, and check it before anything is played.

    Args:
        settings: The settings of a run; "" stands for defaults.
        say: Gets a line when something slow begins.
        playable_only: Whether tasks are left out of which `data prepare` found that they cannot be played.

    Raises:
        UserError: If the settings are impossible.
        MachineError: If a sandbox or a database cannot be started.
    """
    settings.check_types()
    dataset = load(settings)
    for note in dataset.notes:
        say(note)
    settings = _without_blanks(settings, dataset, say)
    if playable_only:
        settings = playable(settings, dataset, say)
    left_out = all_annotations().left_out(wrong=settings.without_wrong_golds)
    tasks = select(dataset, settings.tasks, settings.limit, left_out)
    if (episodes := len(tasks) * settings.repeat) > MOST_EPISODES:
        raise UserError(TOO_MANY.format(episodes=episodes, most=MOST_EPISODES))
    budget = Budget(cost=settings.max_cost, tokens=settings.max_tokens)
    with _closed_on_failure() as opened:
        model = make_model(settings)
        if model is not None:
            opened.push(model)
        make_agent = partial(
            factories.make_agent, settings, factories.limit_model(model, settings, budget) if model else None
        )
        agent = make_agent()
        agent.check([task.view() for task in tasks])
        if model is not None:
            model.check_reachable()
        settings = settings.changed(reward_every_turn=settings.reward_every_turn or agent.sees_reward)
        backend = make_backend(settings, say)
        opened.push(backend)
        make_env = partial(env_of, settings, dataset, backend)
        make_env().close()  # refuses what does not go together
        manifest = provenance.build_manifest(settings, dataset, tasks, backend, model)
        return Job(
            settings,
            tasks,
            make_env,
            make_agent,
            manifest,
            partial(_close, backend, model),
            agent.interactive,
            budget,
            _why_one_process(settings, agent, model, backend),
            _why_one_machine(backend),
            partial(_share, backend, dataset, tasks),
            "" if manifest.reproducible or model is None or model.is_free else VOLATILE,
        )


def prepare_part(settings: Settings, budget: Budget, *, checksum: str, say: Say, dataset: Dataset | None = None) -> Job:
    """Prepare to play a part of a run in this process.

    Args:
        settings: Those that `prepare` has filled in and checked in another process.
        budget: What the run may use of money and tokens.
        checksum: That of the data set in the other process.
        say: Gets a line when something slow begins.
        dataset: The data set, if it is loaded already.

    Raises:
        UserError: If the data set here has another checksum.
        MachineError: As `prepare` does.
    """
    dataset = load(settings) if dataset is None else dataset
    if dataset.checksum != checksum:
        raise UserError(f"the data of {dataset.name} changed while the run was begun: begin it again")
    left_out = all_annotations().left_out(wrong=settings.without_wrong_golds)
    tasks = select(dataset, settings.tasks, settings.limit, left_out)
    with _closed_on_failure() as opened:
        model = make_model(settings)
        if model is not None:
            opened.push(model)
        backend = make_backend(settings, say)
        opened.push(backend)
        return Job(
            settings,
            tasks,
            partial(env_of, settings, dataset, backend),
            partial(factories.make_agent, settings, factories.limit_model(model, settings, budget) if model else None),
            Manifest(settings, tuple(task.id for task in tasks), data={dataset.name: checksum}),
            partial(_close, backend, model),
            budget=budget,
        )


@contextmanager
def _closed_on_failure() -> Iterator[ExitStack]:
    """Provide what is pushed here stays open, unless something is raised."""
    with ExitStack() as opened:
        yield opened
        opened.pop_all()


def _why_one_process(settings: Settings, agent: Agent, model: Model | None, backend: Backend) -> str:
    """Return why only this process can play; "" where others can as well."""
    if agent.interactive:
        return "a person plays here"
    if model is not None and not model.has_server:
        return f"the model {model.name} is loaded by this process"
    if limits := [name for name in RateLimit.OPTIONS if name in settings.model_options]:
        return f"one process counts {limits[0]}"
    if isinstance(backend, Database) and backend.reach == "process":
        return f"the database {settings.database} belongs to this process"
    return ""


def _why_one_machine(backend: Backend) -> str:
    """Return why only processes of this machine can play; "" where others can as well."""
    if isinstance(backend, Database) and backend.reach == "machine":
        return "all episodes share a database server, which belongs to this machine (others: sqlite, or a URL)"
    return ""


def _share(backend: Backend, dataset: Dataset, tasks: Sequence[Task], folder: Path) -> None:
    if isinstance(backend, Database):
        backend.share(dict.fromkeys(dataset.source(task) for task in tasks), folder)


def _without_blanks(settings: Settings, dataset: Dataset, say: Say) -> Settings:
    if settings.turns < 1 or settings.repeat < 1:
        raise UserError("--turns and --repeat start at 1")
    if settings.limit is not None and settings.limit < 1:
        raise UserError("--limit starts at 1; leave it out for all tasks")
    scoring = rewards.scoring_of(settings.reward, settings.scoring or None, dataset.default_scoring)
    settings = settings.changed(world=settings.world or dataset.world, scoring=scoring)
    _refuse_what_it_lacks(settings)
    if needs_sandbox(settings):
        return settings.changed(image=settings.image or dataset.default_image)
    if settings.sandbox not in ("", Settings().sandbox):
        raise UserError(NO_SANDBOX.format(sandbox=settings.sandbox, world=settings.world))
    database = settings.database or databases.default(dataset.source(dataset[0]), progress=say)
    return settings.changed(database=database, sandbox="")


def _refuse_what_it_lacks(settings: Settings) -> None:
    """Raises UserError for what was asked for and the world would not heed."""
    known, plain = inspect.signature(registry.find("envs", settings.world)).parameters, Settings()
    lacks = {
        "attempts": "the first answer ends an episode",
        "handicap": "there is no database whose tables could be told",
        "shell": "there is no shell",
    }
    for name, why in lacks.items():
        if name not in known and getattr(settings, name) != getattr(plain, name):
            raise UserError(f"--{name}: in the world {settings.world} {why}; leave it out")
    if settings.database and needs_sandbox(settings):
        raise UserError(f"--database: in the world {settings.world} there is no database; leave it out")


def _close(backend: Backend, model: Model | None) -> None:
    backend.close()
    if model is not None:
        model.close()
