"""`intercode serve` under load: many sessions, what the wire adds, what vanishing clients and a stop leave behind.

The clients are a process of their own, as anybody's are; they speak OpenEnv's protocol by `websockets` alone.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from benchmarks.resources import Resources, descendants
from intercode.types import Action
from intercode.worlds.bash import BashEnv
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.embedded.control_groups.groups import MOST_OPEN_GROUPS

THREADS = 32
"""How many threads play in process: as many as the server has."""


OPEN = 4 * MOST_OPEN_GROUPS
"""Descriptors that a server may hold of control groups that wait for the next sessions."""


class Server:
    """`intercode serve` as a process. `url` is where its WebSockets are."""

    def __init__(self, *options: str) -> None:
        program = Path(sys.executable).with_name("intercode")
        command = [str(program), "serve", "--port", "0", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip().replace("http", "ws") + "/ws"

    @property
    def resources(self) -> Resources:
        """Return what it holds now."""
        return Resources.of(self.process.pid)

    def stop(self) -> float:
        """End it by SIGTERM; the seconds that it took."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return time.monotonic() - began


@contextmanager
def serving(*options: str) -> Iterator[Server]:
    """Provide a server with *options*, for a while."""
    server = Server(*options)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.stop()


async def ask(socket: ClientConnection, kind: str, **data: Any) -> dict[str, Any]:
    """Send a message and return what is answered. Raises RuntimeError for an error."""
    await socket.send(json.dumps({"type": kind, "data": data}))
    answer: dict[str, Any] = json.loads(await socket.recv())
    if answer["type"] == "error":
        raise RuntimeError(answer["data"]["message"])
    found: dict[str, Any] = answer["data"]
    return found


def commands(mark: str) -> list[str]:
    """Return what an episode runs; the last shows the marks of all sessions that are seen."""
    return [f"echo {mark} > /tmp/mark-{mark}", "ls /", "echo hi", "date", "cat /tmp/mark-*"]


async def play(url: str, number: int, episodes: int) -> list[str]:
    """Play *episodes* in a session of its own; what went wrong in it."""
    problems = []
    async with connect(url, compression=None, open_timeout=60) as socket:
        for episode in range(episodes):
            mark = f"{number}-{episode}"
            await ask(socket, "reset", task=0)
            for command in commands(mark):
                answer = await ask(socket, "step", text=command)
            if answer["observation"]["text"] != f"{mark}\n":
                problems.append(f"session {mark} saw {answer['observation']['text']!r}")
            done = await ask(socket, "step", text="submit")
            if not done["done"] or done["reward"] is None:
                problems.append(f"session {mark} was not judged")
    return problems


async def _play_all(url: str, sessions: int, episodes: int) -> dict[str, Any]:
    began = time.monotonic()
    found = await asyncio.gather(*(play(url, number, episodes) for number in range(sessions)), return_exceptions=True)
    seconds = time.monotonic() - began
    problems = [str(each) for each in found if isinstance(each, BaseException)]
    problems += [line for each in found if not isinstance(each, BaseException) for line in each]
    return {"episodes_per_second": sessions * episodes / seconds, "errors": problems}


def clients(url: str, sessions: int, episodes: int) -> dict[str, Any]:
    """Return *sessions* at once, in a process of their own: their episodes a second, and what went wrong."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.serving", "clients", url, str(sessions), str(episodes)],
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def in_process(sessions: int, episodes: int, threads: int = THREADS) -> float:
    """Episodes a second of the same episodes without a server: *sessions* environments on *threads*."""
    with EmbeddedSandbox() as sandbox, ThreadPoolExecutor(threads) as pool:
        envs = [BashEnv(sandbox=sandbox) for _ in range(sessions)]
        _play_env(envs[0], 1)
        began = time.monotonic()
        list(pool.map(lambda env: _play_env(env, episodes), envs))
        seconds = time.monotonic() - began
        for env in envs:
            env.close()
    return sessions * episodes / seconds


def _play_env(env: BashEnv, episodes: int) -> None:
    for _ in range(episodes):
        env.start_episode(env.dataset[0])
        for command in commands("0"):
            env.take_action(Action("execute", command))
        env.take_action(Action("submit"))


def wire(url: str, steps: int) -> dict[str, float]:
    """Milliseconds of a step, median: in process, over the wire, and what the wire adds. The two take turns."""
    medians: dict[str, float] = {}
    with EmbeddedSandbox() as sandbox, BashEnv(sandbox=sandbox, turns=10**6) as env:
        env.start_episode(env.dataset[0])
        medians |= asyncio.run(_wire(url, env, steps))
    return medians


async def _wire(url: str, env: BashEnv, steps: int) -> dict[str, float]:
    here, there = [], []
    async with connect(url, compression=None) as socket:
        await ask(socket, "reset", task=0)
        for _ in range(steps):
            began = time.perf_counter()
            env.take_action(Action("execute", "echo hi"))
            here.append(time.perf_counter() - began)
            began = time.perf_counter()
            await ask(socket, "step", text="echo hi")
            there.append(time.perf_counter() - began)
    medians = [statistics.median(each) * 1000 for each in (here, there)]
    return {"in_process_ms": medians[0], "served_ms": medians[1], "wire_ms": medians[1] - medians[0]}


def vanish(server: Server, sessions: int, limit: float = 10.0) -> dict[str, Any]:
    """Kill a process of clients in the middle of their actions: seconds until the server holds what it held before."""
    before = server.resources
    command = [sys.executable, "-m", "benchmarks.serving", "hang", server.url, str(sessions)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()  # all sessions have begun
        during = server.resources
        process.kill()
    seconds = _until(lambda: _is_back(server.resources, before), limit)
    return {"before": _plain(before), "during": _plain(during), "after": _plain(server.resources), "seconds": seconds}


async def _hang(url: str, sessions: int) -> None:
    """Sessions of which every second is in the middle of an action; they never end by themselves."""
    sockets = [await connect(url, compression=None, open_timeout=60) for _ in range(sessions)]
    for number, socket in enumerate(sockets):
        await ask(socket, "reset", task=0)
        if number % 2:
            await socket.send(json.dumps({"type": "step", "data": {"text": "sleep 9"}}))
    await asyncio.sleep(0.5)
    print("begun", flush=True)
    await asyncio.sleep(3600)


def in_sequence(server: Server, sessions: int) -> dict[str, Any]:
    """Return what the server holds after a tenth of *sessions*, one after the other, and after all of them."""
    warm = sessions // 10
    errors = asyncio.run(_in_sequence(server.url, warm))
    before = server.resources
    errors += asyncio.run(_in_sequence(server.url, sessions - warm))
    time.sleep(1)
    return {"before": _plain(before), "after": _plain(server.resources), "errors": errors}


async def _in_sequence(url: str, sessions: int) -> int:
    return sum([len(await play(url, number, 1)) for number in range(sessions)])


def stop_under_load(server: Server, sessions: int, limit: float = 10.0) -> dict[str, Any]:
    """SIGTERM in the middle of actions: seconds until the server and all processes under it are gone."""
    command = [sys.executable, "-m", "benchmarks.serving", "hang", server.url, str(sessions)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        under = descendants(server.process.pid)
        seconds = server.stop()
        left = _until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in under), limit)
        process.kill()
    return {"seconds": seconds, "processes": len(under), "gone_after": None if left is None else seconds + left}


def _until(holds: Any, limit: float) -> float | None:
    began = time.monotonic()
    while not holds():
        if time.monotonic() - began > limit:
            return None
        time.sleep(0.02)
    return time.monotonic() - began


def _is_back(now: Resources, before: Resources) -> bool:
    return now.processes <= before.processes and now.descriptors <= before.descriptors + OPEN


def _plain(resources: Resources) -> dict[str, float]:
    return {name: getattr(resources, name) for name in Resources.__slots__}


def figures(sessions: int = 64, episodes: int = 2, steps: int = 300, sequence: int = 1000) -> dict[str, Any]:
    """Return all of them."""
    found: dict[str, Any] = {"load_average": os.getloadavg()[0]}
    with serving("--max-sessions", str(2 * sessions), "--turns", "1000000") as server:
        clients(server.url, sessions, 1)  # threads are begun, and imports done
        rounds = [(in_process(sessions, episodes), clients(server.url, sessions, episodes)) for _ in range(3)]
        found["in_process_eps"] = statistics.median(here for here, _ in rounds)
        found["served_eps"] = statistics.median(there["episodes_per_second"] for _, there in rounds)
        found["ratio"] = statistics.median(there["episodes_per_second"] / here for here, there in rounds)
        found["errors"] = [line for _, there in rounds for line in there["errors"]]
        found["wire"] = wire(server.url, steps)
        found["vanish"] = vanish(server, sessions)
        found["in_sequence"] = in_sequence(server, sequence)
        found["stop"] = stop_under_load(server, sessions)
    return found


def aims(found: dict[str, Any]) -> dict[str, bool]:
    """Return what was aimed at, and whether *found*, what `figures` returns, has it."""
    sequence, lost = found["in_sequence"], found["vanish"]["seconds"]
    gone = found["stop"]["gone_after"]
    return {
        "64 sessions: no errors, none sees another's files": not found["errors"],
        "the wire adds <= 3 ms to a step": found["wire"]["wire_ms"] <= 3,
        "episodes a second >= 0.8 of those in process": found["ratio"] >= 0.8,
        "back within 5 s of kill -9 of clients": lost is not None and lost <= 5,
        "all gone within 5 s of SIGTERM": gone is not None and gone <= 5,
        "sessions in sequence: no errors, no descriptors and at most 5 % of memory more": not sequence["errors"]
        and sequence["after"]["descriptors"] <= sequence["before"]["descriptors"]
        and sequence["after"]["megabytes"] <= 1.05 * sequence["before"]["megabytes"],
    }


def main(arguments: Sequence[str]) -> None:
    """The parts that are processes of their own; else all figures and aims, as JSON."""
    match arguments:
        case ["clients", url, sessions, episodes]:
            print(json.dumps(asyncio.run(_play_all(url, int(sessions), int(episodes)))))
        case ["hang", url, sessions]:
            asyncio.run(_hang(url, int(sessions)))
        case _:
            found = figures(*map(int, arguments))
            print(json.dumps(found | {"aims": aims(found)}, indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])
