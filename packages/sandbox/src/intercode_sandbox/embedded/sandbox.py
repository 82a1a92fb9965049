"""The embedded sandbox: bubblewrap outside, a zygote and runners in C inside. A reset is a mount.

Guards: file system, processes, network (none, or a filtering proxy), users, host name, IPC, system calls, capabilities;
limits on time, memory, processes, disk, inodes and output. Does NOT guard against: holes in the kernel's namespaces,
overlayfs or seccomp themselves; side channels through the processor; use of processors that nobody else wants (with
control groups each session has one share, without each process; see `docs/decisions/judging-time.md`). Before Linux 6.6
what ordinary users' sessions write is on disk, and its limit a watch (`helper/disk.c`).
"""

from __future__ import annotations

import threading
import time
from contextlib import suppress

from intercode_sandbox.embedded import scratch
from intercode_sandbox.embedded.control_groups.groups import SessionGroup
from intercode_sandbox.embedded.image_backend import ImageBackend, connect, session_request
from intercode_sandbox.embedded.layer_builder import EmbeddedLayerBuilder
from intercode_sandbox.embedded.scratch import Scratch
from intercode_sandbox.embedded.session import EmbeddedSession, EmbeddedSnapshot
from intercode_sandbox.embedded.spare_sessions import MOST, SessionKind, SpareSessions
from intercode_sandbox.embedded.supervisor import Supervisor
from intercode_sandbox.embedded.user_namespace import UserNamespace, find_user
from intercode_sandbox.errors import SandboxError, SnapshotError
from intercode_sandbox.images import Image
from intercode_sandbox.images.image import Progress
from intercode_sandbox.images.store import ImageStore
from intercode_sandbox.network.gateway import NetworkGateway
from intercode_sandbox.runner.channel import ANSWER_SECONDS
from intercode_sandbox.sandbox import Limits, Sandbox, Session, Snapshot
from intercode_sandbox.util.closing import HomeProcess

CLOSED = "this sandbox is closed"
NO_START = "no session can be started: {}; if too many files are open, `ulimit -n` allows more"

IDLE_IMAGES = 32
"""Images without a session whose bubblewraps stay: each has two processes, 0.25 MB and a descriptor for each layer."""


def _say_nothing(_: str) -> None:
    pass


class EmbeddedSandbox(Sandbox):
    """See the module. One bubblewrap per image, started with the first session, shared by all threads.

    Of images without a session the *idle_images* last used ones keep theirs; the others' are started anew when needed.
    At most *ahead* sessions are made ready ahead, while agents think (0: none), where they do not depend on the time.
    *limits* are for sessions that name none; *progress* is told, in a line, when something slow begins (an image).
    *on_disk* keeps what sessions write on disk instead of in memory, whose limit is a watch then, and which resets more
    slowly: for programs that look at the sizes of folders or of the disk (`du`, `df`), and where nothing else can be.
    """

    isolated = True
    gives_network = True
    gives_terminal = True

    def __init__(
        self, *, limits: Limits | None = None, progress: Progress = _say_nothing, on_disk: bool = False,
        idle_images: int = IDLE_IMAGES, ahead: int = MOST,
    ) -> None:  # fmt: skip
        self.limits, self._idle_images = limits or Limits(), idle_images
        self.limits.check_for_all()
        self._upper: scratch.Upper = "disk" if on_disk else scratch.upper()
        self._identity = find_user()
        self._namespace: UserNamespace | None = None
        self._backends: dict[str, ImageBackend] = {}
        self._dead_backends: list[ImageBackend] = []
        self._lock = threading.RLock()
        self._home = HomeProcess()
        self._dying: list[SessionGroup] = []
        self._sessions: set[EmbeddedSession] = set()
        self._closed = False
        self._spares = SpareSessions(ahead)
        self._layer_builder = EmbeddedLayerBuilder(self)
        self._scratch: Scratch | None = None
        self._gateway = NetworkGateway()
        self.store = ImageStore(layer_builder=self._layer_builder, progress=progress)

    @property
    def label(self) -> str:
        """See `Sandbox.label`: on disk folders have other sizes."""
        return "EmbeddedSandbox, on disk" if self._upper == "disk" else "EmbeddedSandbox"

    @property
    def namespace(self) -> UserNamespace | None:
        """The user namespace that all bubblewraps share; None with a single id, where each makes its own."""
        with self._lock:
            if self._namespace is None and self._identity.kind != "single":
                self._namespace = UserNamespace(self._identity)
            return self._namespace

    def start(
        self, image: Image, *, snapshot: Snapshot | None = None, started_at: float | None = None,
        limits: Limits | None = None, shuffle: int = 0,
    ) -> Session:  # fmt: skip
        """See `Sandbox.start`. A session that does not depend on when it starts may have been made ahead."""
        self._home.check(self)
        self.check(limits)
        if snapshot is not None:
            _descriptor(snapshot, image)
        limits = limits or self.limits
        stamp = int((time.time() if started_at is None else started_at) * 1e9)
        session = self._take_or_start(image, snapshot, stamp, limits, shuffle)
        session.connect_network(self._gateway)
        return session

    def _take_or_start(
        self, image: Image, snapshot: Snapshot | None, stamp: int, limits: Limits, shuffle: int
    ) -> EmbeddedSession:
        if snapshot is not None or shuffle:
            return self._start(image, snapshot, stamp, limits, shuffle)
        kind = SessionKind.of(image, limits)
        session = self._spares.take(kind)
        if session is not None and not session.begin(stamp):
            session.close()
            session = None
        if session is None:
            session = self._start(image, None, stamp, limits, 0)
        if session.is_timeless and self._upper == "tmpfs":
            self._spares.order(kind, lambda: self._start(image, None, 0, limits, 0, waits=False))
        return session

    def _start(
        self, image: Image, snapshot: Snapshot | None, stamp: int, limits: Limits, shuffle: int, *, waits: bool = True
    ) -> EmbeddedSession:
        try:
            return self._start_in_backend(image, snapshot, stamp, limits, shuffle, waits=waits)
        except OSError as error:  # no bug of ours: the machine gives no more files or processes
            raise SandboxError(NO_START.format(error)) from error

    def _start_in_backend(
        self, image: Image, snapshot: Snapshot | None, stamp: int, limits: Limits, shuffle: int, *, waits: bool
    ) -> EmbeddedSession:
        backend = self._acquire_backend(image, tracing=limits.tracing, was_alive=not waits)
        try:
            session = self._open(backend, image, snapshot, stamp, limits, shuffle, waits=waits)
        except SandboxError as error:
            is_its_doing = snapshot is not None and self._is_sound(backend, image, limits)
            self._release_backend(backend)
            if is_its_doing:
                raise SnapshotError(f"no session can go on from this snapshot: {error}") from error
            raise
        except BaseException:
            self._release_backend(backend)
            raise
        session.probe = lambda: self._is_sound(backend, image, limits)
        self._remember(session)
        return session

    def _is_sound(self, backend: ImageBackend, image: Image, limits: Limits) -> bool:
        """Return whether a fresh session works, in time, beside one that does not."""
        began = time.monotonic()
        with self._lock:
            backend.users += 1
        try:
            session = self._open(backend, image, None, time.time_ns(), limits, 0)
        except (SandboxError, OSError):
            self._release_backend(backend)
            return False
        with session, suppress(SandboxError):
            session.snapshot().close()
            session.kill()
            return time.monotonic() - began < ANSWER_SECONDS
        return False

    def _open(
        self, backend: ImageBackend, image: Image, snapshot: Snapshot | None, stamp: int, limits: Limits, shuffle: int,
        *, waits: bool = True,
    ) -> EmbeddedSession:  # fmt: skip
        image = image.known(backend.supervisor.mounts[0].env, backend.supervisor.mounts[0].workdir)
        given = [_descriptor(snapshot, image)] if snapshot is not None else []
        groups = backend.supervisor.groups
        group = groups.make(limits) if groups is not None else None
        number = self._scratch.acquire() if self._scratch else 0
        session = None
        try:
            request = session_request(
                backend, image, limits, stamp, shuffle, scratch_number=number, goes_on=bool(snapshot)
            )
            connection = connect(backend, request, given, group.entrances if group is not None else ())
            stamps = dict.fromkeys(backend.fresh_layers, stamp)
            base = backend.session_base(self._identity, self._scratch)
            session = EmbeddedSession(image, limits, base, stamps, connection, group)
            if waits:
                session.wait_until_up()
        except BaseException:
            if session is not None:
                session.close()
            self._clear_up(group, number)
            raise
        session.on_close = lambda: self._forget(session, group, number, backend)
        return session

    def _remember(self, session: EmbeddedSession) -> None:
        """So that it ends with the sandbox; at once where that was closed while it started."""
        with self._lock:
            self._sessions.add(session)
            too_late = self._closed
        if too_late:
            session.close()
            raise SandboxError(CLOSED)

    def _forget(self, session: EmbeddedSession, group: SessionGroup | None, number: int, backend: ImageBackend) -> None:
        with self._lock:
            self._sessions.discard(session)
        groups = backend.supervisor.groups
        is_kept = group is not None and groups is not None and groups.keep(group, session.limits)
        self._clear_up(None if is_kept else group, number)
        self._release_backend(backend)

    def _release_backend(self, backend: ImageBackend) -> None:
        """One of its sessions has ended. The images that were left longest ago are no longer kept ready."""
        with self._lock:
            backend.users -= 1
            if self._closed:
                return  # `close` ends all of them
            if self._backends.get(backend.key) is backend:
                self._backends[backend.key] = self._backends.pop(backend.key)  # the last that was used
            if backend.users:
                return
            idle = [each for each in self._backends.values() if not each.users]
            gone = idle[: max(len(idle) - self._idle_images, 0)]
            for each in gone:
                del self._backends[each.key]
            dead = [each for each in self._dead_backends if not each.users]
            self._dead_backends = [each for each in self._dead_backends if each.users]
        for each in (*gone, *dead):
            each.close()

    def _clear_up(self, group: SessionGroup | None, number: int) -> None:
        """Remove the session's folder, and the groups that have emptied by now: the kernel takes a moment for that."""
        if self._scratch is not None:
            self._scratch.release(number)
        if group is None and not self._dying:
            return
        with self._lock:
            groups = [*self._dying, *([group] if group else [])]
            self._dying = [one for one in groups if not one.remove()]

    def _acquire_backend(self, image: Image, *, tracing: bool, was_alive: bool) -> ImageBackend:
        """Return where sessions of *image* are, all *tracing* or none; one more uses it, who must `_release_backend`.

        *was_alive*: a moment ago, so that nobody need ask again where a failure would do no harm.
        """
        key = f"{image.digest} tracing" if tracing else image.digest
        with self._lock:
            self._must_be_open()
            backend = self._backends.get(key)
            if backend is not None and (was_alive or backend.alive):
                backend.users += 1
                return backend
        mounts = self.store.mounts(image)  # may build for minutes: others go on meanwhile
        with self._lock:
            self._must_be_open()
            if self._scratch is None and self._upper == "disk":
                self._scratch = Scratch(self._identity, self._layer_builder.remove)
            backend = self._backends.get(key)
            if backend is None or not backend.alive:
                if backend is not None:
                    backend.end()
                    self._dead_backends.append(backend)  # its sessions may still ask what they have changed
                root = self._scratch.root if self._scratch else None
                backend = ImageBackend(key, Supervisor(mounts, self._identity, self.namespace, root, tracing=tracing))
                if self._upper == "trusted" and self.namespace is not None:
                    backend.start_stager(self._identity, self.namespace)
                self._backends[key] = backend
            backend.users += 1
            return backend

    def _must_be_open(self) -> None:
        if self._closed:
            raise SandboxError(CLOSED)

    def close(self) -> None:
        """See `Sandbox.close`. Sessions that are starting meanwhile, in other threads, fail."""
        if not self._home.is_here:
            return
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._spares.close()
        with self._lock:
            sessions, backends = list(self._sessions), [*self._backends.values(), *self._dead_backends]
        for session in sessions:
            session.close()
        for backend in backends:
            backend.close()
        if self._scratch is not None:
            self._scratch.close()
        if self._namespace is not None:
            self._namespace.close()
        self._gateway.close()
        self.store.close()
        self._dying = [group for group in self._dying if not group.remove(patience=5)]


def _descriptor(snapshot: Snapshot, image: Image) -> int:
    if not isinstance(snapshot, EmbeddedSnapshot) or snapshot.descriptor < 0:
        raise SandboxError("this snapshot is closed, or another sandbox made it")
    if snapshot.image.digest != image.digest:
        raise SandboxError(f"the snapshot is of image {snapshot.image.name!r}, not of {image.name!r}")
    return snapshot.descriptor
