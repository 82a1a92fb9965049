"""The promise of a reward: HOW an episode is judged. One `EpisodeResult` in, one `Score` out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from intercode.errors import UserError
from intercode.sandboxes.base import Change, Result
from intercode.types import Score, Scores, Task, Turn


class FinalWorld(Protocol):
    """The world as the agent has left it, seen from outside. Looking at it changes nothing for anybody."""

    def read(self, path: str) -> bytes:
        """See `EpisodeResult.read`."""

    def run(self, argv: Sequence[str], *, cwd: str = "/", stdin: bytes = b"", timeout: float | None = None) -> Result:
        """See `EpisodeResult.run`."""


class NoFiles:
    """The final world where there is no sandbox: nothing can be read, and nothing run."""

    def read(self, path: str) -> bytes:
        """Refuse: there are no files.

        Raises:
            FileNotFoundError: Always.
        """
        raise FileNotFoundError(2, "there are no files in this world", path)

    def run(self, argv: Sequence[str], *, cwd: str = "/", stdin: bytes = b"", timeout: float | None = None) -> Result:
        """Refuse: there is no sandbox.

        Raises:
            UserError: Always.
        """
        raise UserError("this world runs no commands for a reward: judge by result.ending and result.answer")


@dataclass(frozen=True, slots=True)
class EpisodeResult:
    """All that a reward may look at. The host has read it; only the texts of actions and answers are the agent's own.

    Attributes:
        task: The task, with its gold.
        turns: Every action with its observation, the one that is judged now included.
        answer: What the last action showed; None where nothing was run.
        handed_in: The text that came with `submit`.
        changes: All that differs from the image, in a world with files.
        ending: What the world's own two scorings compare: the final state of both the agent and the gold. Its class is
            the world's: `BashEnding`, `SqlEnding`, `PythonEnding`, `PatchEnding` or `FlagEnding`. None in worlds that
            have none, and for a task without a gold.
        scores: The world's own two scores, by comparison with the gold or by tests; None for a task without these.
        world: How `read` and `run` reach the world.
    """

    task: Task
    turns: tuple[Turn, ...] = ()
    answer: str | None = None
    handed_in: str = ""
    changes: tuple[Change, ...] = ()
    ending: object = None
    scores: Scores | None = None
    world: FinalWorld = field(default_factory=NoFiles, repr=False, compare=False)

    def read(self, path: str) -> bytes:
        """Read a file of the sandbox. The host reads it: no program of the agent's has a part in it.

        Args:
            path: An absolute path in the sandbox.

        Raises:
            FileNotFoundError: If there is no such file.
            OSError: If it is not a regular file. A reward that lets either pass scores 0.
        """
        return self.world.read(path)

    def run(self, argv: Sequence[str], *, cwd: str = "/", stdin: bytes = b"", timeout: float | None = None) -> Result:
        """Run a command in a copy of the final world, which is thrown away.

        The copy has no network, nothing of the agent's still runs in it, and the agent does not see it. But the
        programs in it are those that the agent has left, so believe what they print at your own risk. Where they break
        the copy, the agent has failed.

        Args:
            argv: The command with its arguments.
            cwd: Where it starts.
            stdin: What it reads.
            timeout: Seconds until it is killed. None: the sandbox's limit.

        Raises:
            UserError: If the world has no sandbox.
        """
        return self.world.run(argv, cwd=cwd, stdin=stdin, timeout=timeout)


class Reward(ABC):
    """Judges finished episodes. Name the class after its file: `rewards/shortest.py` has `ShortestReward`."""

    @abstractmethod
    def score(self, result: EpisodeResult) -> Score:
        """Judge *result*: a value from 0 to 1, and whether the request is met.

        The same result gets the same score, whatever was judged before. Whatever an agent has said or left, this does
        not raise. An exception is a mistake in the reward: it ends a run with a `RewardError` that names its line.
        """
