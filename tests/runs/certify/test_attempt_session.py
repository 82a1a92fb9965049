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
    """Whether an action with this *text* scores 1; it may take so many *seconds*."""
    with session.run_submission(judge, Submission(((text, seconds),))) as process:
        return exact(judge.judge(TESTS, process)).success


def test_submissions_that_leave_nothing_share_a_session(session: AttemptSession, judge: test_judge.TestJudge) -> None:
    texts = (GOLD, "def same(value):\n    return 1\n", "1 / 0", GOLD)
    assert [passes(session, judge, text) for text in texts] == [True, False, False, True]
    assert not passes(session, judge, "import time; time.sleep(9)", seconds=0.2)
    assert passes(session, judge, GOLD)
    assert session.sessions == 1


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
        "import os\nos._exit(3)",
        "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nos.kill(-1, signal.SIGKILL)",
    ],
    ids=["file", "process", "memory", "end", "kills"],
)
def test_what_leaves_anything_has_the_next_begin_in_another_session(
    session: AttemptSession, judge: test_judge.TestJudge, leaves: str
) -> None:
    passes(session, judge, leaves)
    assert passes(session, judge, GOLD)
    assert session.sessions == 2


def test_an_error_of_whoever_judges_ends_the_session(session: AttemptSession, judge: test_judge.TestJudge) -> None:
    with pytest.raises(KeyError), session.run_submission(judge, Submission(((GOLD, 1.0),))):
        raise KeyError("ours")
    assert passes(session, judge, GOLD)
    assert session.sessions == 2
