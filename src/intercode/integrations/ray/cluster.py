"""A run's episodes on a Ray cluster. The process of the run stays the only one that stores and counts.

Actors are worker processes (`intercode.runs.processes`) in another place. What a dead actor or node was at is played
again, by an actor that needs no free processor; what it had handed in is stored.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import threading
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any
from uuid import uuid4

import ray
from ray.exceptions import RayError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from intercode.errors import MachineError, UserError
from intercode.integrations.ray.actor import EpisodeActor, shared_folder
from intercode.integrations.ray.parcel import Parcel
from intercode.runs.manifest import Manifest
from intercode.runs.processes.messages import MessageChannel
from intercode.runs.processes.worker import Start
from intercode.runs.runner import CORES_EACH, THREADS_EACH
from intercode_sandbox.util.closing import Closeable

DELAY = 0.5
"""Seconds that an actor's news may be late for which nobody waits: Ray takes over a millisecond for each call."""

GLANCE = 0.5
"""Seconds between two looks at whether an actor that has no place yet is still wanted."""

MEMORY = 1 << 30
"""Bytes that an actor asks for unless told."""

CLEANING = 60.0
"""Seconds that the nodes get, all together, to remove what their actors shared. Busy nodes start processes late."""

NO_CLUSTER = "no Ray cluster at {address}: start one (`ray start --head`), name its address, or play here: --ray local"
NO_START = (
    "Ray does not start: {}. What its processes said is in /tmp/ray/session_latest/logs; "
    "without Ray, --processes plays on this machine"
)
NO_ROOM = "no node of the Ray cluster has {cpus:g} free cores and {memory} MB of memory for an actor, which it asks for"


class RayCluster(Closeable):
    """A connection to the Ray cluster at *address*: `auto` (a running one), `local` (begun here), or HOST:PORT.

    Each actor asks for *cpus* cores (None: four, or all of the smallest node) and *memory* bytes. If this process is
    connected already, that stays as it is.

    Raises:
        UserError: If there is no cluster, or none with room for an actor.
        MachineError: If Ray does not start.
    """

    def __init__(self, address: str = "auto", *, cpus: float | None = None, memory: int = MEMORY) -> None:
        self._is_ours = not ray.is_initialized()
        if self._is_ours:
            _connect(address)
        nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
        cores = [node["CPU"] for node in nodes if node.get("CPU", 0) > 0]
        self.cpus = min([CORES_EACH, *cores]) if cpus is None else cpus
        self.memory = memory
        self.room = sum(self._fitting(node) for node in nodes)
        if not self.room:
            self.close()
            raise UserError(NO_ROOM.format(cpus=self.cpus, memory=memory >> 20))

    def _fitting(self, resources: Mapping[str, float]) -> int:
        """Return how many actors a node has room for, by what it has in all."""
        by_cpu = resources.get("CPU", 0) // self.cpus if self.cpus else float("inf")
        return int(min(by_cpu, resources.get("memory", 0) // self.memory))

    def default_processes(self, parallel: int) -> int:
        """Return how many actors play *parallel* episodes at a time: as many as have room, with four episodes each."""
        return max(1, min(self.room, parallel // THREADS_EACH))

    def launcher(self, manifest: Manifest) -> RayLauncher:
        """Return what a `Runner` starts its processes with, for the run of *manifest*."""
        return RayLauncher(manifest, cpus=self.cpus, memory=self.memory)

    def close(self) -> None:
        """Let go of the cluster, if this has connected to it. Closing twice is harmless."""
        if self._is_ours:
            self._is_ours = False
            ray.shutdown()


def _connect(address: str) -> None:
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # Ray warns of a default of its own to come
    more: dict[str, Any] = {"include_dashboard": False} if address == "local" else {}
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **more)
    except ConnectionError as error:
        raise UserError(NO_CLUSTER.format(address=address)) from error
    except Exception as error:
        if type(error) is not Exception:
            raise
        raise MachineError(NO_START.format(error)) from error  # Ray has no class for a node that does not start


class RayLauncher:
    """See `Launcher`: its processes are actors, spread over the nodes. They are sent what they need only once."""

    def __init__(self, manifest: Manifest, *, cpus: float, memory: int) -> None:
        self._sent = ray.put(Parcel.of(manifest))
        self._cpus, self._memory = cpus, memory
        self._shared = f"intercode-ray-{uuid4().hex}"

    def launch(self, start: Start, is_wanted: Callable[[], bool], *, is_replay: bool) -> ActorProcess:
        """See `Launcher.launch`. A replay asks for no room, which a smaller cluster might not have."""
        room = {"num_cpus": 0} if is_replay else {"num_cpus": self._cpus, "memory": self._memory}
        kind = ray.remote(max_restarts=0, max_concurrency=4, scheduling_strategy="SPREAD", **room)(EpisodeActor)
        start = replace(start, delay=DELAY)
        return ActorProcess(kind.remote(start, [self._sent], self._shared, os.getcwd()), is_wanted)

    def close(self) -> None:
        """See `Launcher.close`."""
        remove_shared(self._shared)


def remove_shared(name: str) -> None:
    """Have every node remove the folder called *name*; that no actor uses any more."""
    task = ray.remote(num_cpus=0, max_retries=0)(_remove)
    nodes = [node["NodeID"] for node in ray.nodes() if node["Alive"]]
    strategies = [NodeAffinitySchedulingStrategy(node, soft=False) for node in nodes]
    done = [task.options(scheduling_strategy=each).remote(name) for each in strategies]
    ray.wait(done, num_returns=len(done), timeout=CLEANING)


def _remove(name: str) -> None:
    shutil.rmtree(shared_folder(name), ignore_errors=True)


class ActorProcess:
    """See `WorkerProcess`: an actor, and as its own channel one call of `exchange` after the other.

    What it is told meanwhile, by other threads, is said by `deliver`.
    """

    def __init__(self, actor: Any, is_wanted: Callable[[], bool]) -> None:
        self._actor, self._is_wanted = actor, is_wanted
        self._arrived: deque[bytes] = deque()
        self._said: list[bytes] = []
        self._is_calling = False
        self._guard = threading.Lock()
        self._is_up = self._has_ended = self._has_ended_well = False
        self._end = "it did not answer"

    @property
    def channel(self) -> MessageChannel:
        """See `WorkerProcess.channel`."""
        return self

    def send_bytes(self, buf: bytes, /) -> None:
        """See `MessageChannel.send_bytes`. That the actor has gone is noticed by who listens."""
        with self._guard:
            if not self._is_calling:  # it goes along with the next call, which whoever listens makes
                self._said.append(buf)
                return
        self._deliver([buf])

    def _deliver(self, said: list[bytes]) -> None:
        with suppress(RayError):
            for message in said:
                self._actor.deliver.remote(message)

    def recv_bytes(self) -> bytes:
        """See `MessageChannel.recv_bytes`."""
        while not self._arrived:
            if self._has_ended:
                raise EOFError(self._end)
            self._exchange()
        return self._arrived.popleft()

    def _exchange(self) -> None:
        """Fetch what the actor says, or find out how it has ended."""
        with self._guard:
            said, self._said = self._said, []
            self._is_calling = True
        try:
            answer = self._actor.exchange.remote(said)
            while not ray.wait([answer], timeout=GLANCE)[0]:
                if not self._is_up and not self._is_wanted():  # it has no place yet, and nothing to play any more
                    self._finish("there was nothing to play", well=True)
                    return
            messages, is_all = ray.get(answer)
        except RayError as error:
            self._finish(_reason(error))
            return
        with self._guard:
            self._is_calling = False
        self._is_up = True
        self._arrived.extend(messages)
        if is_all:
            self._finish("it was done", well=True)

    def _finish(self, end: str, *, well: bool = False) -> None:
        self._end, self._has_ended_well = end, well
        self._has_ended = True

    def wait(self, seconds: float) -> bool:
        """See `WorkerProcess.wait`. Who never had a place is not waited for."""
        if self.is_running:
            self._deliver(self._said)  # nobody listens any more
            with suppress(RayError):
                ray.wait([self._actor.join.remote()], timeout=seconds)
        return self._has_ended_well

    @property
    def is_running(self) -> bool:
        """See `WorkerProcess.is_running`."""
        return self._is_up and not self._has_ended

    @property
    def end(self) -> str:
        """See `WorkerProcess.end`."""
        return self._end

    def kill(self) -> None:
        """See `WorkerProcess.kill`."""
        with suppress(RayError):
            ray.kill(self._actor)

    def close(self) -> None:
        """See `MessageChannel.close`: killing it was enough."""


def _reason(error: RayError) -> str:
    """Return what has ended an actor, of the paragraph that Ray has for it."""
    text = " ".join(str(error).split())
    found = re.search(r"[Tt]he actor (is dead|died) because ([^.]*)", text)
    return found[2] if found else text[:200]
