"""Containers by the command `docker` or `podman`: for macOS and Windows, and wherever only that command works.

One container for each session. Commands run by `docker exec`; files are read, written and compared by `docker cp` and
`docker diff`, from outside. Guards: file system, processes, network (there is none), host name, IPC, capabilities,
set-user-id programs, the engine's own filter of system calls; limits on time, memory, processes, output and the size of
a file. Does NOT guard: root in a container is root of the engine's machine (of Docker Desktop's virtual machine, that
is); disk as a whole and the number of files have no limit; whoever may speak to the engine is trusted. Changes of
/etc/hosts, /etc/hostname and /etc/resolv.conf are not seen, nor sockets. A time limit ends all commands of its session.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from secrets import token_hex

from intercode_sandbox.docker.by_exec.engine import GROUP, CommandEngine
from intercode_sandbox.docker.by_exec.file_tree import ImageTree, read_image
from intercode_sandbox.docker.by_exec.reaper import Reaper
from intercode_sandbox.docker.by_exec.session import DockerExecSession
from intercode_sandbox.errors import SandboxError
from intercode_sandbox.images import Image, Layer
from intercode_sandbox.images.defaults import HOSTS
from intercode_sandbox.images.engine_store import EngineImageStore, cached_image, run_set_up, set_up_image
from intercode_sandbox.images.image import Progress
from intercode_sandbox.images.script_layer import ScriptLayer
from intercode_sandbox.limits import SCRIPT_LIMITS
from intercode_sandbox.sandbox import Limits, Sandbox, Snapshot
from intercode_sandbox.session import NO_SNAPSHOTS
from intercode_sandbox.util.closing import HomeProcess
from intercode_sandbox.util.naming import sandbox_name

CAPABILITIES = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "SETUID", "SETGID", "KILL", "NET_BIND_SERVICE")
HEADROOM = 16 << 20
"""Bytes of memory beside the session's own: the shell that holds it, and what the kernel keeps."""

HOLD = f"printf '{HOSTS}' > /etc/hosts; : > /etc/resolv.conf; while :; do sleep 1000 & wait; done"
"""Process 1: nothing in the container can kill it, and it takes up the orphans."""

STAMP = 'touch -h -c -d "@$0" -- "$@"'
STAMPED_AT_ONCE = 8 << 10
"""Characters of paths that one `touch` is given."""


def _say_nothing(_: str) -> None:
    pass


@dataclass(frozen=True)
class _Base:
    """The engine's *name* of an image, what is in it, and what it says of commands."""

    name: str
    tree: ImageTree
    env: Mapping[str, str]
    workdir: str


class DockerExecSandbox(Sandbox):
    """See the module.

    Args:
        limits: For sessions that name none.
        engine: The URL of an engine (None: the one that the command speaks to anyway).
        progress: Is told, in a line, when something slow begins (an image).
    """

    def __init__(self, *, limits: Limits | None = None, engine: str = "", progress: Progress = _say_nothing) -> None:
        self.limits = limits or Limits()
        self.check(self.limits)
        self._url, self._progress = engine, progress
        self._lock, self._reading = threading.Lock(), threading.RLock()
        self._home = HomeProcess()
        self._engine: CommandEngine | None = None
        self._reaper: Reaper | None = None
        self._bases: dict[str, _Base] = {}
        self._sessions: set[DockerExecSession] = set()
        self._is_closed = self._holds_limits = False

    def start(
        self, image: Image, *, snapshot: Snapshot | None = None, started_at: float | None = None,
        limits: Limits | None = None, shuffle: int = 0,
    ) -> DockerExecSession:  # fmt: skip
        """See `Sandbox.start`. *shuffle* has no effect: on the engine's disk names are in an order of their own."""
        self._home.check(self)
        self.check(limits)
        if snapshot is not None:
            raise SandboxError(NO_SNAPSHOTS.format(sandbox_name(self)))
        limits = limits or self.limits
        engine = self._ready()
        base = self._base(engine, image)
        stamp = int(time.time() if started_at is None else started_at)
        container = engine.run(base.name, _options(image, limits), "-c", HOLD)
        session = DockerExecSession(engine, container, image.known(base.env, base.workdir), limits, base.tree, stamp)
        session.on_close = lambda: self._sessions.discard(session)
        self._sessions.add(session)
        try:
            self._check_limits(engine, container)
            _stamp(session, base.tree, stamp)
        except BaseException:
            session.close()
            raise
        return session

    def _ready(self) -> CommandEngine:
        with self._lock:
            if self._is_closed:
                raise SandboxError("this sandbox is closed")
            if self._engine is None:
                group = token_hex(8)
                engine = CommandEngine(self._url, group)
                engine.version()  # raises where none answers
                self._engine, self._reaper = engine, Reaper(engine.command, f"{GROUP}={group}")
            return self._engine

    def _base(self, engine: CommandEngine, image: Image) -> _Base:
        """Return what sessions of *image* start from: made, or looked at, once."""
        with self._reading:
            if image.digest not in self._bases:
                store = EngineImageStore(engine, self._run_script, self._progress)
                name = store.names(image)[-1]
                hidden = tuple(target for layer in image.layers for target in layer.binds().values())
                with _idle(engine, name) as container:
                    tree = read_image(engine, container, hidden)
                self._bases[image.digest] = _Base(name, tree, *store.settings(image))
            return self._bases[image.digest]

    def _check_limits(self, engine: CommandEngine, container: str) -> None:
        """Raise SandboxError where the engine leaves limits out. Once."""
        if not self._holds_limits:
            engine.check_limits(container)
            self._holds_limits = True

    def _run_script(self, below: tuple[Layer, ...], layer: ScriptLayer, name: str) -> None:
        """Run a script layer in a session and keep what it did as the engine's image *name*."""
        with self.start(set_up_image(below), limits=SCRIPT_LIMITS.with_network(layer.network)) as session:
            run_set_up(session, layer)
            session.kill()
            assert self._engine is not None
            self._engine.commit(session.container, name=name, labels=cached_image(layer))

    def close(self) -> None:
        if not self._home.is_here:
            return
        with self._lock:
            self._is_closed = True
            reaper, self._reaper = self._reaper, None
        try:
            for session in list(self._sessions):
                session.close()
        finally:
            if reaper is not None:
                reaper.close()


@contextmanager
def _idle(engine: CommandEngine, image: str) -> Iterator[str]:
    """Provide a container that never runs."""
    container = engine.create_idle(f"intercode-{os.getpid()}-{token_hex(4)}", image)
    try:
        yield container
    finally:
        engine.remove(container)


def _options(image: Image, limits: Limits) -> list[str]:
    """Return what `docker run` is told of a session."""
    memory = limits.memory + HEADROOM
    binds = [f"{source}:{target}:ro" for layer in image.layers for source, target in layer.binds().items()]
    return [
        "--hostname", image.hostname, "--network", "none", "--ipc", "private", "--user", "0:0", "--workdir", "/",
        "--cap-drop", "ALL", *(word for each in CAPABILITIES for word in ("--cap-add", each)),
        "--security-opt", "no-new-privileges", "--memory", str(memory), "--memory-swap", str(memory),
        "--pids-limit", str(limits.processes + 2), "--ulimit", f"fsize={limits.disk}",
        "--shm-size", str(min(limits.disk, limits.memory)), "--log-driver", "none", "--no-healthcheck",
        *(word for each in binds for word in ("--volume", each)), "--entrypoint", "/bin/sh",
    ]  # fmt: skip


def _stamp(session: DockerExecSession, tree: ImageTree, stamp: int) -> None:
    """Give a time before the start to what has none of its own; before any command of the agent's runs."""
    of_age: dict[int, list[str]] = {}
    for path, age in tree.unset.items():
        of_age.setdefault(age, []).append(path)
    for age, chunk in ((age, chunk) for age, paths in of_age.items() for chunk in _chunks(paths)):
        done = session.run(["/bin/sh", "-c", STAMP, str(stamp - age), *chunk], timeout=60)
        if done.exit_code:
            said = done.text.strip()
            raise SandboxError(f"the image {session.image.name!r} has no `touch` to set times with: {said}")


def _chunks(paths: Sequence[str]) -> Iterator[list[str]]:
    chunk: list[str] = []
    for path in paths:
        chunk.append(path)
        if sum(map(len, chunk)) > STAMPED_AT_ONCE:
            yield chunk
            chunk = []
    if chunk:
        yield chunk
