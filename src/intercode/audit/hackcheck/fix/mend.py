"""Writes the hardened form of what grades beside the old one, and plays it: the gold must still earn 1."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from intercode import datasets
from intercode.adversaries.adversary import Adversary, playing
from intercode.adversaries.hole_classes import HoleClass
from intercode.audit.hackcheck.check import HackCheck
from intercode.audit.hackcheck.fix.rewrites import rewrites_of
from intercode.audit.hackcheck.verdict import TaskCheck
from intercode.errors import UserError
from intercode.runs.job import prepare
from intercode.runs.settings import Settings
from intercode.util.regular_files import read_text

HARDENED = ".hardened"
"""Stands before the end of a hardened file's name."""

MOST_GRADERS = 20
"""Files of which a hardened form is made."""


@dataclass(frozen=True, slots=True)
class HardenedFile:
    """A file that grades: the file, its hardened form, and what was changed; nothing where nothing could be."""

    file: Path
    written: Path | None
    changes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HoleAfter:
    """A hole: its task and class, and what it earned before and earns now."""

    task: str
    kind: HoleClass
    before: float
    after: float

    @property
    def is_closed(self) -> bool:
        """Return whether it earns less than before."""
        return self.after < self.before


@dataclass(frozen=True, slots=True)
class Fix:
    """What was written, and what the holes that were found earn now; the golds earn 1 with all that was written."""

    files: tuple[HardenedFile, ...]
    holes: tuple[HoleAfter, ...]


def fix(settings: Settings, checks: Sequence[TaskCheck]) -> Fix:
    """Write hardened forms of what grades the tasks of *checks* that have holes.

    Args:
        settings: How the data set was checked: a folder with a `reward.py`, or of Harbor's tasks.
        checks: The verdicts, with holes that are proved.

    Raises:
        UserError: If the data set is no folder, or a file cannot be written.
    """
    top = Path(settings.dataset)
    if not top.is_dir():
        raise UserError(f"--fix writes beside what grades: name a folder, not {settings.dataset!r}")
    open_checks = [check for check in checks if check.holes]
    texts = {path: read_text(path) for path in _graders(settings, open_checks, top)}
    with TemporaryDirectory(prefix="hardened-") as made:
        trial = _Trial(top, Path(made), settings, tuple(check.task for check in open_checks))
        changes = {path: _harden(path, texts, trial) for path in texts}
        holes = tuple(after for check in open_checks for after in _replay(check, texts, trial))
    return Fix(tuple(_write(path, texts[path], changes[path]) for path in texts), holes)


def _graders(settings: Settings, checks: Sequence[TaskCheck], top: Path) -> list[Path]:
    """Return the files in *top* that grade what was checked, each once."""
    dataset = datasets.load(settings.dataset, **settings.dataset_options)
    found = [path for check in checks for path in dataset.grader_files(dataset.find(check.task))]
    inside = [path for path in found if path.resolve().is_relative_to(top.resolve()) and HARDENED not in path.name]
    return [path for path in dict.fromkeys(inside) if any(rewrites_of(path.name))][:MOST_GRADERS]


@dataclass
class _Trial:
    """Plays copies of the data set in which files that grade have other texts.

    Each copy is a folder of its own: a reward's module is known by its path.
    """

    top: Path
    room: Path
    settings: Settings
    tasks: tuple[str, ...]
    number: int = 0

    def check(
        self, texts: Mapping[Path, str], adversaries: Sequence[Adversary] = (), tasks: tuple[str, ...] = ()
    ) -> Sequence[TaskCheck]:
        """Play the golds and *adversaries* where the files have these *texts*."""
        self.number += 1
        top = self.top.resolve()
        copy = Path(shutil.copytree(top, self.room / str(self.number) / top.name, symlinks=True))
        for path, text in texts.items():
            (copy / path.resolve().relative_to(top)).write_text(text, encoding="utf-8")
        chosen = self.settings.changed(dataset=str(copy), tasks=tasks or self.tasks)
        with prepare(chosen) as job, prepare(chosen) as elsewhere:
            return HackCheck(job, elsewhere, adversaries).run()


def _harden(path: Path, texts: dict[Path, str], trial: _Trial) -> tuple[str, ...]:
    """Change the text of *path* among *texts*, as far as the golds still earn 1 then, and return what was changed."""
    kept = []
    for what, rewrite in rewrites_of(path.name):
        changed = rewrite(texts[path])
        if changed == texts[path]:
            continue
        checks = trial.check({**texts, path: changed})
        if all(check.gold and check.gold_is_right(check.scoring) for check in checks):
            texts[path] = changed
            kept.append(what)
    return tuple(kept)


def _replay(check: TaskCheck, texts: Mapping[Path, str], trial: _Trial) -> list[HoleAfter]:
    moves = {f"hole {number}": hole for number, hole in enumerate(check.holes)}
    players = [Adversary(name, hole.kind.name, playing(hole.moves)) for name, hole in moves.items()]
    [after] = trial.check(texts, players, (check.task,))
    found = {each.name: each.value(after.scoring) for each in after.adversaries}
    return [HoleAfter(check.task, hole.kind, hole.value, found[name]) for name, hole in moves.items()]


def _write(path: Path, text: str, changes: tuple[str, ...]) -> HardenedFile:
    if not changes:
        return HardenedFile(path, None, ())
    written = path.with_name(f"{path.stem}{HARDENED}{path.suffix}")
    try:
        written.write_text(text, encoding="utf-8")
        written.chmod(path.stat().st_mode & 0o777)
    except OSError as error:
        raise UserError(f"cannot write {written}: {error.strerror}") from error
    return HardenedFile(path, written, changes)
