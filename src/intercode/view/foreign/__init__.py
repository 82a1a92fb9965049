"""Files of other programs as runs: read once, and written as a run into a folder that is gone afterwards."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from intercode.errors import BadDataError
from intercode.runs import manifest as manifests
from intercode.runs.manifest import Manifest
from intercode.runs.settings import Settings
from intercode.types import Trajectory
from intercode.types.trajectories import EPISODES, dumps
from intercode.view.foreign import atif

KINDS = "an ATIF trajectory (.json, or a folder of them) or a log of Inspect (.eval)"


def is_folder(path: Path) -> bool:
    """Return whether *path* is a folder of ATIF trajectories."""
    return path.is_dir() and any(atif.is_document(each) for each in sorted(path.glob("*.json"))[:1])


@contextmanager
def convert_to_run(path: Path) -> Iterator[Path]:
    """Provide a run's folder with the episodes in *path*.

    Raises:
        BadDataError: For what is of no kind that is known.
    """
    episodes = _unique(_reader(path)(path))
    if not episodes:
        raise BadDataError(f"{path} holds no episode")
    with tempfile.TemporaryDirectory(prefix="intercode-view-") as made:
        folder = Path(made, path.stem or "run")
        folder.mkdir()
        manifests.write(_manifest(path, episodes), folder)
        with (folder / EPISODES).open("w", encoding="ascii") as file:
            file.writelines(f"{dumps(episode)}\n" for episode in episodes)
        yield folder


def _reader(path: Path) -> Callable[[Path], Iterable[Trajectory]]:
    if path.suffix == ".eval":
        from intercode.view.foreign import inspect

        return inspect.read
    if not (is_folder(path) or atif.is_document(path)):
        raise BadDataError(f"{path} is neither a run nor {KINDS}")
    return atif.read


def _unique(episodes: Iterable[Trajectory]) -> list[Trajectory]:
    """Return the same, told apart by their repeats where they are of one task."""
    counts: dict[str, int] = {}
    found = []
    for episode in episodes:
        number = counts.get(episode.task.id, 0)
        counts[episode.task.id] = number + 1
        found.append(replace(episode, repeat=number))
    return found


def _manifest(path: Path, episodes: list[Trajectory]) -> Manifest:
    tasks = tuple(dict.fromkeys(episode.task.id for episode in episodes))
    repeat = max(episode.repeat for episode in episodes) + 1
    models = [call.reply.model for turn in episodes[0].turns for call in turn.calls]
    settings = Settings(
        dataset=path.name,
        world=episodes[0].task.world,
        agent=episodes[0].agent,
        scoring="exact",
        repeat=repeat,
        model=next(iter(models), ""),
    )
    return Manifest(settings, tasks, started_at=min(each.started_at for each in episodes), machine={"read": str(path)})
