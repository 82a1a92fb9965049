"""Interpreters kept ready: taken, replaced, and gone with their sandbox."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Iterator

import pytest

from env.tiny import FRESH
from intercode.errors import ImageError, MachineError, SandboxError
from intercode.types import Action
from intercode.worlds.python import PythonEnv
from intercode.worlds.python.interpreter import Interpreter
from intercode.worlds.python.interpreter_pool import READY, InterpreterPool
from intercode_sandbox import images
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Limits, Sandbox, Session, Snapshot
from intercode_sandbox.scripted import ScriptedAnswer, ScriptedSandbox
from worlds.python.python_world import SQUARE, FewTasks, comes

HOST = images.find("host")


class Counting(EmbeddedSandbox):
    """Knows how many sessions it has started."""

    def __init__(self) -> None:
        super().__init__()
        self.started: list[float | None] = []
        self.sessions: list[Session] = []

    def start(
        self, image: Image, *, snapshot: Snapshot | None = None, started_at: float | None = None,
        limits: Limits | None = None, shuffle: int = 0,
    ) -> Session:  # fmt: skip
        self.started.append(started_at)
        self.sessions.append(
            super().start(image, snapshot=snapshot, started_at=started_at, limits=limits, shuffle=shuffle)
        )
        return self.sessions[-1]


@pytest.fixture
def counting() -> Iterator[Counting]:
    with Counting() as sandbox:
        yield sandbox


def test_one_that_is_taken_is_replaced_before_the_next_is_asked_for(counting: Counting) -> None:
    with InterpreterPool.of(counting).take(counting, HOST, None).session:
        assert comes(lambda: len(counting.started) == 2 + READY)  # one to compile, one taken
        taken = InterpreterPool.of(counting).take(counting, HOST, None)
        assert taken.order("run", "6 * 7", 1, seconds=5).text == "42\n"
        assert comes(lambda: len(counting.started) == 3 + READY)
        time.sleep(0.2)
        assert len(counting.started) == 3 + READY


def test_one_that_was_killed_while_it_waited_is_not_taken(counting: Counting) -> None:
    """As by a kernel that is short of memory."""
    maker = InterpreterPool.of(counting)
    maker.take(counting, HOST, None)
    assert comes(lambda: sum(maker.ready.values()) == READY)
    waiting = counting.sessions[-READY:]
    for session in waiting:
        session.kill()
    taken = maker.take(counting, HOST, None)
    assert taken.session not in waiting
    assert taken.order("run", "6 * 7", 1, seconds=5).text == "42\n"


def test_those_with_other_limits_are_others(counting: Counting) -> None:
    small = Limits(output=100)
    taken = [InterpreterPool.of(counting).take(counting, HOST, limits) for limits in (None, small)]
    assert [each.session.limits.output for each in taken] == [Limits().output, 100]


def test_files_that_get_the_episodes_time_get_it(counting: Counting) -> None:
    """So its session is not one that was ready."""
    image = HOST.with_layers(FRESH, name="fresh")
    InterpreterPool.of(counting).take(counting, image, None, started_at=1.5e9)
    assert 1.5e9 in counting.started


def test_many_at_once_get_one_each(counting: Counting) -> None:
    taken: list[Interpreter] = []
    work = [
        threading.Thread(target=lambda: taken.append(InterpreterPool.of(counting).take(counting, HOST, None)))
        for _ in range(8)
    ]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    assert len({id(each.session) for each in taken}) == 8


def test_what_is_ready_ends_with_the_sandbox() -> None:
    sandbox = Counting()
    taken = InterpreterPool.of(sandbox).take(sandbox, HOST, None)
    sandbox.close()
    time.sleep(0.2)
    with pytest.raises(MachineError):
        InterpreterPool.of(sandbox).take(sandbox, Image("other", HOST.layers, {"X": "1"}), None)
    with pytest.raises(SandboxError):
        taken.session.run(["/bin/true"])


def test_a_sandbox_that_nobody_uses_any_more_is_forgotten() -> None:
    """With all that was kept ready for it."""
    sandbox = Counting()
    InterpreterPool.of(sandbox).take(sandbox, HOST, None)
    assert InterpreterPool.of(sandbox) is InterpreterPool.of(sandbox)
    sandbox.close()
    gone = weakref.ref(sandbox)
    del sandbox
    assert comes(lambda: gc.collect() is not None and gone() is None)


def test_an_image_without_python_is_named() -> None:
    sandbox = ScriptedSandbox()
    with pytest.raises(ImageError, match="image bare has no python3"):
        InterpreterPool.of(sandbox).take(sandbox, Image("bare", ()), None)
    from intercode.worlds.python.interpreter import COMPILE

    broken = ScriptedSandbox({COMPILE: ScriptedAnswer("no library", 1)})
    with pytest.raises(ImageError, match="does not run: no library"):
        InterpreterPool.of(broken).take(broken, Image("bare", ()), None)


# Snapshots: see the contract for what all worlds promise


@pytest.fixture
def env(sandbox: Sandbox) -> Iterator[PythonEnv]:
    with PythonEnv(FewTasks(), sandbox=sandbox) as env:
        env.start_episode(SQUARE)
        yield env


def test_a_fork_has_the_variables_files_and_functions(env: PythonEnv) -> None:
    for text in (
        "x = [1]",
        "open('/tmp/f', 'w').write('hello')",
        "def f(n): return n + x[0]",
        "import os; os._exit(1)",
        "y = 2",
    ):
        env.take_action(Action("execute", text))
    twin = env.fork()
    env.take_action(Action("execute", "y = 3"))
    seen = twin.take_action(Action("execute", "y, open('/tmp/f').read(), 'x' in globals()")).observation.text
    assert seen == "(2, 'hello', False)\n"
    twin.close()
