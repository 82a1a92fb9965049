"""A small Python world for tests: a few tasks, a sandbox in which the first action fails, and patience."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from intercode.datasets.base import Dataset
from intercode.errors import MachineError
from intercode.types import Action, Observation, Scoring, Task
from intercode.worlds.python import PythonEnv
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Change, Limits, Process, Result, Sandbox, Session, Snapshot

HASTY = Limits(seconds=1.5)
"""Little time."""

ACTIONS = (b"\x03\0\0\0run", b"\x07\0\0\0publish")
"""The orders that run what an agent says, as they are marshalled."""

SQUARE = Task(
    "tiny/square",
    "Write a function `square(number)`.",
    "def square(number):\n    return number * number",
    "python",
    extra={"tests": ["assert square(3) == 9", "assert square(-2) == 4", "assert square(0.5) == 0.25"]},
)
WORDS = Task(
    "tiny/words",
    "Write a function `words(text)` that gives the set of words in a text.",
    "def words(text):\n    return set(text.split())",
    "python",
    extra={"tests": ["assert words('a b a') == {'a', 'b'}", "assert sorted(words('x')) == ['x']"]},
)
ECHO = Task(
    "tiny/echo",
    "Write a program that prints each line of its input in capitals.",
    "import sys\nfor line in sys.stdin:\n    print(line.strip().upper())",
    "python",
    extra={"inputs": ["a\nb\n", "x y\n"], "outputs": ["A\nB\n", "X Y\n"]},
)


def square_env(sandbox: Sandbox, scoring: Scoring = "exact", *, limits: Limits | None = None) -> Iterator[PythonEnv]:
    """An environment in an episode of `SQUARE`, for a fixture."""
    with PythonEnv(FewTasks(scoring), sandbox=sandbox, turns=100, limits=limits) as env:
        env.start_episode(SQUARE)
        yield env


def run(env: PythonEnv, text: str) -> Observation:
    """What the agent sees of its action *text*."""
    return env.take_action(Action("execute", text)).observation


def comes(true: Callable[[], bool]) -> bool:
    """Whether something comes true within a generous time."""
    until = time.monotonic() + 60
    while not true() and time.monotonic() < until:
        time.sleep(0.02)
    return true()


class FewTasks(Dataset):
    """Two functions and a program."""

    name = "tiny"
    world = "python"

    def __init__(self, scoring: Scoring = "exact", tasks: Sequence[Task] = (SQUARE, WORDS, ECHO)) -> None:
        self.default_scoring = scoring
        self._tasks = tuple(tasks)

    def __len__(self) -> int:
        return len(self._tasks)

    def __getitem__(self, index: int) -> Task:
        return self._tasks[index]


class FrailSandbox(Sandbox):
    """Another sandbox, in which the first piece of code that an agent sends fails, and nothing after it."""

    def __init__(self, inner: Sandbox, failure: MachineError) -> None:
        self.inner = inner
        self.failure: MachineError | None = failure

    def start(
        self,
        image: Image,
        *,
        snapshot: Snapshot | None = None,
        started_at: float | None = None,
        limits: Limits | None = None,
        shuffle: int = 0,
    ) -> Session:
        return FrailSession(self.inner.start(image, limits=limits, started_at=started_at), self)

    def close(self) -> None:
        """The inner one is somebody else's."""


class FrailSession(Session):
    def __init__(self, inner: Session, sandbox: FrailSandbox) -> None:
        self.inner, self.sandbox = inner, sandbox
        self.image, self.limits = inner.image, inner.limits

    def run(
        self,
        argv: Sequence[str],
        *,
        cwd: str = "/",
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        timeout: float | None = None,
        separate: bool = False,
        user: str | None = None,
        on_output: Callable[[bytes], None] | None = None,
    ) -> Result:
        return self.inner.run(
            argv, cwd=cwd, env=env, stdin=stdin, timeout=timeout, separate=separate, user=user, on_output=on_output
        )

    def open(self, argv: Sequence[str], *, cwd: str = "/", env: Mapping[str, str] | None = None) -> Process:
        return FrailProcess(self.inner.open(argv, cwd=cwd, env=env), self.sandbox)

    def read(self, path: str, *, limit: int = 1 << 20) -> bytes:
        return self.inner.read(path, limit=limit)

    def write(self, path: str, data: bytes, *, mode: int = 0o644) -> None:
        self.inner.write(path, data, mode=mode)

    def changes(self) -> list[Change]:
        return self.inner.changes()

    def snapshot(self) -> Snapshot:
        return self.inner.snapshot()

    def kill(self) -> None:
        self.inner.kill()

    def close(self) -> None:
        self.inner.close()


class FrailProcess(Process):
    """Fails when it is sent an agent's action."""

    def __init__(self, inner: Process, sandbox: FrailSandbox) -> None:
        self.inner, self.sandbox = inner, sandbox

    def send(self, data: bytes) -> None:
        failure = self.sandbox.failure
        if failure is not None and len(data) < 500 and any(name in data for name in ACTIONS):
            self.sandbox.failure = None
            raise failure
        self.inner.send(data)

    def receive(self, timeout: float) -> bytes:
        return self.inner.receive(timeout)

    def signal(self, number: int) -> None:
        self.inner.signal(number)

    @property
    def exit_code(self) -> int | None:
        return self.inner.exit_code

    def close(self) -> None:
        self.inner.close()
