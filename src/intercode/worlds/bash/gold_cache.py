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

from intercode import __version__
from intercode.env.gold_runner import GoldRunner, fresh
from intercode.rewards.core.file_endings import Gold
from intercode.worlds.bash import gold_store
from intercode.worlds.bash.final_state import list_tracked
from intercode.worlds.bash.gold_runs import FreshSessions, run_gold, study_gold
from intercode.worlds.bash.scoring.git_tracked import TrackedFiles
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Limits, Sandbox
from intercode_sandbox.util import paths
from intercode_sandbox.util.locks import locked

LISTING = 64 << 20
"""Bytes that the list of an image's files may have."""

READING = "6"
"""Another one whenever the same ending is read otherwise than before: what was kept then is not asked again."""


class GoldCache(GoldRunner):
    """Knows what each gold leaves behind. Safe to use from several threads; each gold is studied by one of them.

    `of` gives the one keeper of a sandbox: environments that share a sandbox share what is known. A gold is studied at
    its first use; what it does is then a fact, that goes with the digest of its image. On disk goes only what another
    process would find the same: golds on reproducible images, run in a sandbox with walls.

    Two kinds are no facts. One that was cut is not kept at all, and is studied again for the next judgement. A volatile
    one is run again for every judgement.
    """

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[str, Gold] = {}

    def gold(
        self,
        sandbox: Sandbox,
        image: Image,
        text: str,
        *,
        started_at: float,
        limits: Limits,
        archives: bool = False,
    ) -> Gold:
        """Return what the gold *text* leaves behind on *image*, as it would be for an agent that began at *started_at*.

        With *archives* files that are archives are told by their members.

        Raises:
            MachineError: If the sandbox breaks: then nothing is known of the gold.
        """
        name = _name(sandbox.label, image.digest, text, limits, archives)
        known = self._known.get(name)
        if known is not None and not known.volatile:
            return known
        sessions = FreshSessions(sandbox, image, limits, self.tracked_files(sandbox, image), archives=archives)
        if known is None:
            with self.lock(name), _one_process(name):
                known = self._find(sessions, text, name)
        return _again(sessions, text, started_at, known) if known.volatile else known

    @staticmethod
    def is_kept(sandbox: Sandbox, image: Image) -> bool:
        """Return whether golds on *image* are kept on disk: every process would find the same."""
        return image.reproducible and sandbox.isolated

    def tracked_files(self, sandbox: Sandbox, image: Image) -> TrackedFiles:
        """Return what the published benchmark's repository would track in *image*."""

        def list_files() -> TrackedFiles:
            with fresh(lambda: sandbox.start(image, limits=replace(Limits(), output=LISTING).for_judging())) as session:
                return list_tracked(session)

        return self.once(image.digest, list_files)

    def _find(self, sessions: FreshSessions, text: str, name: str) -> Gold:
        """Return a gold from memory, from disk, or else by study. What was cut is remembered nowhere.

        It is studied as of now, whenever the agent began: what is kept serves others, and in a session that is said to
        begin at another time than its clock tells, files have other ages.
        """
        if name in self._known:
            return self._known[name]
        path = _path(sessions, name)
        known = gold_store.load(path) if path else None
        if known is None:
            known = study_gold(sessions, text, time.time())
            if known.cut:
                return known
            if path:
                gold_store.save(path, known)
        self._known[name] = known
        return known


def _again(sessions: FreshSessions, text: str, started_at: float, known: Gold) -> Gold:
    """Return a volatile gold's ending of now, with what does not depend on the moment."""
    now = run_gold(sessions, text, started_at)
    return replace(
        now,
        volatile=True,
        order_free=known.order_free,
        explicit_times=known.explicit_times,
        start_times=known.start_times,
    )


def _path(sessions: FreshSessions, name: str) -> Path | None:
    """Return where the gold called *name* is stored.

    It is the cache where every process would find the same, else the folder that this run's processes share, where
    there are several.
    """
    if GoldCache.is_kept(sessions.sandbox, sessions.image):
        return paths.cache() / "golds" / name[:2] / f"{name}.json"
    shared = paths.shared()
    return None if shared is None else shared / f"{name}.json"


@contextmanager
def _one_process(name: str) -> Iterator[None]:
    """Provide one process of a run studies a gold, others wait for what it finds. Who dies lets the next one do it."""
    shared = paths.shared()
    if shared is None:
        yield
        return
    with locked(shared / f"{name}.lock", busy=lambda: None):
        yield


@lru_cache(maxsize=10_000)
def _name(label: str, image: str, text: str, limits: Limits, archives: bool) -> str:
    """Return all that a gold's ending depends on, as a digest.

    Whether we are root decides which owners a session can have.
    """
    read = f"{READING} by members" if archives else READING
    parts = (__version__, read, label, image, text, repr(limits), str(_is_root()))
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _is_root() -> bool:
    """Images are read with other rights then. Windows has no root."""
    return hasattr(os, "geteuid") and os.geteuid() == 0
