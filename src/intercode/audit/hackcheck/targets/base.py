"""The promise of a target: tasks, how they are played and graded, who plays, and what the graders' source is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from intercode.adversaries.adversary import Adversary
from intercode.runs.factories import Say
from intercode.runs.job import Job


@dataclass(frozen=True)
class OpenTarget:
    """A target that can be played.

    Attributes:
        job: The tasks, and how environments are made that play and grade them.
        elsewhere: The same in a place of its own.
        adversaries: All that such tasks have to stand.
        sources: The files of the code that grades, where the data set does not say.
    """

    job: Job
    elsewhere: Job
    adversaries: Sequence[Adversary]
    sources: Sequence[Path] = ()


class GradedTarget(ABC):
    """Tasks with what grades them: a data set, a folder with a command, or another framework's environment."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Return what reports call it."""

    @property
    @abstractmethod
    def words(self) -> Sequence[str]:
        """Return the words of the command line that name it."""

    @property
    def advice(self) -> str:
        """Return what a user can name where no gold is right; "" for nothing."""
        return ""

    @abstractmethod
    def open(self, say: Say) -> AbstractContextManager[OpenTarget]:
        """Make it ready to be played, for as long as the context lasts.

        Args:
            say: Gets a line when something slow begins.

        Raises:
            UserError: If it is not there, or cannot be played.
            MachineError: If something that it needs cannot be started.
        """
