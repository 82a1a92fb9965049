"""The golds' endings, computed once and kept: in memory for this process, on disk for the next."""

from __future__ import annotations

import os
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from weakref import WeakKeyDictionary

from intercode import __version__, paths
from intercode.envs.core import gold_store
from intercode.envs.core.gold_runs import SECONDS, Twins, differ, run_gold, study_gold
from intercode.envs.core.gold_store import Known
from intercode.envs.core.outcome import list_tracked
from intercode.errors import SandboxError, SessionLostError
from intercode.rewards.base import Gold
from intercode.rewards.git_tracked import Tracked
from intercode.sandboxes.base import Limits, Sandbox
from intercode.sandboxes.images import Image

LISTING = 64 << 20
"""Bytes that the list of an image's files may have."""

READING = "4"
"""Another one whenever the same ending is read otherwise than before: what was kept then is not asked again."""


SETTLES = 60.0
"""Seconds after its study at which a gold that still does the same is taken to do so always."""


class GoldKeeper:
    """Knows what each gold leaves behind. Safe to use from several threads; each gold is studied by one of them.

    `of` gives the one keeper of a sandbox: environments that share a sandbox share what is known. On disk goes only
    what another process would find the same: golds on reproducible images, run in a sandbox with walls.

    A volatile gold is run again for every judgement. Two runs in one second may be alike for all that; so a gold that
    an agent's ending does not agree with is *doubted*, and run once more, until it has done the same a while later.
    """

    _keepers: WeakKeyDictionary[Sandbox, GoldKeeper] = WeakKeyDictionary()
    _guard = threading.Lock()

    def __init__(self) -> None:
        self._known: dict[str, Known] = {}
        self._tracked: dict[str, Tracked] = {}
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    @classmethod
    def of(cls, sandbox: Sandbox) -> GoldKeeper:
        """The keeper of *sandbox*, for as long as that lives."""
        with cls._guard:
            return cls._keepers.setdefault(sandbox, cls())

    def gold(
        self,
        sandbox: Sandbox,
        image: Image,
        text: str,
        *,
        started_at: float,
        limits: Limits,
        doubted: bool = False,
        archives: bool = False,
    ) -> Gold:
        """What the gold *text* leaves behind on *image*, as it would be for an agent that began at *started_at*.

        With *archives* files that are archives are told by their members.
        Raises MachineError when the sandbox gives way under it: then nothing is known of the gold.
        """
        with _without_the_agent():
            twins = Twins(sandbox, image, limits, self.tracked(sandbox, image), archives=archives)
            name = _name(twins, text)
            known = self._known.get(name)
            if known is None or (doubted and not known.settled):
                with self._lock(name):
                    known = self._known.get(name) or self._find(twins, text, started_at, name)
                    if doubted and not known.settled:
                        known = _proven(twins, text, started_at, known)
                        self._keep(twins, name, known)
            return _again(twins, text, started_at, known.gold) if known.gold.volatile else known.gold

    def tracked(self, sandbox: Sandbox, image: Image) -> Tracked:
        """What the published benchmark's repository would track in *image*."""
        with self._lock(image.digest), _without_the_agent():
            if image.digest not in self._tracked:
                with sandbox.start(image, limits=replace(Limits(), output=LISTING)) as session:
                    self._tracked[image.digest] = list_tracked(session)
            return self._tracked[image.digest]

    def _lock(self, name: str) -> threading.Lock:
        with self._guard:
            return self._locks[name]

    def _find(self, twins: Twins, text: str, started_at: float, name: str) -> Known:
        """From disk, or else by study."""
        known = gold_store.load(_path(name)) if _is_kept(twins) else None
        if known is None:
            began = time.time()
            gold = study_gold(twins, text, started_at)
            known = Known(gold, began, settled=gold.volatile or time.time() - began > SECONDS)
            self._keep(twins, name, known)
        self._known[name] = known
        return known

    def _keep(self, twins: Twins, name: str, known: Known) -> None:
        self._known[name] = known
        if _is_kept(twins):
            gold_store.save(_path(name), known)


@contextmanager
def _without_the_agent() -> Iterator[None]:
    """In here nothing of an agent's runs: a session that breaks is no failure of its."""
    try:
        yield
    except SessionLostError as error:
        raise SandboxError(f"a session for a gold, in which no agent was, has been broken: {error}") from error


def _proven(twins: Twins, text: str, started_at: float, known: Known) -> Known:
    """Run it once more: it is volatile after all, or settled if enough time has gone by."""
    if differ(run_gold(twins, text, started_at), known.gold):
        return replace(known, gold=replace(known.gold, volatile=True), settled=True)
    return replace(known, settled=time.time() - known.at > SETTLES)


def _again(twins: Twins, text: str, started_at: float, known: Gold) -> Gold:
    """A volatile gold's ending of now, with what does not depend on the moment."""
    now = run_gold(twins, text, started_at)
    return replace(
        now,
        volatile=True,
        order_free=known.order_free,
        explicit_times=known.explicit_times,
        start_times=known.start_times,
    )


def _is_kept(twins: Twins) -> bool:
    return twins.image.reproducible and twins.sandbox.isolated


def _path(name: str) -> Path:
    return paths.cache() / "golds" / name[:2] / f"{name}.json"


def _name(twins: Twins, text: str) -> str:
    """All that a gold's ending depends on, as a digest. Whether we are root decides which owners a session can have."""
    read = f"{READING} by members" if twins.archives else READING
    is_root = str(os.geteuid() == 0)
    parts = (__version__, read, twins.sandbox.label, twins.image.digest, text, repr(twins.limits), is_root)
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
