"""The promise of a reward: HOW an episode is judged. One `EpisodeResult` in, one `Score` out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from intercode.errors import UserError
from intercode.types import Score, Scores, Task, Turn
from intercode_sandbox.sandbox import Change, Result


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
        ending: What the world's own rewards compare: the final state of both the agent and the gold. Its class is
            the world's: `BashEnding`, `SqlEnding`, `PythonEnding`, `PatchEnding` or `FlagEnding`. None in worlds that
            have none, and for a task without a gold.
        alternatives: The same with each of the task's alternative golds.
        scores: The world's own two scores, by comparison with the gold or by tests; None for a task without these.
        world: How `read` and `run` reach the world.
    """

    task: Task
    turns: tuple[Turn, ...] = ()
    answer: str | None = None
    handed_in: str = ""
    changes: tuple[Change, ...] = ()
    ending: Any = None
    alternatives: tuple[Any, ...] = ()
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

        The copy has no network, nothing of the agent's still runs in it, and the agent does not see it. Its programs
        and what steers them (the loader, interpreters' start files, settings of shells and tools) are the image's: what
        the agent left there is not in the copy, unless the task keeps it (see docs/how-to/own-task.md). What the
        command itself runs of the agent's work is the agent's. Where that breaks the copy, the agent has failed.

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


class EndingReward(Reward):
    """Judges by the ending alone: by whichever of the task's golds fits best.

    Args:
        judge: Returns the score of one ending.
        first_gold: Whether the task's alternative golds count for nothing.
    """

    def __init__(self, judge: Callable[[Any], Score], *, first_gold: bool = False) -> None:
        self._judge, self._first_gold = judge, first_gold

    def score(self, result: EpisodeResult) -> Score:
        """Return the score of the ending, or of the best of its alternatives."""
        best = self._judge(result.ending)
        for ending in () if self._first_gold else result.alternatives:
            if best.success:
                break
            best = max(best, self._judge(ending), key=lambda score: score.value)
        return best
