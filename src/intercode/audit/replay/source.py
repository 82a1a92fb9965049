"""What can be replayed: a file's episodes, each with the way to play it again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from intercode.audit.replay.comparison import ComparedEpisode
from intercode.env.env import Env
from intercode.runs.settings import Settings
from intercode.runs.store import StoredRun
from intercode.runs.trust import guarded
from intercode.types import Scoring


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """What is asked of a replay; "" and None stand for what the file itself says.

    `reward` judges our own runs anew.

    `tasks` are ids or patterns, `stable` a file that lists stable tasks and restricts the replay to them, `limit` the
    most episodes of a file, `file_system` (1 to 4) the one that recorded NL2Bash episodes run on. `clean`: recorded SQL
    episodes run without the tables that earlier ones had left behind. `reuse_containers`: recorded Bash episodes of
    one file share two containers, reset by git, as they did. `verified`: recorded episodes run on
    the verified set of their data set, but for those whose task it leaves out and those that ran on another file
    system.
    """

    scoring: Scoring = "paper"
    reward: str = ""
    image: str = ""
    sandbox: str = ""
    database: str = ""
    clean: bool = False
    reuse_containers: bool = False
    verified: bool = False
    unsafe: bool = False
    file_system: int | None = None
    tasks: tuple[str, ...] = ()
    stable: Path | None = None
    limit: int | None = None

    def want(self, task: str, stable: frozenset[str] = frozenset()) -> bool:
        """Return whether the episode of *task* is asked for; *stable* are the tasks in the file that `stable` names."""
        if self.stable is not None and task not in stable:
            return False
        return not self.tasks or any(fnmatchcase(task, name) or task.endswith(f"/{name}") for name in self.tasks)

    def settings(self, recorded: Settings) -> Settings:
        """Return *recorded*, on the sandbox, image or database that are asked for.

        Raises:
            UnsafeError: If its sandbox has no isolation, and that was not allowed.
        """
        sandbox, image = self.sandbox or recorded.sandbox, self.image or recorded.image
        database = self.database or recorded.database
        settings = recorded.changed(
            sandbox=sandbox, image=image, database=database, reward=self.reward or recorded.reward
        )
        return guarded(settings, self.unsafe, reward=self.reward)


@dataclass(frozen=True)
class ReplayItem:
    """One episode. Pieces with the same `make_env` can share an environment."""

    task: str
    repeat: int
    make_env: Callable[[], Env]
    play: Callable[[Env], ComparedEpisode]


@dataclass(frozen=True)
class ReplaySource:
    """One file. `in_order`: each of its pieces goes on from what the one before has left.

    `run` is the run of ours that it is, and `checksum` the one of its episodes' file when that was read.
    """

    path: Path
    kind: str
    pieces: tuple[ReplayItem, ...]
    note: str = ""
    stable: frozenset[str] = frozenset()
    in_order: bool = False
    run: StoredRun | None = None
    checksum: str = ""
