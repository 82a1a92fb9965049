"""Settings turned into things: the data set, its tasks, and ways to make environments and agents."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from intercode import databases, datasets, models, paths, registry, rewards
from intercode.agents.base import Agent
from intercode.closing import Closeable
from intercode.databases.base import Database
from intercode.datasets import gold_issues
from intercode.datasets.base import Dataset
from intercode.envs.base import Env
from intercode.envs.core.make import make
from intercode.errors import UserError
from intercode.models.base import ChatModel, Model
from intercode.models.core.rate_limit import RateLimit
from intercode.runs import manifest as manifests
from intercode.runs.budget import Budget, MeteredModel
from intercode.runs.manifest import Manifest
from intercode.runs.reply_cache import ReplyCache
from intercode.runs.settings import Settings
from intercode.sandboxes import images
from intercode.sandboxes.base import Sandbox
from intercode.sandboxes.images import Image
from intercode.trajectories import EPISODES
from intercode.types import SCORINGS, Scoring, Task

Say = Callable[[str], None]

Place = Sandbox | Database
"""Where a world's code runs."""

NO_SANDBOX = (
    "--sandbox {sandbox}: the world {world} runs on a database, in no sandbox; leave it out, or say where with "
    "--database (docker:mysql:8.4 is a server in a container)"
)


PINNED = "debian"
"""The image to be named to those whose own changes."""

VOLATILE = (
    "the image {image} is made of this machine's files and changes with them, as by apt-get: what is paid for now can "
    "then be resumed only with --accept-changed-image, and compared with care; --image {pinned} is pinned"
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
        close_place: Closes what the environments share.
        interactive: Whether a person plays at this terminal.
        budget: What the run may use of money and tokens.
        one_process: Why it cannot be played by several processes; "" if it can.
    """

    settings: Settings
    tasks: tuple[Task, ...]
    make_env: Callable[[], Env]
    make_agent: Callable[[], Agent]
    manifest: Manifest
    close_place: Callable[[], None] = lambda: None
    interactive: bool = False
    budget: Budget = field(default_factory=Budget)
    one_process: str = "it was put together in this process"
    """Why no other process can play a part of it; "" where others can."""

    def try_out(self) -> None:
        """Begin the first task and drop it, before a run is begun.

        Raises:
            MachineError: If nothing at all can be played here.
        """
        with self.make_env() as env:
            env.start_episode(self.tasks[0])

    def close(self) -> None:
        """End the sandbox or the database, and every episode in it. Closing twice is harmless."""
        self.close_place()

    @property
    def warning(self) -> str:
        """What a person should know before such a run costs anything; "" for nothing."""
        if not self.settings.model or self.manifest.reproducible:
            return ""
        return VOLATILE.format(image=self.settings.image, pinned=PINNED)

    @property
    def scoring(self) -> Scoring:
        """The scoring that the agent sees."""
        return self.settings.scoring or "exact"

    @property
    def episodes(self) -> int:
        """How many episodes there are to play."""
        return len(self.tasks) * self.settings.repeat


def prepare(settings: Settings, *, say: Say = lambda message: None) -> Job:
    """Prepare all that *settings* ask for, and check it before anything is played.

    Args:
        settings: The settings of a run; "" stands for defaults.
        say: Gets a line when something slow begins.

    Raises:
        UserError: If the settings are impossible.
        MachineError: If a sandbox or a database cannot be started.
    """
    dataset = load(settings)
    settings = _without_blanks(settings, dataset, say)
    left_out = gold_issues.all_issues().left_out(wrong=settings.without_wrong_golds)
    tasks = select(dataset, settings.tasks, settings.limit, left_out)
    budget = Budget(cost=settings.max_cost, tokens=settings.max_tokens)
    model = make_model(settings)
    make_agent = partial(_make_agent, settings, _asked(model, settings, budget) if model else None)
    agent = make_agent()
    agent.check([task.view() for task in tasks])
    if model is not None:
        model.check_reachable()
    settings = settings.changed(reward_every_turn=settings.reward_every_turn or agent.sees_reward)
    place = make_place(settings, say)
    make_env = partial(env_of, settings, dataset, place)
    make_env().close()  # refuses what does not go together
    return Job(
        settings,
        tasks,
        make_env,
        make_agent,
        _with_model(_manifest(settings, dataset, tasks, place), model),
        partial(_close, place, model),
        agent.interactive,
        budget,
        _why_one_process(settings, agent, model, place),
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
    left_out = gold_issues.all_issues().left_out(wrong=settings.without_wrong_golds)
    tasks = select(dataset, settings.tasks, settings.limit, left_out)
    model = make_model(settings)
    place = make_place(settings, say)
    return Job(
        settings,
        tasks,
        partial(env_of, settings, dataset, place),
        partial(_make_agent, settings, _asked(model, settings, budget) if model else None),
        Manifest(settings, tuple(task.id for task in tasks), data={dataset.name: checksum}),
        partial(_close, place, model),
        budget=budget,
    )


def _why_one_process(settings: Settings, agent: Agent, model: Model | None, place: Place) -> str:
    """Why only this process can play; "" where others can as well."""
    if agent.interactive:
        return "a person plays here"
    if model is not None and not model.has_server:
        return f"the model {model.name} answers in this process"
    if limits := [name for name in RateLimit.OPTIONS if name in settings.model_options]:
        return f"one process counts {limits[0]}"
    if isinstance(place, Database) and not place.is_shareable:
        return "all episodes share one database server, which belongs to this process (others: sqlite, or a URL)"
    return ""


def load(settings: Settings) -> Dataset:
    """Load the data set of *settings*.

    Raises:
        UserError: If it cannot be loaded, or has no such option.
    """
    kind = registry.find("datasets", datasets.plugin(settings.dataset))
    registry.refuse_unknown(f"the data set {settings.dataset}", settings.dataset_options, registry.options(kind))
    return datasets.load(settings.dataset, **settings.dataset_options)


def select(
    dataset: Dataset, wanted: Sequence[str], limit: int | None, left_out: Collection[str] = ()
) -> tuple[Task, ...]:
    """Select tasks, each once, in the data set's order.

    Args:
        dataset: The data set.
        wanted: Ids, ends of ids, indices, or patterns for ids (`nl2bash/fs1/*`, `*/7`); empty: all.
        limit: The most tasks. None: no limit.
        left_out: Ids of tasks that are not taken.

    Raises:
        UnknownNameError: If there is no such task, or a pattern fits none.
        UserError: If no task is left.
    """
    if left_out:
        return _but(left_out, select(dataset, wanted, None), limit)
    if not wanted:
        return tuple(dataset[index] for index in range(len(dataset) if limit is None else min(limit, len(dataset))))
    ids = {task.id for name in wanted for task in _named(dataset, name)}
    return tuple(task for task in dataset if task.id in ids)[:limit]


def _but(left_out: Collection[str], tasks: Sequence[Task], limit: int | None) -> tuple[Task, ...]:
    kept = tuple(task for task in tasks if task.id not in left_out)[:limit]
    if not kept:
        raise UserError("--without-wrong-golds leaves no task: all that were named have wrong golds")
    return kept


def _named(dataset: Dataset, name: str) -> list[Task]:
    if not set(name) & set("*?["):
        return [dataset.find(name)]
    found = [task for task in dataset if fnmatchcase(task.id, name) or fnmatchcase(task.id, f"{dataset.name}/{name}")]
    if not found:
        raise UserError(f"no task of {dataset.name} is like {name!r}; `intercode tasks {dataset.name}` lists them")
    return found


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


def needs_sandbox(settings: Settings) -> bool:
    """Whether the world of *settings* runs in a sandbox, and not on a database."""
    return bool(registry.find("envs", settings.world).needs_sandbox)


def make_model(settings: Settings) -> Model | None:
    """Make the model of *settings*; None if the agent asks none.

    Raises:
        UserError: If agent and model do not go together.
    """
    needs_model = registry.find("agents", settings.agent).needs_model
    if settings.model and not needs_model:
        raise UserError(f"the agent {settings.agent} asks no model: leave --model out, or choose another --agent")
    if not (settings.model and needs_model):
        return None
    return models.load(
        settings.model, base_url=settings.base_url, logprobs=settings.logprobs, options=settings.model_options
    )


def _asked(model: Model, settings: Settings, budget: Budget) -> ChatModel:
    """What agents get of *model*: within *budget* they can ask, and what was asked before is free if that is wanted."""
    metered = MeteredModel(model, budget)
    if not settings.cache:
        return metered
    name = f"{settings.model} {model.base_url} {settings.logprobs}"
    return ReplyCache(metered, paths.cache() / "replies.sqlite", name, settings.model_options)


def _make_agent(settings: Settings, model: ChatModel | None) -> Agent:
    options: dict[str, Any] = dict(settings.agent_options)
    if model is not None:
        options["model"] = model
    agent: Agent = registry.find("agents", settings.agent)(**options)
    agent.shell = settings.shell
    return agent


def _close(place: Place, model: Model | None) -> None:
    place.close()
    if model is not None:
        model.close()


def _with_model(manifest: Manifest, model: Model | None) -> Manifest:
    """What answers depend on besides the settings: the library that asks, and the texts in files."""
    options = manifest.settings.agent_options
    files = {name: options[name] for name in ("prompt", "demos") if options.get(name)}
    sums = {f"{name} {file}": sha256(_file_of(file).read_bytes()).hexdigest() for name, file in files.items()}
    versions = {} if model is None else model.versions
    return replace(manifest, machine={**manifest.machine, **versions}, data={**manifest.data, **sums})


def _file_of(name: str) -> Path:
    return Path(name, EPISODES) if Path(name).is_dir() else Path(name)


def make_place(settings: Settings, say: Say) -> Place:
    """Make what the environments of *settings* share: a sandbox or a database.

    Args:
        settings: With all defaults filled in.
        say: Gets a line when something slow begins.
    """
    if needs_sandbox(settings):
        return _make_sandbox(settings, say)
    return databases.find(settings.database, progress=say)


def _make_sandbox(settings: Settings, say: Say) -> Sandbox:
    """The sandbox that *settings* name, given those of our options that it takes. *say* hears of images being built."""
    kind = registry.find("sandboxes", settings.sandbox)
    options: dict[str, Any] = {"progress": say, "i_know_this_is_unsafe": settings.unsafe}
    known = inspect.signature(kind).parameters
    sandbox: Sandbox = kind(**{name: value for name, value in options.items() if name in known})
    return sandbox


def env_of(settings: Settings, dataset: Dataset, place: Place) -> Env:
    """Make an environment.

    Args:
        settings: With all defaults filled in.
        dataset: Its data set.
        place: The sandbox or the database that it uses.
    """
    known = inspect.signature(registry.find("envs", settings.world)).parameters
    options = {name: getattr(settings, name) for name in ("shell", "handicap", "attempts") if name in known}
    if isinstance(place, Database):
        options |= {"database": place}
    else:
        options |= {"sandbox": place, "image": settings.image}
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


def _manifest(settings: Settings, dataset: Dataset, tasks: Sequence[Task], place: Place) -> Manifest:
    plain = Manifest(
        settings=settings,
        tasks=tuple(task.id for task in tasks),
        data={dataset.name: dataset.checksum, **_reward(settings, dataset)},
        machine=manifests.machine(),
        command=manifests.command(),
    )
    if isinstance(place, Database):
        sources = {dataset.source(task) for task in tasks}
        files = {f"{source.name} databases": source.checksum for source in sources}
        name = settings.database.partition(":")[0]
        return replace(plain, images={name: place.version()}, data={**plain.data, **files})
    used = images_of(settings, dataset, tasks)
    return replace(
        plain,
        images={image.name: image.digest for image in used},
        reproducible=all(image.reproducible for image in used),
        isolated=place.isolated,
    )


def _reward(settings: Settings, dataset: Dataset) -> dict[str, str]:
    """The reward that judges beside the world's own two, and the digest of its source; nothing where none does."""
    if settings.reward in SCORINGS:
        return {}
    if settings.reward:
        return {f"{manifests.REWARD}{settings.reward}": rewards.digest(settings.reward)}
    if dataset.reward_file is None:
        return {}
    name = f"{dataset.name}/{dataset.reward_file.name}"
    return {f"{manifests.REWARD}{name}": rewards.digest(str(dataset.reward_file))}


def images_of(settings: Settings, dataset: Dataset, tasks: Sequence[Task]) -> Sequence[Image]:
    """The images that *tasks* are played on, each once."""
    base = images.find(settings.image)
    found: Mapping[str, Image] = {image.digest: image for image in (dataset.image(task, base) for task in tasks)}
    return tuple(found.values())
