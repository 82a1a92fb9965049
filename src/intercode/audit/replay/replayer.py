"""The replay itself: files in, comparisons out."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from intercode.audit.replay import stored_runs
from intercode.audit.replay.comparison import ComparedEpisode, Comparison, best_variant
from intercode.audit.replay.published import recordings
from intercode.audit.replay.published.replays import REPLAYS, PublishedReplay
from intercode.audit.replay.source import ReplayItem, ReplayOptions, ReplaySource
from intercode.env.env import Env
from intercode.errors import InterruptedRunError, UserError
from intercode.runs.callback import ProgressCallback
from intercode.runs.episode_record import Key
from intercode.runs.fail_fast import FailFast
from intercode.runs.worker_pool import WorkerPool

Slot = tuple[int, int]
"""Which file, and which of its pieces."""

Share = list[tuple[Slot, ReplayItem]]
"""What one thread plays, in this order."""


def replay(
    files: Sequence[Path],
    options: ReplayOptions,
    *,
    parallel: int = 1,
    callback: ProgressCallback | None = None,
    keep_going: bool = False,
) -> list[Comparison]:
    """Execute the episodes in *files* again and compare: our runs (directories, or files in them) and recordings.

    Raises:
        BadDataError: For files that cannot be replayed, before anything runs.
        UserError: For files that cannot be replayed, or hold none of the tasks, before anything runs.
        MachineError: If there is no sandbox.
        StoppedEarlyError: If the first episodes all failed for the same reason of the machine's, unless it is to
            *keep_going*.
        InterruptedRunError: After Ctrl-C.
    """
    callback = callback or ProgressCallback()
    with ExitStack() as stack:
        stack.callback(callback.close)
        materials = list(_materials(files, options, callback, stack))
        if options.tasks and not any(material.pieces for material in materials):
            names, places = ", ".join(options.tasks), ", ".join(map(str, files))
            raise UserError(
                f"no episode of {names} in {places} can be replayed; `intercode show {files[0]}` lists them"
            )
        callback.on_start(sum(len(material.pieces) for material in materials), 0, 0)
        done = _Workers(materials, callback, stack.close, FailFast(keep_going=keep_going)).play(parallel)
    return [_comparison(number, material, done) for number, material in enumerate(materials)]


def is_stored_run(path: Path) -> bool:
    """Return whether *path* is one of our runs, and not a recording."""
    return path.is_dir() or path.suffix == ".jsonl"


def _materials(
    files: Sequence[Path], options: ReplayOptions, callback: ProgressCallback, stack: ExitStack
) -> Iterator[ReplaySource]:
    """Yield each file's episodes; what they run on is closed by *stack*."""
    replays: dict[str, PublishedReplay] = {}
    for path in files:
        if is_stored_run(path):
            material, job = stored_runs.replay_source(path, options, callback.on_message)
            stack.callback(job.close)
            yield material
        else:
            if options.reward:
                raise UserError(f"--reward judges our own runs: {path} is a recording, compared with what it was given")
            recording = recordings.read(path)
            if recording.world not in replays:
                replays[recording.world] = REPLAYS[recording.world](options, callback.on_message)
                stack.callback(replays[recording.world].close)
            source = replays[recording.world].load_source(recording)
            yield replace(source, note="; ".join(filter(None, (recording.note, source.note))))


def _comparison(number: int, material: ReplaySource, done: dict[Slot, ComparedEpisode]) -> Comparison:
    episodes, fit = best_variant([done[number, place] for place in range(len(material.pieces))])
    note = "; ".join(each for each in (material.note, fit) if each)
    return Comparison(
        material.path, material.kind, tuple(episodes), note, material.stable, material.run, material.checksum
    )


class _Workers:
    """The threads at work on all pieces."""

    def __init__(
        self,
        materials: Sequence[ReplaySource],
        callback: ProgressCallback,
        close: Callable[[], None],
        fail_fast: FailFast,
    ) -> None:
        self._todo: deque[Share] = deque()
        for number, material in enumerate(materials):
            slots: Share = [((number, place), piece) for place, piece in enumerate(material.pieces)]
            self._todo += [slots] if material.in_order else [[one] for one in slots]
        self._done: dict[Slot, ComparedEpisode] = {}
        self._watcher, self._fail_fast = callback, fail_fast
        self._pieces = sum(map(len, self._todo))
        self._worker_pool = WorkerPool(self._work, close)

    def play(self, parallel: int) -> dict[Slot, ComparedEpisode]:
        """Everything, *parallel* pieces at a time."""
        try:
            if self._todo:
                self._worker_pool.run(min(parallel, len(self._todo)))
        except KeyboardInterrupt as error:
            raise InterruptedRunError("stopped: a replay stores nothing, so begin it again") from error
        return self._done

    def _work(self) -> None:
        """One thread's life. An environment serves for as long as the pieces want the same one."""
        made_by: Callable[[], Env] | None = None
        with ExitStack() as stack:
            while self._todo and not self._worker_pool.stopped.is_set():
                try:
                    share = self._todo.popleft()
                except IndexError:  # another thread was faster
                    return
                for slot, piece in share:
                    if self._worker_pool.stopped.is_set():
                        return
                    if piece.make_env is not made_by:
                        stack.close()
                        env, made_by = stack.enter_context(piece.make_env()), piece.make_env
                    self._play(slot, piece, env)

    def _play(self, slot: Slot, piece: ReplayItem, env: Env) -> None:
        key: Key = piece.task, piece.repeat
        self._watcher.on_reset(key)
        episode = piece.play(env)
        if self._worker_pool.stopped.is_set():  # its sandbox was taken away: what it says is not to be believed
            return
        self._done[slot] = episode
        self._watcher.on_episode_end(key, episode.agrees, episode.error)
        self._fail_fast.record(piece.task, episode.error, more=len(self._done) < self._pieces)
