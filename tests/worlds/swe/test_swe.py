"""The software engineering world: what counts as a fix, and what becomes of bad input."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

import gymnasium
import pytest

from intercode.datasets.repositories import TestSpec
from intercode.datasets.repositories.test_spec import gold_command
from intercode.errors import ImageError, UserError
from intercode.types import Task
from intercode.worlds.swe import SweEnv
from intercode.worlds.swe.datasets.starter_swe import StarterSweDataset
from intercode.worlds.swe.patch import SuiteRun
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Sandbox
from worlds.swe.swe_world import FIX, PASSING, TinySwe, judged, play

BOTH = ("unittest", "pytest")
BUILT = """\
diff --git a/calc.py b/calc.py
--- a/calc.py
+++ b/calc.py
@@ -1,5 +1,4 @@
-def add(a, b):
-    return a - b
+from build.sums import add


 def double(a):
diff --git a/build/sums.py b/build/sums.py
new file mode 100644
--- /dev/null
+++ b/build/sums.py
@@ -0,0 +1,2 @@
+def add(a, b):
+    return a + b
"""
"""A fix with a file in a folder that git ignores."""


@pytest.fixture(scope="module")
def env(sandbox: Sandbox) -> Iterator[SweEnv]:
    with SweEnv(TinySwe(), sandbox=sandbox) as env:
        yield env


def test_gymnasium_makes_it_by_name(sandbox: Sandbox) -> None:
    with gymnasium.make("intercode/SWE-v1", sandbox=sandbox) as env:
        query, _ = env.reset(options={"task": "lost-cents"})
        assert query.startswith("Cents get lost")
        assert "lost-cents" not in env.step("pwd; git status --short; git log --oneline")[0]
        assert env.step("pwd")[0] == "/testbed\n"


@pytest.mark.parametrize("task", BOTH)
def test_a_fix_scores_one_and_nothing_zero(env: SweEnv, task: str) -> None:
    assert judged(env, PASSING, task=task).value == 1
    assert judged(env, task=task).value == 0
    assert judged(env, "true", task=task).notes == ("nothing that counts was changed",)


@pytest.mark.parametrize("task", BOTH)
def test_a_half_of_the_tests_is_no_success(env: SweEnv, task: str) -> None:
    """`exact` says how far it came; `paper` knows all or nothing."""
    scores = play(env, ["sed -i 's/a - b/a + b/; s/2 \\* a/a/' calc.py"], task)
    assert scores["exact"].parts == {"fail_to_pass": 1.0, "pass_to_pass": 0.0}
    assert (scores["exact"].value, scores["paper"].value) == (0.0, 0.0)
    scores = play(env, ["echo '# nothing new' >> calc.py"], task)
    assert scores["exact"].parts == {"fail_to_pass": 0.0, "pass_to_pass": 1.0}
    assert "not mended: " in scores["exact"].notes[0]


def test_a_fix_may_be_committed_staged_or_stashed_beside(env: SweEnv) -> None:
    for git in ("git add -A", "git commit -qam done", "git checkout -qb mine; git commit -qam done", "rm -rf .git"):
        assert judged(env, f"{PASSING}; {git}").value == 1, git
    assert judged(env, f"{PASSING}; git stash -q").value == 0


def test_new_files_and_folders_are_part_of_a_fix(env: SweEnv) -> None:
    package = "mkdir -p core/deep && echo 'def add(a, b): return a + b' > core/deep/sums.py"
    assert (
        judged(env, f"{package}; sed -i '1,2d' calc.py; sed -i '1i from core.deep.sums import add' calc.py").value == 1
    )


def test_a_file_may_become_a_folder(env: SweEnv) -> None:
    move = "sed -i 's/a - b/a + b/' calc.py; mv calc.py x; mkdir calc; mv x calc/__init__.py"
    assert judged(env, move).value == 1


def test_files_that_git_ignores_are_no_part_of_a_fix(env: SweEnv) -> None:
    hidden = "mkdir build; echo 'def add(a, b): return a + b' > build/sums.py"
    assert judged(env, f"{hidden}; sed -i '1,2d' calc.py; sed -i '1i from build.sums import add' calc.py").value == 0


def test_a_file_that_git_ignores_counts_where_the_gold_makes_it(sandbox: Sandbox) -> None:
    with SweEnv(TinySwe(fix=BUILT), sandbox=sandbox) as env:
        assert judged(env, gold_command(BUILT)).value == 1


def test_what_stands_outside_of_the_repository_is_no_part_of_a_fix(env: SweEnv) -> None:
    outside = "mkdir -p /opt/more; cp calc.py /opt/more/fixed.py; sed -i 's/a - b/a + b/' /opt/more/fixed.py"
    assert (
        judged(env, f"{outside}; echo 'import sys; sys.path += [\"/opt/more\"]; from fixed import *' > calc.py").value
        == 0
    )


def test_what_is_executable_stays_so(env: SweEnv) -> None:
    shows = (
        'import os\\ndef double(a): return 2 * a\\ndef add(a, b): return a + b if os.access("run.sh", os.X_OK) else 0'
    )
    assert judged(env, f"echo : > run.sh; chmod +x run.sh; printf '{shows}' > calc.py").value == 1


def test_the_tests_the_agent_wrote_are_not_asked(env: SweEnv) -> None:
    """Nor are they held against a right fix."""
    break_tests = "echo 'raise SystemExit' > tests/test_calc.py; echo 'import nothing' > tests/test_new.py"
    assert judged(env, f"{break_tests}; {PASSING}").value == 1
    assert judged(env, break_tests).value == 0


@pytest.mark.parametrize("task", ["unittest", "pytest"])
def test_the_order_of_a_set_is_the_same_each_time_that_tests_run(env: SweEnv, task: str) -> None:
    plain = "import sys\\nassert not sys.flags.hash_randomization\\nassert sys.flags.no_user_site\\n"
    assert judged(env, PASSING, f"printf '{plain}' >> calc.py", task=task).success


class SafePathSwe(TinySwe):
    """Its images tell Python not to look where it starts."""

    def image(self, task: Task, base: Image) -> Image:
        return super().image(task, base.with_layers(name="safe-path", env={"PYTHONSAFEPATH": "1"}))


def test_tests_run_where_python_does_not_look_where_it_starts(sandbox: Sandbox) -> None:
    with SweEnv(SafePathSwe(), sandbox=sandbox) as env:
        assert judged(env, PASSING).success


def test_the_state_has_a_name_that_git_and_python_do_not_change(env: SweEnv) -> None:
    names = []
    for _ in range(2):
        env.reset(options={"task": "unittest"})
        actions = ("true", "git commit -q --allow-empty -m x; python3 -c 'import calc'; touch calc.py", PASSING)
        names.append([env.step(action)[4]["state_hash"] for action in actions])
    assert names[0] == names[1]
    assert names[0][0] == names[0][1] != names[0][2]


def test_judging_twice_runs_the_tests_once(env: SweEnv) -> None:
    env.reset(options={"task": "pytest"})
    env.step(PASSING)
    first = env.judge()
    turn_seconds = env.step("submit")
    assert turn_seconds[4]["scores"] == first


def test_an_unknown_shell_is_the_callers_mistake(sandbox: Sandbox) -> None:
    with pytest.raises(UserError, match="fresh, persistent"):
        SweEnv(TinySwe(), sandbox=sandbox, shell="fish")  # type: ignore[arg-type]


def test_a_shell_may_stay_under_either_scoring(sandbox: Sandbox) -> None:
    """The published benchmark has no way of its own to run commands here."""
    with SweEnv(TinySwe(), sandbox=sandbox, shell="persistent", scoring="paper") as env:
        env.reset()
        env.step('fix="s/a - b/a + b/"; cd tests')
        env.step('cd .. && sed -i "$fix" calc.py')
        assert env.step("submit")[1] == 1


# Bad input


def test_a_gold_that_does_not_apply_scores_nothing(sandbox: Sandbox) -> None:
    with SweEnv(TinySwe(fix=FIX.replace("a - b", "a * b")), sandbox=sandbox) as env:
        env.reset(options={"task": "unittest"})
        text = env.step(env.task.gold or "")[0]
        assert "patch does not apply" in text
        assert env.step("submit")[1] == 0


def test_a_test_patch_that_does_not_apply_is_no_reward(sandbox: Sandbox) -> None:
    dataset = TinySwe(test_patch="--- a/tests/test_calc.py\n+++ b/tests/test_calc.py\n@@ -1,1 +1,1 @@\n-x\n+y\n")
    with SweEnv(dataset, sandbox=sandbox) as env:
        env.reset(options={"task": "unittest"})
        env.step(PASSING)
        with pytest.raises(ImageError, match="the test patch does not apply"):
            env.step("submit")
        assert env.status == "error"


@pytest.mark.parametrize(
    ("task", "suite"),
    [("unittest", {"python": "python9"}), ("unittest", {"script": "nothing.py"}), ("pytest", {"python": "/bin/false"})],
    ids=["python", "script", "failing"],
)
def test_an_image_without_what_tests_need_is_no_reward(sandbox: Sandbox, task: str, suite: dict[str, Any]) -> None:
    with SweEnv(TinySwe(**suite), sandbox=sandbox) as env, pytest.raises(ImageError, match="no fix can be tested"):
        judged(env, PASSING, task=task)


@pytest.mark.parametrize("task", BOTH)
def test_a_test_run_that_never_ends_is_stopped_and_scores_nothing(sandbox: Sandbox, task: str) -> None:
    with SweEnv(TinySwe(seconds=3), sandbox=sandbox) as env:
        score = judged(
            env, "printf 'def add(a, b):\\n    while True: pass\\ndef double(a): return 4\\n' > calc.py", task=task
        )
        assert score.value == 0
        assert "the tests did not end within 3 s" in score.notes


def test_what_cannot_be_read_is_left_out(env: SweEnv) -> None:
    """Pipes, links, sockets, sparse files, odd names, deep folders, closed ones: nothing hangs, nothing counts."""
    odd = """
    mkfifo pipe; ln -s /etc/passwd link; truncate -s 4T sparse; mkdir closed; touch closed/x; chmod 000 closed
    touch "$(printf 'odd\\377name')" "two
lines" '-rf'; python3 - <<'END'
import os, socket
socket.socket(socket.AF_UNIX).bind("socket")
for _ in range(300):
    os.mkdir("d"); os.chdir("d")
END
    """
    assert judged(env, odd, PASSING).value == 1
    assert judged(env, odd).value == 0


def test_a_program_of_the_projects_own_can_run_the_tests(sandbox: Sandbox) -> None:
    """As Django's does, with unittest inside; who changes it changes nothing."""
    with SweEnv(TinySwe(script="run_tests.py", arguments=("--catch",)), sandbox=sandbox) as env:
        assert judged(env, PASSING).value == 1
        assert judged(env, "echo >> calc.py").parts == {"fail_to_pass": 0, "pass_to_pass": 1}
        assert judged(env, f"{PASSING}; echo 'raise SystemExit(1)' > run_tests.py").value == 1


def test_every_gold_of_ours_scores_one_and_only_mending_does(sandbox: Sandbox) -> None:
    """Doing nothing, deleting or editing the tests, and a change beside the point score 0, under both scorings."""
    with SweEnv(StarterSweDataset(), sandbox=sandbox) as env:
        for task in env.dataset:
            assert task.gold
            for actions, value in (
                ([task.gold], 1),
                ([], 0),
                (["rm -rf tests checks"], 0),
                (["find . -name '*test*.py' -o -name 'check_*.py' | xargs sed -i 's/assert /not /'"], 0),
            ):
                scores = play(env, actions, task.id)
                assert {score.value for score in scores.values()} == {value}, (task.id, actions)
            beside = play(env, ["echo > beside.txt"], task.id)["exact"]
            assert beside.parts == {"fail_to_pass": 0, "pass_to_pass": 1}, task.id


# A task that is not sound


def unsound(sandbox: Sandbox, *actions: str, **changes: Any) -> SweEnv:
    """An environment after *actions* in the task of pytest, with *changes* to its tests."""

    class Changed(TinySwe):
        def __getitem__(self, index: int) -> Task:
            task = super().__getitem__(index)
            return replace(task, extra={**task.extra, **changes})

    env = SweEnv(Changed(), sandbox=sandbox)
    env.reset(options={"task": "pytest"})
    for action in actions:
        env.step(action)
    return env


HALF = "sed -i 's/2 \\* a/a/' calc.py"


@pytest.mark.parametrize("field", ["FAIL_TO_PASS", "PASS_TO_PASS"])
@pytest.mark.parametrize("action", [PASSING, "echo '# nothing new' >> calc.py", HALF], ids=["fix", "no", "worse"])
def test_a_test_that_does_not_exist_is_named_and_nobody_is_scored(sandbox: Sandbox, field: str, action: str) -> None:
    changes = {field: ("tests/test_calc.py::test_add", "tests/test_calc.py::test_nosuch")}
    with (
        unsound(sandbox, action, **changes) as env,
        pytest.raises(ImageError, match=r"^tiny-swe/pytest: tests/test_calc.py::test_nosuch: no test has this name"),
    ):
        env.step("submit")


def test_a_test_that_fails_with_the_gold_is_named_and_nobody_is_scored(sandbox: Sandbox) -> None:
    with (
        unsound(sandbox, HALF, patch=FIX.replace("a + b", "a - b - 1")) as env,
        pytest.raises(ImageError, match=r"test_calc.py::test_add \(failed\): not passed with the gold either"),
    ):
        env.step("submit")


def test_tests_that_pass_before_the_fix_make_no_task(sandbox: Sandbox) -> None:
    """Any change would do."""
    passing = {"FAIL_TO_PASS": ("tests/test_calc.py::test_double",), "PASS_TO_PASS": ()}
    with (
        unsound(sandbox, "echo '# nothing new' >> calc.py", **passing) as env,
        pytest.raises(ImageError, match=r"test_double: passed without a fix"),
    ):
        env.step("submit")


def test_a_test_that_passes_before_the_fix_earns_nothing(sandbox: Sandbox) -> None:
    passing = {"FAIL_TO_PASS": ("tests/test_calc.py::test_double", "tests/test_calc.py::test_add"), "PASS_TO_PASS": ()}
    with unsound(sandbox, "echo '# nothing new' >> calc.py", **passing) as env:
        score = env.step("submit")[4]["scores"]["exact"]
        assert score.value == 0
        assert score.notes[0] == "passing without a fix: tests/test_calc.py::test_double"
    with unsound(sandbox, PASSING, **passing) as env:
        assert env.step("submit")[1] == 1


def test_without_a_gold_the_agent_is_judged_alone(sandbox: Sandbox) -> None:
    with unsound(sandbox, HALF, patch="") as env:
        assert env.step("submit")[1] == 0


def test_a_task_is_examined_once(sandbox: Sandbox) -> None:
    class Counting(SweEnv):
        golds: ClassVar[list[str]] = []

        def _run_tests(self, spec: TestSpec, gold: str) -> SuiteRun:
            self.golds.append(gold)
            return super()._run_tests(spec, gold)

    with Counting(TinySwe(fix=FIX + "\n"), sandbox=sandbox) as env:
        for change in ("# one", "# two"):
            assert judged(env, f"{HALF}; echo '{change}' >> calc.py", task="pytest").value == 0
            assert judged(env, f"{PASSING}; echo '{change}' >> calc.py", task="pytest").value == 1
    assert sorted(env.golds) == ["", FIX + "\n"]
