"""The replay itself: files in, comparisons out."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from intercode.envs.base import Env
from intercode.errors import Interrupted
from intercode.runs.crew import Crew
from intercode.runs.fail_fast import FailFast
from intercode.runs.replay import own, recorded
from intercode.runs.replay.compare import ComparedEpisode, Comparison, fitting
from intercode.runs.replay.material import Material, Piece, Wishes
from intercode.runs.replay.published import Workbench
from intercode.runs.replay.published_ctf import CtfWorkbench
from intercode.runs.replay.published_python import PythonWorkbench
from intercode.runs.replay.published_sql import SqlWorkbench
from intercode.runs.replay.recorded import World
from intercode.runs.store import Key
from intercode.runs.watcher import Watcher

Bench = Workbench | SqlWorkbench | PythonWorkbench | CtfWorkbench

BENCHES: Mapping[World, type[Bench]] = {
    "bash": Workbench,
    "sql": SqlWorkbench,
    "python": PythonWorkbench,
    "ctf": CtfWorkbench,
}
"""What the published recordings of a world are replayed on."""

Slot = tuple[int, int]
"""Which file, and which of its pieces."""

Share = list[tuple[Slot, Piece]]
"""What one thread plays, in this order."""


def replay(
    files: Sequence[Path],
    wishes: Wishes,
    *,
    parallel: int = 1,
    watcher: Watcher | None = None,
    keep_going: bool = False,
) -> list[Comparison]:
    """Execute the episodes in *files* again and compare: our runs (directories, or files in them) and recordings.

    Raises BadData and UserError for files that cannot be replayed, before anything runs; MachineError when there is
    no sandbox; StoppedEarlyError when the first episodes all failed for the same reason of the machine's, unless it is
    to *keep_going*; Interrupted after Ctrl-C.
    """
    watcher = watcher or Watcher()
    with ExitStack() as stack:
        stack.callback(watcher.close)
        materials = list(_materials(files, wishes, watcher, stack))
        watcher.planned(sum(len(material.pieces) for material in materials), 0, 0)
        done = _Gang(materials, watcher, stack.close, FailFast(keep_going=keep_going)).play(parallel)
    return [_comparison(number, material, done) for number, material in enumerate(materials)]


def is_own(path: Path) -> bool:
    """Whether *path* is one of our runs, and not a recording."""
    return path.is_dir() or path.suffix == ".jsonl"


def _materials(files: Sequence[Path], wishes: Wishes, watcher: Watcher, stack: ExitStack) -> Iterator[Material]:
    """Each file's episodes; what they run on is closed by *stack*."""
    benches: dict[str, Bench] = {}
    for path in files:
        if is_own(path):
            material, job = own.material(path, wishes, watcher.said)
            stack.callback(job.close)
            yield material
        else:
            recording = recorded.read(path)
            if recording.world not in benches:
                benches[recording.world] = BENCHES[recording.world](wishes, watcher.said)
                stack.callback(benches[recording.world].close)
            yield benches[recording.world].material(recording)


def _comparison(number: int, material: Material, done: dict[Slot, ComparedEpisode]) -> Comparison:
    episodes, fit = fitting([done[number, place] for place in range(len(material.pieces))])
    note = "; ".join(each for each in (material.note, fit) if each)
    return Comparison(
        material.path, material.kind, tuple(episodes), note, material.stable, material.run, material.checksum
    )


class _Gang:
    """The threads at work on all pieces."""

    def __init__(
        self, materials: Sequence[Material], watcher: Watcher, close: Callable[[], None], fail_fast: FailFast
    ) -> None:
        self._todo: deque[Share] = deque()
        for number, material in enumerate(materials):
            slots: Share = [((number, place), piece) for place, piece in enumerate(material.pieces)]
            self._todo += [slots] if material.in_order else [[one] for one in slots]
        self._done: dict[Slot, ComparedEpisode] = {}
        self._watcher, self._fail_fast = watcher, fail_fast
        self._pieces = sum(map(len, self._todo))
        self._crew = Crew(self._work, close)

    def play(self, parallel: int) -> dict[Slot, ComparedEpisode]:
        """Everything, *parallel* pieces at a time."""
        try:
            if self._todo:
                self._crew.run(min(parallel, len(self._todo)))
        except KeyboardInterrupt as error:
            raise Interrupted("stopped: a replay stores nothing, so begin it again") from error
        return self._done

    def _work(self) -> None:
        """One thread's life. An environment serves for as long as the pieces want the same one."""
        made_by: Callable[[], Env] | None = None
        with ExitStack() as stack:
            while self._todo and not self._crew.stopped.is_set():
                try:
                    share = self._todo.popleft()
                except IndexError:  # another thread was faster
                    return
                for slot, piece in share:
                    if self._crew.stopped.is_set():
                        return
                    if piece.make_env is not made_by:
                        stack.close()
                        env, made_by = stack.enter_context(piece.make_env()), piece.make_env
                    self._play(slot, piece, env)

    def _play(self, slot: Slot, piece: Piece, env: Env) -> None:
        key: Key = piece.task, piece.repeat
        self._watcher.began(key)
        episode = piece.play(env)
        if self._crew.stopped.is_set():  # its sandbox was taken away: what it says is not to be believed
            return
        self._done[slot] = episode
        self._watcher.ended(key, episode.agrees, episode.error)
        self._fail_fast.record(piece.task, episode.error, more=len(self._done) < self._pieces)
