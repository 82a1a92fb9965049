"""A session that submissions share: each finds it untouched, and after one that leaves anything there is another."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from intercode.envs.python import PythonEnv, test_judge
from intercode.envs.python.test_judge import Submission
from intercode.rewards.python.hidden_tests import HiddenTests, hidden_tests
from intercode.rewards.python.unit_tests import exact
from intercode.runs.certify.attempt_session import AttemptSession
from intercode.types import Task

TASK = Task(
    id="mine/same",
    query="Write a function `same(value)` that returns its argument.",
    gold="def same(value):\n    return value\n",
    world="python",
    extra={"tests": ["assert same(1) == 1", "assert same('a') == 'a'"]},
)
TESTS: HiddenTests = hidden_tests(TASK)
GOLD = TASK.gold or ""


@pytest.fixture(scope="module")
def judge() -> Iterator[test_judge.TestJudge]:
    with PythonEnv("starter-python") as env:
        env.reset(seed=0)
        yield test_judge.TestJudge(env.sandbox, env.image, env.limits)


@pytest.fixture
def session() -> Iterator[AttemptSession]:
    with AttemptSession() as session:
        yield session


def passes(session: AttemptSession, judge: test_judge.TestJudge, text: str, seconds: float = 10.0) -> bool:
    """Whether an action with this *text*, which may take so many *seconds*, scores 1 as far as the session can tell."""
    answers = session.answers(judge, Submission(((text, seconds),)), TESTS)
    results = test_judge.ResultChecker.of(judge.sandbox).check(judge, TESTS, answers) if answers else ()
    return exact(results).success


def test_submissions_that_leave_nothing_share_a_session(session: AttemptSession, judge: test_judge.TestJudge) -> None:
    texts = (GOLD, "def same(value):\n    return 1\n", "1 / 0", GOLD)
    assert [passes(session, judge, text) for text in texts] == [True, False, False, True]
    assert not passes(session, judge, "import time; time.sleep(9)", seconds=0.2)
    assert not passes(session, judge, "import os; os._exit(3)")
    assert passes(session, judge, GOLD)
    assert session.sessions == 1


@pytest.mark.parametrize(
    "text",
    [
        GOLD,
        "same = 1",
        "def same(value):\n    return value if value == 1 else object()",
        "def same(value):\n    raise KeyError(value)",
        "def same(value):\n    raise SystemExit",
        "def same(value):\n    import os; os._exit(0)",
        "def same(value, seen=[]):\n    seen.append(value)\n    return value if len(seen) == 1 else None",
        "def same(value):\n    global left\n    left = value if 'left' not in globals() else 0\n    return left",
    ],
    ids=["gold", "no-function", "not-plain", "error", "exit", "end", "default", "global"],
)
def test_answers_are_those_that_the_judge_gets(session: AttemptSession, judge: test_judge.TestJudge, text: str) -> None:
    """Which asks each test in a fork of its own: no test sees what another has left."""
    submission = Submission(((text, 10.0),))
    with judge.run_submission(submission) as process:
        asked = tuple(process.values(TESTS, test) for test in TESTS.tests)
    assert session.answers(judge, submission, TESTS) == asked
    assert session.answers(judge, submission, TESTS, apart=True) == asked


@pytest.mark.parametrize(
    "text",
    [
        "import threading, time\nthreading.Thread(target=time.sleep, args=(9,), daemon=True).start()\n" + GOLD,
        "import os\nos._exit(0)",
        "def same(value):\n    return same(value)",
        "import os\ndef same(value):\n    os.kill(os.getpid(), 9)",
        "def same(value):\n    return 'a' * 10 ** 7",
    ],
    ids=["thread", "end", "deep", "killed", "long"],
)
def test_what_might_be_another_answer_where_tests_are_judged_is_none(
    session: AttemptSession, judge: test_judge.TestJudge, text: str
) -> None:
    assert session.answers(judge, Submission(((text, 10.0),)), TESTS) is None


@pytest.mark.parametrize("text", ["print(1)\n[2]", "1 / 0", "no code", "import os\nprint(os.listdir('.'), dir())"])
def test_a_first_action_shows_what_it_shows_in_an_episode(
    session: AttemptSession, judge: test_judge.TestJudge, text: str
) -> None:
    with PythonEnv("starter-python") as env:
        env.reset(seed=0)
        seen = env.execute(text)
    shown = session.show(judge, text)
    assert shown == seen


def test_what_ends_an_episode_is_shown_by_one(session: AttemptSession, judge: test_judge.TestJudge) -> None:
    assert session.show(judge, "exit(3)") is None
    assert session.show(judge, "import os; os._exit(0)") is None


def test_who_always_leaves_something_gets_sessions_of_its_own(judge: test_judge.TestJudge) -> None:
    with AttemptSession((), is_shared=False) as session:
        assert [passes(session, judge, GOLD) for _ in range(2)] == [True, True]
        assert session.sessions == 2
        assert not session.is_open


@pytest.mark.parametrize(
    "left",
    [
        GOLD,
        "import builtins\nbuiltins.same = lambda value: value",
        "import sys, types\nsys.modules['same'] = types.ModuleType('same')\n" + GOLD,
        "import os\nos.environ['A'] = 'b'\nos.chdir('/')\n" + GOLD,
    ],
)
def test_nothing_that_one_has_defined_is_there_for_the_next(
    session: AttemptSession, judge: test_judge.TestJudge, left: str
) -> None:
    assert passes(session, judge, left)
    assert not passes(session, judge, "pass")
    probe = (
        "import os, sys\nassert 'same' not in sys.modules and 'A' not in os.environ and os.getcwd() == HERE\n" + GOLD
    )
    assert passes(session, judge, f"HERE = {judge.image.workdir!r}\n{probe}")


@pytest.mark.parametrize(
    "leaves",
    [
        "open('left', 'w').write('text')",
        "import subprocess\nsubprocess.Popen(['sleep', '100'], start_new_session=True)",
        "open('/dev/shm/left', 'w').write('text')",
        "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nos.kill(-1, signal.SIGKILL)",
        "open('/dev/shm/left', 'w').close()\nimport os\nos.remove('/dev/shm/left')",
        "open('/dev/left', 'w').close()",
        "import os\nos.chmod('/', 0o700)",
        "import os\nos.system('ipcmk -M 100') and open('left', 'w')",  # where it is refused, a file
        "import socket\nsocket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))",
        "import os, resource\nresource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (64, 64))",
        "import os\nos.setpriority(os.PRIO_PROCESS, os.getppid(), 10)",
        "import os\nos.sched_setscheduler(os.getppid(), os.SCHED_BATCH, os.sched_param(0))",
        "import os\nopen(f'/proc/{os.getppid()}/oom_score_adj', 'w').write('500')",
        "import os\nos.set_blocking(199, False)",
    ],
    ids=[
        *("file", "process", "memory", "kills", "memory-for-a-while", "device", "mode", "shared-memory", "network"),
        *("limit", "priority", "scheduler", "score", "blocking"),
    ],
)
def test_what_leaves_anything_has_the_next_begin_in_another_session(
    session: AttemptSession, judge: test_judge.TestJudge, leaves: str
) -> None:
    passes(session, judge, leaves)
    assert passes(session, judge, GOLD)
    assert session.sessions == 2
