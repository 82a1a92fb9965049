"""A data set, or a folder of tasks, that InterCode itself plays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from intercode.audit.hackcheck.adversaries import of_world
from intercode.audit.hackcheck.targets.base import GradedTarget, OpenTarget
from intercode.runs.factories import Say
from intercode.runs.job import prepare
from intercode.runs.settings import Settings


@dataclass(frozen=True)
class DatasetTarget(GradedTarget):
    """The tasks that *settings* name, in their world.

    Attributes:
        settings: As for a run.
        named: The words of the command line that name the data set, if it was named.
        sources: Files that grade, where the data set does not say.
    """

    settings: Settings
    named: Sequence[str] = ()
    sources: Sequence[Path] = ()

    @property
    def name(self) -> str:
        return self.settings.dataset

    @property
    def words(self) -> Sequence[str]:
        return self.named

    @contextmanager
    def open(self, say: Say) -> Iterator[OpenTarget]:
        with ExitStack() as stack:
            job = stack.enter_context(prepare(self.settings, say=say))
            elsewhere = stack.enter_context(prepare(self.settings))
            yield OpenTarget(job, elsewhere, of_world(job.settings.world), self.sources)
