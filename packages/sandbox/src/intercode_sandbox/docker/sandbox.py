"""Containers of a Docker engine (or Podman's socket): the same promise as the embedded sandbox, for images of theirs.

One container for each session, kept ready ahead. Process 1 in it is our own runner, so commands start in milliseconds
and what they start is really killed; files are compared from outside, in the container's layer. Guards: file system,
processes, network (none, or a filtering proxy), host name, IPC, system calls, capabilities, set-user-id programs;
limits on time, memory, processes, output and the size of a file. Does NOT guard: root in a container is this machine's
root, fenced in by capabilities, masks and filters only (unless the engine remaps users or is rootless); disk as a whole
is only watched; whoever may speak to the engine is root on this machine: the engine is trusted. See docs/security.md.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from intercode_sandbox.docker.base_image import BaseImageState, read_base_image, with_reference
from intercode_sandbox.docker.container import Container
from intercode_sandbox.docker.container_pool import ContainerPool
from intercode_sandbox.docker.ctime_diff import ReferenceContainer
from intercode_sandbox.docker.disk_monitor import DiskMonitor
from intercode_sandbox.docker.engine import Engine, connect
from intercode_sandbox.docker.layer_folders import folders, open_layers, why_unreadable
from intercode_sandbox.docker.session import DockerSession, DockerSnapshot
from intercode_sandbox.engine.errors import EngineError
from intercode_sandbox.errors import SandboxError
from intercode_sandbox.images import Image, Layer
from intercode_sandbox.images.engine_store import EngineImageStore, RunScript, cached_image, run_set_up, set_up_image
from intercode_sandbox.images.image import Progress
from intercode_sandbox.images.script_layer import ScriptLayer
from intercode_sandbox.limits import SCRIPT_LIMITS
from intercode_sandbox.network.gateway import NetworkGateway
from intercode_sandbox.sandbox import Limits, Sandbox, Snapshot
from intercode_sandbox.util.closing import HomeProcess

FOLDER = "intercode-containers-"


def _say_nothing(_: str) -> None:
    pass


class DockerSandbox(Sandbox):
    """See the module. *ahead* containers are kept ready for each image; *engine* is the URL of one (None: the usual).

    *limits* are for sessions that name none; *progress* is told, in a line, when something slow begins (an image).
    Nothing is asked of the engine before the first session.
    """

    isolated = True
    gives_network = True
    gives_terminal = True

    def __init__(
        self, *, limits: Limits | None = None, ahead: int = 1, engine: str = "", progress: Progress = _say_nothing
    ) -> None:
        self.limits = limits or Limits()
        self.limits.check_for_all()
        self._gateway = NetworkGateway()
        self._ahead, self._url, self._progress = ahead, engine, progress
        self._lock = threading.Condition()
        self._home = HomeProcess()
        self._place: _ImageSessions | None = None
        self._watch: DiskMonitor | None = None
        self._sessions: set[DockerSession] = set()
        self._starting = 0
        self._closed = False

    def start(
        self, image: Image, *, snapshot: Snapshot | None = None, started_at: float | None = None,
        limits: Limits | None = None, shuffle: int = 0,
    ) -> DockerSession:  # fmt: skip
        """See `Sandbox.start`. *shuffle* has no effect: on the engine's disk names are in an order of their own."""
        self._home.check(self)
        with self._lock:
            place = self._ready()
            self._starting += 1
        try:
            return self._start(place, image, snapshot, started_at, limits or self.limits)
        finally:
            with self._lock:
                self._starting -= 1
                self._lock.notify_all()

    def _start(
        self, place: _ImageSessions, image: Image, snapshot: Snapshot | None, started_at: float | None, limits: Limits
    ) -> DockerSession:
        base_state = place.base_state(image) if snapshot is None else place.branch(snapshot, image)
        stamp = int((time.time() if started_at is None else started_at) * 1e9)
        make = place.pool.take if snapshot is None else place.pool.make
        container = make(base_state, limits)
        try:
            session = DockerSession(container, base_state, limits, stamp, place)
        except BaseException:
            place.pool.drop(container)
            raise
        session.probe = lambda: _is_sound(place, container, base_state, limits)
        self._remember(session)
        session.connect_network(self._gateway)
        return session

    def _remember(self, session: DockerSession) -> None:
        with self._lock:
            self._sessions.add(session)
        session.on_close = lambda: self._forget(session)

    def _forget(self, session: DockerSession) -> None:
        with self._lock:
            self._sessions.discard(session)
            place = self._place
        if place is not None:
            place.pool.drop(session.container)

    def _ready(self) -> _ImageSessions:
        with self._lock:
            if self._closed:
                raise SandboxError("this sandbox is closed")
            if self._place is None:
                self._place = _ImageSessions(connect(self._url), self._ahead, self._run_script, self._progress)
                self._watch = DiskMonitor(self._living)
            return self._place

    def _living(self) -> list[DockerSession]:
        with self._lock:
            return list(self._sessions)

    def _run_script(self, below: tuple[Layer, ...], layer: ScriptLayer, name: str) -> None:
        """Run a script layer in a session and keep what it did as the engine's image *name*."""
        with self.start(set_up_image(below), limits=SCRIPT_LIMITS.with_network(layer.network)) as session:
            run_set_up(session, layer)
            session.kill()
            session.container.engine.commit(session.container.id, name=name, labels=cached_image(layer))

    def close(self) -> None:
        """See `Sandbox.close`. Sessions that are starting meanwhile, in other threads, are waited for, and closed."""
        if not self._home.is_here:
            return
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._lock.wait_for(lambda: self._starting == 0)
            sessions = list(self._sessions)
        for session in sessions:
            session.close()
        if self._watch is not None:
            self._watch.close()
        if self._place is not None:
            self._place.close()
        self._gateway.close()


class _ImageSessions:
    """An engine, and all that is kept there and here while the sandbox is open."""

    def __init__(self, engine: Engine, ahead: int, run_script: RunScript, progress: Progress) -> None:
        self.engine = engine
        self._stock = EngineImageStore(engine, run_script, progress)
        self._folder = _folder_for_sockets()
        self.pool = ContainerPool(engine, self._folder, ahead)
        self._base_states: dict[str, BaseImageState] = {}
        self._references: list[ReferenceContainer] = []
        self._branches: dict[str, BaseImageState] = {}
        self._kept: set[str] = set()
        self._released: set[str] = set()
        self._guard = threading.Lock()

    def base_state(self, image: Image) -> BaseImageState:
        """Return what sessions of *image* stand on; made now where nobody has asked for it."""
        with self._guard:
            found = self._base_states.get(image.digest)
        if found is None:
            names = self._stock.names(image)  # may take minutes: others go on
            found = self._with_reference(read_base_image(self.engine, image.known(*self._stock.settings(image)), names))
            with self._guard:
                found = self._base_states.setdefault(image.digest, found)
        return found

    def branch(self, snapshot: Snapshot, image: Image) -> BaseImageState:
        """Return what a session that goes on from *snapshot* stands on."""
        if not isinstance(snapshot, DockerSnapshot) or snapshot.closed:
            raise SandboxError("this snapshot is closed, or another sandbox made it")
        if snapshot.base_state.image.digest != image.digest:
            raise SandboxError(f"the snapshot is of image {snapshot.base_state.image.name!r}, not of {image.name!r}")
        with self._guard:
            if snapshot.stored.image not in self._branches:
                readable = snapshot.base_state.reference is None
                lowers = open_layers(folders(self.engine.image(snapshot.stored.image))) if readable else ()
                branch = replace(
                    snapshot.base_state,
                    name=snapshot.stored.image,
                    lowers=lowers,
                    given=snapshot.stored.given,
                    unset={},
                    before=snapshot.stored.before,
                    is_branch=True,
                )
                self._branches[snapshot.stored.image] = self._with_reference(branch)
            return self._branches[snapshot.stored.image]

    def _with_reference(self, base_state: BaseImageState) -> BaseImageState:
        """Return the same, with a container to compare with where layers cannot be read."""
        if not why_unreadable(self.engine.facts):
            return base_state
        reference = ReferenceContainer(lambda: self.pool.make(base_state, SCRIPT_LIMITS), self.pool.drop)
        self._references.append(reference)
        return with_reference(base_state, reference)

    def keep(self, image: str) -> None:
        """See `SnapshotStore`."""
        with self._guard:
            self._kept.add(image)

    def release(self, image: str) -> None:
        """See `SnapshotStore`."""
        with self._guard:
            branch = self._branches.pop(image, None)
            if branch is not None and branch.reference is not None:
                branch.reference.close()
            self._kept.discard(image)
            self._released = {each for each in {*self._released, image} if not self.engine.remove_image(each)}

    def close(self) -> None:
        """Remove everything but the images that are kept."""
        for reference in self._references:
            reference.close()
        self.pool.close()
        with self._guard:
            with suppress(SandboxError):  # from an engine that has died `intercode doctor --clean` takes them later
                for image in {*self._released, *self._kept}:
                    _remove(self.engine, image)
            for base_state in (*self._base_states.values(), *self._branches.values()):
                base_state.close()
        self.engine.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def _is_sound(place: _ImageSessions, container: Container, base_state: BaseImageState, limits: Limits) -> bool:
    """Return whether nobody but what runs in *container* has ended it, and a fresh one works beside it."""
    try:
        fresh = place.pool.make(base_state, limits) if place.engine.is_left_alone(container.id) else None
    except SandboxError:
        return False
    if fresh is not None:
        place.pool.drop(fresh)
    return fresh is not None


def _remove(engine: Engine, image: str) -> None:
    """Its containers have ended, and may still be going: then the engine refuses, and is asked again."""
    for pause in (0.0, 0.2, 1.0, 5.0, 15.0):
        time.sleep(pause)
        with suppress(EngineError):
            if engine.remove_image(image, force=True):
                return


def _folder_for_sockets() -> Path:
    """Return a new temporary folder; those that killed processes have left go."""
    for stale in Path(tempfile.gettempdir()).glob(f"{FOLDER}*-*"):
        if not Path("/proc", stale.name.removeprefix(FOLDER).partition("-")[0]).exists():
            shutil.rmtree(stale, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{FOLDER}{os.getpid()}-"))
    folder.chmod(0o711)  # where users are remapped, a container's root is nobody here
    return folder
