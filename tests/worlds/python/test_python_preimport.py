"""Forks of Python episodes in interpreters that have imported ahead: soon, and no different for it."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from intercode.errors import MachineError, SandboxError
from intercode.types import Action, Scoring
from intercode.worlds.python import PythonEnv
from intercode.worlds.python.interpreter_pool import KINDS, READY, InterpreterKind, InterpreterPool
from intercode.worlds.python.preimport import QUIET, first_imports
from intercode_sandbox import images
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Limits, Sandbox, Session, Snapshot
from worlds.python.python_world import SQUARE, FewTasks, comes

HOST = images.find("host")
LOADED = "import json, random"
MODULES = ("json", "random")
FOUND = "import sys; list(sys.modules)"


class Recording(EmbeddedSandbox):
    """Knows its sessions."""

    def __init__(self) -> None:
        super().__init__()
        self.sessions: list[Session] = []

    def start(
        self, image: Image, *, snapshot: Snapshot | None = None, started_at: float | None = None,
        limits: Limits | None = None, shuffle: int = 0,
    ) -> Session:  # fmt: skip
        session = super().start(image, snapshot=snapshot, started_at=started_at, limits=limits, shuffle=shuffle)
        self.sessions.append(session)
        return session

    @property
    def live(self) -> int:
        """How many of them go on."""
        return sum(map(goes_on, self.sessions))


def goes_on(session: Session) -> bool:
    try:
        return session.run(["/bin/true"]).exit_code == 0
    except SandboxError:
        return False


@pytest.fixture
def recording() -> Iterator[Recording]:
    with Recording() as sandbox:
        yield sandbox


@pytest.fixture(params=["exact", "paper"])
def scoring(request: pytest.FixtureRequest) -> Scoring:
    return "paper" if request.param == "paper" else "exact"


@pytest.fixture
def env(sandbox: Sandbox, scoring: Scoring) -> Iterator[PythonEnv]:
    with PythonEnv(FewTasks(scoring), sandbox=sandbox, turns=100) as env:
        env.start_episode(SQUARE)
        yield env


def run(env: PythonEnv, text: str) -> str:
    return env.take_action(Action("execute", text)).observation.text


def modules_of(env: PythonEnv) -> tuple[str, ...]:
    assert env.interpreter is not None
    return env.interpreter.modules


def are_ready(sandbox: Sandbox, modules: tuple[str, ...] = MODULES) -> bool:
    """Whether interpreters become ready that have imported *modules*."""
    maker = InterpreterPool.of(sandbox)
    return comes(lambda: maker.ready.get(InterpreterKind(HOST.digest, None, modules)) == READY)


def make_ready(env: PythonEnv, text: str = LOADED, modules: tuple[str, ...] = MODULES) -> None:
    """Have an episode that begins with *text* forked, and another begun."""
    run(env, text)
    env.fork().close()
    assert are_ready(env.sandbox, modules)
    env.start_episode(SQUARE)


# What counts


@pytest.mark.parametrize(
    ("texts", "modules"),
    [
        (["import json, random"], "json random"),
        (["import re as r, os.path as p  # why", "from math import pi, e as euler\n", "x = re"], "re os.path math"),
        (["# first\n\nfrom collections import abc, deque\r\nfrom typing import *\nx = 1\nimport json"],
         "collections collections.abc typing"),
        (["from os import path\nimport os"], "os os.path"),
        (["from __future__ import annotations\nimport re"], "__future__ re"),
        (["import re, json\nimport re\nimport json, math"], "re json math"),
        (["x = 1", "import json"], ""),
        (["import re; x = 1"], ""),
        (["import re", "print(1)", "import json"], "re"),
        (["import re\nimport numpy\nimport json"], "re"),
        (["import re, numpy"], ""),
        (["from . import re"], ""),
        (["import json.tool"], ""),
        ([" import re"], ""),
        (["'''\nimport re\n'''\nimport json"], ""),
        (["# a comment that\rends()\nimport re"], ""),
        (["import \\\n    re"], ""),
        (["import re" + " " * 500], ""),
        (["\ud800import re", "import re"], ""),
        ([], ""),
    ],
)  # fmt: skip
def test_only_quiet_imports_count_before_which_nothing_was_run(texts: list[str], modules: str) -> None:
    assert first_imports(texts) == tuple(modules.split())


def test_quiet_modules_are_quiet(sandbox: Sandbox) -> None:
    """They print nothing, start no thread or process, open no file, and leave no work for the end."""
    session = sandbox.start(HOST)
    text = (
        "import atexit, os, sys\n"
        "look = lambda: (os.listdir('/proc/self/fd'), os.listdir('/proc/self/task'), dict(os.environ), os.getcwd(),"
        " atexit._ncallbacks(), sys.path[:], sys.meta_path[:], sys.path_hooks[:], sys.stdout, sys.excepthook)\n"
        "before = look()\n"
        f"for name in {sorted(QUIET)}:\n"
        "  try: __import__(name)\n"
        "  except ModuleNotFoundError: print(name)\n"
        "sys.exit(look() != before)\n"
    )
    done = session.run(["python3", "-S", "-c", text])
    assert done.exit_code == 0, done.text
    assert len(QUIET.intersection(done.text.split())) < 5, "an image may leave a few out"
    assert not set(done.text.split()) - QUIET, "and nothing else is printed"
    assert not session.changes()
    session.close()


def test_one_that_is_ready_has_imported_and_bound_nothing(sandbox: Sandbox) -> None:
    maker = InterpreterPool.of(sandbox)
    maker.take(sandbox, HOST, None, modules=MODULES).session.close()
    assert are_ready(sandbox)
    ready = maker.take(sandbox, HOST, None, modules=MODULES)
    text = "import sys; [each in sys.modules for each in ('json', 'random')], 'json' in dir()"
    assert ready.order("run", text, 1, seconds=5).text == "([True, True], False)\n"
    ready.session.close()


# Forks


def test_the_second_fork_has_imported_ahead_and_is_no_other_than_the_first(env: PythonEnv) -> None:
    make_ready(env)
    for text in (LOADED, "def f(n):\n    return n + 1", "seen = {n: f(n) for n in range(9)}"):
        run(env, text)
    twin = env.fork()
    assert modules_of(twin) == MODULES
    assert twin.state_hash() == env.state_hash()
    for text in (FOUND, "seen, f(1), json.dumps([1]), dir()", "random.seed(1); random.random()", "import json as j; j"):
        mine, its = env.take_action(Action("execute", text)), twin.take_action(Action("execute", text))
        assert mine.observation == its.observation
        assert mine.state_hash == its.state_hash
    twin.close()


def test_one_that_imports_more_is_another_kind(env: PythonEnv) -> None:
    make_ready(env)
    run(env, LOADED)
    with_more = env.fork()
    run(with_more, "import fractions")
    assert modules_of(with_more) == MODULES
    again = with_more.fork()
    assert are_ready(env.sandbox, (*MODULES, "fractions"))
    third = again.fork()
    assert modules_of(third) == (*MODULES, "fractions")
    assert run(third, FOUND) == run(again, FOUND) == run(with_more, FOUND)
    for twin in (with_more, again, third):
        twin.close()


def test_an_episode_that_is_run_again_elsewhere_does_so_too(env: PythonEnv) -> None:
    make_ready(env)
    run(env, LOADED)
    with env.snapshot() as snapshot:
        env.start_episode(SQUARE)
        assert modules_of(env) == ()
        env.restore(snapshot)
        assert modules_of(env) == MODULES
        assert "<module 'json'" in run(env, "json")


def test_a_reset_never_takes_such_an_interpreter(env: PythonEnv) -> None:
    make_ready(env)
    for _ in range(2 * READY):
        env.start_episode(SQUARE)
        assert modules_of(env) == ()
        assert "False" in run(env, "'json' in __import__('sys').modules")


@pytest.mark.parametrize(
    "beginning",
    [
        ("open('json.py', 'w').write('mine = 7')", LOADED),
        (LOADED + "\n(", "open('json.py', 'w').write('mine = 7')", LOADED),
        ("open('json.py', 'w').write('mine = 7')\nimport json, random",),
        ("import sys\nsys.path.insert(0, '/tmp')", "open('/tmp/json.py', 'w').write('mine = 7')", LOADED),
        ("import os\nos.chdir('/tmp')", "open('json.py', 'w').write('mine = 7')", LOADED),
    ],
    ids=["file", "what does not compile imports nothing", "one action", "path", "folder"],
)
def test_a_module_of_the_agents_own_is_found_as_before(env: PythonEnv, beginning: tuple[str, ...]) -> None:
    make_ready(env)
    for text in beginning:
        run(env, text)
    twin = env.fork()
    assert "7" in run(env, "json.mine")
    assert run(twin, "json.mine") == run(env, "json.mine")
    assert run(twin, FOUND) == run(env, FOUND)
    twin.close()


def test_one_that_dies_is_followed_by_one_that_has_imported_nothing(env: PythonEnv) -> None:
    make_ready(env)
    run(env, LOADED)
    twin = env.fork()
    assert modules_of(twin) == MODULES
    assert "another is ready" in run(twin, "import os; os._exit(3)")
    assert "False" in run(twin, "'json' in __import__('sys').modules")
    assert modules_of(twin) == ()
    twin.close()


# What is kept ready


def test_few_kinds_are_kept_and_the_others_sessions_end(recording: Recording) -> None:
    maker, some = InterpreterPool.of(recording), sorted(QUIET)[: KINDS + 3]
    for name in some:
        maker.take(recording, HOST, None, modules=(name,)).session.close()
        assert are_ready(recording, (name,))
    kept = {kind.modules for kind in maker.ready}
    assert kept == {(), *((name,) for name in some[-KINDS:])}
    maker.take(recording, HOST, None, modules=(some[-KINDS],)).session.close()  # the oldest, now the latest
    maker.take(recording, HOST, None, modules=(some[0],)).session.close()
    assert are_ready(recording, (some[0],))
    assert {kind.modules for kind in maker.ready} == kept - {(some[-KINDS + 1],)} | {(some[0],)}
    assert comes(lambda: recording.live == READY * (1 + KINDS))


def test_many_that_ask_at_once_leave_no_more(recording: Recording) -> None:
    maker = InterpreterPool.of(recording)

    def ask(name: str) -> None:
        maker.take(recording, HOST, None, modules=(name,)).session.close()

    work = [threading.Thread(target=ask, args=(name,)) for name in sorted(QUIET)[: 3 * KINDS]]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    assert comes(lambda: not being_made())
    assert len([kind for kind in maker.ready if kind.modules]) <= KINDS
    assert recording.live <= READY * (1 + KINDS)


def being_made() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if "_fill" in thread.name]


def test_nothing_is_left_where_the_sandbox_closes_meanwhile() -> None:
    with Recording() as sandbox:
        for name in sorted(QUIET)[:3]:
            InterpreterPool.of(sandbox).take(sandbox, HOST, None, modules=(name,))
    assert comes(lambda: not being_made())
    assert sandbox.live == 0


def test_what_cannot_be_imported_is_said_and_its_session_ends(recording: Recording) -> None:
    maker = InterpreterPool.of(recording)
    taken = maker.take(recording, HOST, None, modules=("no_such_module",))
    assert taken.modules == ()
    with pytest.raises(MachineError, match=r"does not import no_such_module .* error ModuleNotFoundError"):
        taken.warm(("no_such_module",))
    taken.session.close()
    assert comes(lambda: not being_made())
    assert comes(lambda: recording.live == READY)
