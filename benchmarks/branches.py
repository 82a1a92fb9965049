"""Going back and branching: what `env.snapshot`, `env.restore` and `env.fork` cost in every world, for small states."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from benchmarks.timing import Figures, summary, timed
from intercode.env.env import Env
from intercode.errors import DatabaseError
from intercode.types import Action
from intercode.worlds.bash import BashEnv
from intercode.worlds.ctf import CtfEnv
from intercode.worlds.python import PythonEnv
from intercode.worlds.sql import SqlEnv, databases
from intercode.worlds.swe import SweEnv
from intercode_sandbox.embedded import EmbeddedSandbox

PAUSE, LONGER = 0.1, 1.0
"""Seconds before a call, for what is made ready meanwhile: less than a model thinks. A database server takes longer."""

FILES = "mkdir -p /tmp/work && cd /tmp/work && for i in 1 2 3 4 5 6 7 8 9 10; do echo $i > $i; done"

ACTIONS: dict[str, tuple[str, ...]] = {
    "bash": (FILES,),
    "bash, persistent shell": (FILES, "f() { echo $1; }; seen=1"),
    "ctf": (FILES,),
    "swe": (FILES, "echo '# seen' >> README.md"),
    "python": ("import json, random", "def f(n):\n    return n + 1", "seen = {n: f(n) for n in range(100)}"),
    "python, a file": ("seen = list(range(100))", "open('/tmp/seen', 'w').write('seen')"),
    "sql": ("UPDATE products SET stock = stock + 1", "SET @seen = 1", "SELECT COUNT(*) FROM products"),
}
"""What makes the small state: three actions at most."""

LATER = {"python": "seen[0] = -1", "sql": "UPDATE products SET stock = 0"}
"""What is done after it, so that there is something to go back from."""


def costs(sandbox: EmbeddedSandbox, rounds: int = 30) -> dict[str, dict[str, Figures]]:
    """Milliseconds by world; a world whose program is not here is left out."""
    makers: dict[str, Callable[[], Env]] = {
        "bash": lambda: BashEnv(sandbox=sandbox),
        "bash, persistent shell": lambda: BashEnv(sandbox=sandbox, shell="persistent"),
        "ctf": lambda: CtfEnv(sandbox=sandbox),
        "swe": lambda: SweEnv(sandbox=sandbox),
        "python": lambda: PythonEnv(sandbox=sandbox),
        "python, a file": lambda: PythonEnv(sandbox=sandbox),
    }
    found = {name: _costs(make(), name, rounds, PAUSE) for name, make in makers.items()}
    for kind in ("sqlite", "mysql"):
        try:
            with databases.find(kind) as database:
                env, pause = SqlEnv(database=database), LONGER if kind == "mysql" else PAUSE
                found[f"sql, {database.version()}"] = _costs(env, "sql", rounds, pause)
        except DatabaseError as error:
            print(f"{kind} is left out: {error}")
    return found


def _costs(env: Env, name: str, rounds: int, pause: float) -> dict[str, Figures]:
    """Return the three calls, in turns, with a pause before those that may find something ready."""
    times: dict[str, list[float]] = {"snapshot": [], "restore": [], "fork": []}
    later = Action("execute", LATER.get(name.partition(",")[0], "echo later > /tmp/later"))
    with _played(env, ACTIONS[name]):
        for _ in range(rounds):
            began = _clock()
            snapshot = env.snapshot()
            times["snapshot"].append(_clock() - began)
            env.take_action(later)
            time.sleep(pause)
            times["restore"].append(timed(env.restore, snapshot))
            snapshot.close()
            time.sleep(pause)
            began = _clock()
            twin = env.fork()
            times["fork"].append(_clock() - began)
            twin.close()
    return {call: summary(each) for call, each in times.items()}


@contextmanager
def _played(env: Env, actions: tuple[str, ...]) -> Iterator[None]:
    """Provide *env* in an episode of its first task with *actions* taken."""
    with env:
        env.start_episode(env.dataset[0], seed=0)
        for text in actions:
            env.take_action(Action("execute", text))
        yield


def _clock() -> float:
    return time.perf_counter() * 1000
