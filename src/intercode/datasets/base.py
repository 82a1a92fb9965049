"""The promise of a data set: WHAT is asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from intercode.datasets.challenges import Challenge
from intercode.errors import UnknownNameError, UserError
from intercode.types import DEFAULT_WORLD, Scoring, Task
from intercode.types.databases import DatabaseSource
from intercode_sandbox.images import Image
from intercode_sandbox.network.hosts import NONE, NetworkPolicy
from intercode_sandbox.sandbox import Limits


class Dataset(ABC):
    """A finite sequence of tasks with unique ids. It reads its input, and refuses bad input, when it is made.

    A subclass writes `__len__` and `__getitem__` (or derives from `ListedDataset`) and, where its tasks need files of
    their own, `image`.
    """

    name: str
    """What the ids of its tasks begin with."""

    world: str = DEFAULT_WORLD
    default_scoring: Scoring = "exact"
    """What `--scoring` is unless told: `paper` on published data sets."""

    default_image: str = "host"
    """The image that its tasks stand on unless told."""

    default_limits: Limits | None = None
    """What a session may use unless told; None: the sandbox's own."""

    left_out: Mapping[str, str] = {}
    """Tasks of the data set that this one was made from which it does not hold, by the ends of their ids: why not."""

    notes: Sequence[str] = ()
    """What a reader should know of how its input was read, one sentence each."""

    reward_file: Path | None = None
    """A Python file with a reward, which judges unless another is chosen: see `intercode.rewards`."""

    reward_name: str = "exact"
    """What its scores are called: what `exact` means for these tasks, or another name beside the world's own."""

    @abstractmethod
    def __len__(self) -> int:
        """Return how many tasks."""

    @abstractmethod
    def __getitem__(self, index: int) -> Task:
        """Return the task at *index*, from 0.

        Raises:
            IndexError: If *index* is beyond the end.
        """

    @property
    def checksum(self) -> str:
        """A hex digest of everything that was read (here: of the tasks); goes into a run's manifest."""
        return sha256("\n".join(repr(task) for task in self).encode("utf-8", "surrogatepass")).hexdigest()

    def task_checksum(self, task: Task) -> str:
        """Return a hex digest of all that *task* is made of (here: of everything)."""
        return self.checksum

    @property
    def splits(self) -> Mapping[str, Dataset]:
        """Its published parts for training and testing, by name (`train`, `validation`, `test`); empty for none.

        A part that a set calls otherwise keeps its own name, such as MBPP's `prompt`. `intercode.datasets.load` takes
        them after a slash: `mbpp/test`.
        """
        return {}

    def image(self, task: Task, base: Image) -> Image:
        """Return the image for *task*.

        Args:
            task: One of this data set's tasks.
            base: The image that the user chose, or `default_image`.

        Returns:
            *base* with the task's own files on top. The same object for equal file systems.
        """
        return base

    def source(self, task: Task) -> DatabaseSource:
        """Return where the databases of *task* come from; the same object for equal ones.

        Raises:
            UserError: If the data set has no databases.
        """
        raise UserError(f"{self.name} has no databases: its tasks are for the world {self.world!r}")

    def database(self, task: Task) -> str:
        """Return the name of the database in `source` that *task* is about.

        Its field `db`, in small letters as in MySQL.
        """
        return str(task.extra.get("db", "")).lower()

    def challenge(self, task: Task, seed: int) -> Challenge:
        """Return the files, the flag and the service of a capture-the-flag task.

        Args:
            task: One of this data set's tasks.
            seed: The episode's seed, from which its flag is drawn.

        Raises:
            UserError: If the data set has no flags.
            MachineError: If something that the task needs is not on this machine.
        """
        raise UserError(f"{self.name} has no flags: its tasks are for the world {self.world!r}")

    def grader_files(self, task: Task) -> Sequence[Path]:
        """Return the source of what grades *task*, here: `reward_file`, with the Python files beside it."""
        if self.reward_file is None:
            return ()
        beside = sorted(self.reward_file.parent.glob("*.py"))
        return (self.reward_file, *(path for path in beside if path.name != self.reward_file.name))

    def kept_paths(self, task: Task) -> tuple[str, ...]:
        """Return the paths of the system that are work in *task*: programs that judge see what an agent left there.

        Default: none. See `intercode.env.judging_copy`.
        """
        return ()

    def network(self, task: Task) -> NetworkPolicy:
        """Return what the agent's programs may reach in *task*, as `Limits.network` says it. Default: as the limits."""
        return NONE if self.default_limits is None else self.default_limits.network_policy

    def verifier_network(self, task: Task) -> NetworkPolicy:
        """Return what programs that judge *task* may reach. Default: nothing."""
        return NONE

    def find(self, name: int | str) -> Task:
        """Find a task by its id, by the end of its id, or by its index.

        An id goes before an index: in a data set whose records bring ids, `find("3")` is the task that is called 3, and
        `find(3)` is the fourth.

        Args:
            name: An id (`nl2bash/fs1/17`), the end of one (`fs1/17`), or an index from 0, as a number or as digits.

        Raises:
            UnknownNameError: If there is no such task. Says why, where it was left out.
        """
        index = _index(name)
        if isinstance(name, str):
            end = name.removeprefix(f"{self.name}/")
            if end in self.left_out:
                raise UnknownNameError(f"{end} is not in {self.name}: {self.left_out[end]}")
            whole = {name, f"{self.name}/{name}"}
            for task in self:
                if task.id in whole or (index is None and task.id.endswith(f"/{name}")):
                    return task
        if index is None:
            raise UnknownNameError(f"no task {name!r} in {self.name}; `intercode tasks {self.name}` lists them")
        if not 0 <= index < len(self):
            raise UnknownNameError(f"no task {name} in {self.name}: it has {len(self)}, counted from 0")
        return self[index]

    def __iter__(self) -> Iterator[Task]:
        return (self[index] for index in range(len(self)))


class ListedDataset(Dataset):
    """A data set that holds all its tasks, as nearly all do: a subclass reads them into `_tasks` when it is made.

    `_checksum` is the SHA-256 of what they were read from; left alone, the checksum is that of the tasks.
    """

    _tasks: Sequence[Task]
    _checksum: str = ""

    def __len__(self) -> int:
        return len(self._tasks)

    def __getitem__(self, index: int) -> Task:
        return self._tasks[index]

    @property
    def checksum(self) -> str:
        return self._checksum or super().checksum


class Subset(ListedDataset):
    """A part of another data set, with the whole's images, defaults and checksum.

    Args:
        whole: The data set that it is a part of.
        name: What the ids of its tasks begin with: `nl2bash/fs2` of `nl2bash`.
        tasks: The tasks, whatever they are called. None: those whose ids begin with *name*, in the whole's order.

    Raises:
        UnknownNameError: If no task is in it; the message lists the parts that exist.
    """

    def __init__(self, whole: Dataset, name: str, tasks: Sequence[Task] | None = None) -> None:
        self.whole, self.name = whole, name
        self.world = whole.world
        self.default_scoring = whole.default_scoring
        self.default_image = whole.default_image
        self.default_limits = whole.default_limits
        self.reward_file, self.reward_name = whole.reward_file, whole.reward_name
        self._tasks = [task for task in whole if task.id.startswith(f"{name}/")] if tasks is None else tasks
        if not self._tasks:
            parts = sorted({*(task.id.rpartition("/")[0] for task in whole), *_split_names(whole)} - {whole.name})
            there = f"there are: {', '.join(parts)}" if parts else "it has no parts"
            raise UnknownNameError(f"no part {name!r} of {whole.name}; {there}")

    @property
    def checksum(self) -> str:
        """The whole's checksum: a part is read from the same files."""
        return self.whole.checksum

    def image(self, task: Task, base: Image) -> Image:
        """Return the whole's image for *task*."""
        return self.whole.image(task, base)

    def source(self, task: Task) -> DatabaseSource:
        """Return the whole's databases for *task*."""
        return self.whole.source(task)

    def database(self, task: Task) -> str:
        """Return the whole's database for *task*."""
        return self.whole.database(task)

    def challenge(self, task: Task, seed: int) -> Challenge:
        """Return the whole's challenge for *task*."""
        return self.whole.challenge(task, seed)

    def kept_paths(self, task: Task) -> tuple[str, ...]:
        """Return the whole's paths for *task*."""
        return self.whole.kept_paths(task)

    def network(self, task: Task) -> NetworkPolicy:
        """Return the whole's network for agents in *task*."""
        return self.whole.network(task)

    def verifier_network(self, task: Task) -> NetworkPolicy:
        """Return the whole's network for what judges *task*."""
        return self.whole.verifier_network(task)

    def grader_files(self, task: Task) -> Sequence[Path]:
        """Return the whole's files for *task*."""
        return self.whole.grader_files(task)


def _split_names(whole: Dataset) -> Iterator[str]:
    return (f"{whole.name}/{split}" for split in whole.splits)


def _index(name: int | str) -> int | None:
    """*name* as an index, where it can be one (a string of 19 digits is nobody's index and costs time to read)."""
    if isinstance(name, int):
        return name
    return int(name) if name.isdecimal() and len(name) < 19 else None
