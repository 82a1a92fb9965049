"""The golds' endings, computed once and kept: in memory for this process, on disk for the next."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from intercode import __version__, paths
from intercode.envs.bash import gold_store
from intercode.envs.bash.final_state import list_tracked
from intercode.envs.bash.gold_runs import SECONDS, FreshSessions, differ, run_gold, study_gold
from intercode.envs.bash.gold_store import StoredGold
from intercode.envs.core.gold_runner import GoldRunner, fresh
from intercode.locks import locked
from intercode.rewards.bash.exact import ExactJudge
from intercode.rewards.bash.final_state import Gold
from intercode.rewards.bash.git_tracked import TrackedFiles
from intercode.sandboxes.base import Limits, Sandbox
from intercode.sandboxes.images import Image
from intercode.types import Task

LISTING = 64 << 20
"""Bytes that the list of an image's files may have."""

READING = "4"
"""Another one whenever the same ending is read otherwise than before: what was kept then is not asked again."""


JUDGES = 10_000
"""Tasks for which is remembered what their golds ask for."""

SETTLES = 60.0
"""Seconds after its study at which a gold that still does the same is taken to do so always."""

ENOUGH = 3
"""How often a gold runs again for one and the same ending until then."""


class GoldCache(GoldRunner):
    """Knows what each gold leaves behind. Safe to use from several threads; each gold is studied by one of them.

    `of` gives the one keeper of a sandbox: environments that share a sandbox share what is known. On disk goes only
    what another process would find the same: golds on reproducible images, run in a sandbox with walls.

    A volatile gold is run again for every judgement. Two runs in one second may be alike for all that; so a gold that
    an agent's ending does not agree with is rechecked: run once more, until it has done the same a while later. An
    ending that has come up often enough by then is wrong without that.
    """

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[str, StoredGold] = {}
        self._versions: dict[str, gold_store.Version | None] = {}
        """Of which file on disk each is that we know."""

        self._judges: dict[tuple[str, str | None], ExactJudge] = {}

    def gold(
        self,
        sandbox: Sandbox,
        image: Image,
        text: str,
        *,
        started_at: float,
        limits: Limits,
        unlike: str | None = None,
        archives: bool = False,
    ) -> Gold:
        """What the gold *text* leaves behind on *image*, as it would be for an agent that began at *started_at*.

        With *archives* files that are archives are told by their members. *unlike* is the name (`ending_name`) of an
        ending that does not agree with it.

        Raises:
            MachineError: If the sandbox breaks: then nothing is known of the gold.
        """
        name = _name(sandbox.label, image.digest, text, limits, archives)
        known = self._known.get(name)
        if known is not None and not known.gold.volatile and not _is_doubtful(known, unlike):
            return known.gold
        sessions = FreshSessions(sandbox, image, limits, self.tracked_files(sandbox, image), archives=archives)
        if known is None or _is_doubtful(known, unlike):
            with self.lock(name), _one_process(name):
                known = self._find(sessions, text, started_at, name)
                if unlike is not None and _is_doubtful(known, unlike):
                    known = _proven(sessions, text, started_at, known, unlike)
                    self._keep(sessions, name, known)
        return _again(sessions, text, started_at, known.gold) if known.gold.volatile else known.gold

    def judge(self, task: Task, gold: Gold) -> ExactJudge:
        """Who judges endings of *task* by *gold*; what that one has worked out serves all environments."""
        key = (task.id, task.gold)
        known = self._judges.get(key)
        if known is None or (known.task, known.gold) != (task, gold):
            if len(self._judges) >= JUDGES:
                self._judges.clear()
            known = self._judges[key] = ExactJudge(task, gold)
        return known

    @staticmethod
    def is_kept(sandbox: Sandbox, image: Image) -> bool:
        """Whether golds on *image* are kept on disk: every process would find the same."""
        return image.reproducible and sandbox.isolated

    def tracked_files(self, sandbox: Sandbox, image: Image) -> TrackedFiles:
        """What the published benchmark's repository would track in *image*."""

        def list_files() -> TrackedFiles:
            with fresh(lambda: sandbox.start(image, limits=replace(Limits(), output=LISTING))) as session:
                return list_tracked(session)

        return self.once(image.digest, list_files)

    def _find(self, sessions: FreshSessions, text: str, started_at: float, name: str) -> StoredGold:
        """From memory, from disk where another process may have been at it, or else by study."""
        known, path = self._known.get(name), _path(sessions, name)
        if path is not None and (known is None or paths.shared()):
            version = gold_store.version(path)
            if known is None or version != self._versions.get(name):
                known = gold_store.load(path) or known
                self._versions[name] = version
        if known is None:
            began = time.time()
            gold = study_gold(sessions, text, started_at)
            known = StoredGold(gold, began, verified=gold.volatile or time.time() - began > SECONDS)
            self._keep(sessions, name, known)
        self._known[name] = known
        return known

    def _keep(self, sessions: FreshSessions, name: str, known: StoredGold) -> None:
        self._known[name] = known
        if path := _path(sessions, name):
            gold_store.save(path, known)
            self._versions[name] = gold_store.version(path)


def _is_doubtful(known: StoredGold, unlike: str | None) -> bool:
    """Whether the gold is to run once more, since the ending *unlike* does not agree with it."""
    if unlike is None or known.verified:
        return False
    return known.rechecks.get(unlike, 0) < ENOUGH or time.time() - known.at > SETTLES


def _proven(sessions: FreshSessions, text: str, started_at: float, known: StoredGold, unlike: str) -> StoredGold:
    """Run it once more: it is volatile after all, or settled if enough time has gone by, or that much surer."""
    if differ(run_gold(sessions, text, started_at), known.gold):
        return replace(known, gold=replace(known.gold, volatile=True), verified=True, rechecks={})
    if time.time() - known.at > SETTLES:
        return replace(known, verified=True, rechecks={})
    return replace(known, rechecks={**known.rechecks, unlike: known.rechecks.get(unlike, 0) + 1})


def _again(sessions: FreshSessions, text: str, started_at: float, known: Gold) -> Gold:
    """A volatile gold's ending of now, with what does not depend on the moment."""
    now = run_gold(sessions, text, started_at)
    return replace(
        now,
        volatile=True,
        order_free=known.order_free,
        explicit_times=known.explicit_times,
        start_times=known.start_times,
    )


def _path(sessions: FreshSessions, name: str) -> Path | None:
    """Where the gold called *name* is stored.

    It is the cache where every process would find the same, else the folder that this run's processes share, where
    there are several.
    """
    if GoldCache.is_kept(sessions.sandbox, sessions.image):
        return paths.cache() / "golds" / name[:2] / f"{name}.json"
    shared = paths.shared()
    return None if shared is None else shared / f"{name}.json"


@contextmanager
def _one_process(name: str) -> Iterator[None]:
    """One process of a run studies a gold, others wait for what it finds. Who dies lets the next one do it."""
    shared = paths.shared()
    if shared is None:
        yield
        return
    with locked(shared / f"{name}.lock", busy=lambda: None):
        yield


@lru_cache(maxsize=10_000)
def _name(label: str, image: str, text: str, limits: Limits, archives: bool) -> str:
    """All that a gold's ending depends on, as a digest. Whether we are root decides which owners a session can have."""
    read = f"{READING} by members" if archives else READING
    parts = (__version__, read, label, image, text, repr(limits), str(_is_root()))
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _is_root() -> bool:
    """Images are read with other rights then. Windows has no root."""
    return hasattr(os, "geteuid") and os.geteuid() == 0
