"""Any folder with any command that grades it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from intercode.audit.hackcheck.targets.base import GradedTarget, OpenTarget
from intercode.audit.hackcheck.targets.dataset import DatasetTarget
from intercode.audit.hackcheck.workspace import GradedWorkspace
from intercode.runs.factories import Say
from intercode.runs.settings import Settings


@dataclass(frozen=True)
class WorkspaceTarget(GradedTarget):
    """The folder and the command of *graded*, played as *settings* say."""

    graded: GradedWorkspace
    settings: Settings

    @property
    def name(self) -> str:
        return str(self.graded.workspace)

    @property
    def words(self) -> Sequence[str]:
        graded = self.graded
        about = {"workspace": graded.workspace, "grade": graded.grade, "solution": graded.solution}
        about |= {"request": graded.request, "reads": graded.reads}
        words = [word for name, value in about.items() if value for word in (f"--{name}", str(value))]
        return [*words, *["--same-machine"] * graded.same_machine]

    @contextmanager
    def open(self, say: Say) -> Iterator[OpenTarget]:
        with TemporaryDirectory(prefix="hackcheck-") as folder:
            made, sources = self.graded.write(Path(folder))
            settings = self.settings.changed(dataset=str(made))
            with DatasetTarget(settings, sources=sources).open(say) as target:
                yield target
