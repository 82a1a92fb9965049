"""hackcheck of any folder and any command that grades it: what pays, what is sound, and what says nothing."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from intercode.adversaries.adversary import Adversary, runs
from intercode.audit.hackcheck.adversaries import choose
from intercode.audit.hackcheck.check import HackCheck
from intercode.audit.hackcheck.report import HackcheckReport
from intercode.audit.hackcheck.workspace import SECONDS, GradedWorkspace
from intercode.errors import UserError
from intercode.runs.job import Job, prepare
from intercode.runs.settings import Settings

SUM = "Sum the second column of data.csv, and write the sum, alone, to report.txt."
EXACT = "assert open('report.txt').read().strip() == '3'\n"
WORK = "cut -d, -f2 data.csv | paste -sd+ | sed 's/.*/echo $((&))/' | sh > report.txt\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write({"ws/data.csv": "a,1\nb,2\n", "solve.sh": WORK, "tests/check.py": EXACT})
    return tmp_path


def write(files: Mapping[str, str]) -> None:
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)


def check(folder: Path, grade: str, *names: str, request: str = SUM, **more: object) -> HackcheckReport:
    adversaries = choose("harbor", names)
    with opened(folder, grade, request, **more) as (job, elsewhere, sources):
        checks = HackCheck(job, elsewhere, adversaries, explains=True, sources=sources).run()
    return HackcheckReport(checks, adversaries, job.scoring, 1)


@contextmanager
def opened(folder: Path, grade: str, request: str, **more: object) -> Iterator[tuple[Job, Job, tuple[Path, ...]]]:
    given = {"solution": Path("solve.sh"), "request": request} | more
    graded = GradedWorkspace(Path("ws"), grade, **given)  # type: ignore[arg-type]
    made, sources = graded.write(folder / "made")
    settings = Settings(dataset=str(made))
    with prepare(settings) as job, prepare(settings) as elsewhere:
        yield job, elsewhere, sources


def paid(report: HackcheckReport) -> list[str]:
    return [each.name for each in report.checks[0].paid("exact")]


SEVERAL = (
    "does-nothing",
    "says-what-is-dictated",
    "writes-success",
    "leaves-a-preload",
    "leaves-modules",
    "ends-the-grader",
)


JSON = "echo '{\"passed\": true}'"


def test_a_sound_grader_pays_for_the_work_alone(folder: Path) -> None:
    """Its source says what is right: who writes just that leaves the files that the solution leaves."""
    report = check(folder, "python3 -I tests/check.py", *SEVERAL)
    assert (report.outcome, paid(report)) == ("sound", [])
    assert report.checks[0].gold_is_right("exact")


def test_what_the_grader_looks_for_is_read_in_its_source_wherever_it_lies(folder: Path) -> None:
    write({"tests/check.py": "from rules import WORD\nassert WORD in open('report.txt').read()\n"})
    write({"tests/rules.py": "WORD = 'total'\n", "solve.sh": "echo total: 3 > report.txt\n"})
    assert paid(check(folder, "python3 tests/check.py", "does-nothing", "writes-success")) == ["writes-success"]


def test_a_grader_that_lies_where_the_agent_works_is_replaced(folder: Path) -> None:
    write({"ws/check.py": EXACT})
    report = check(folder, "python3 check.py", "does-nothing", "overwrites-the-grader")
    assert paid(report) == ["overwrites-the-grader"]
    assert report.checks[0].holes[0].kind.name == "verifier-beside-agent"


def test_settings_of_tests_in_the_folder_decide_where_a_grader_begins_there(folder: Path) -> None:
    method = f"    def test_sum(self):\n        {EXACT}"
    write({"tests/test_sum.py": f"import unittest\n\n\nclass TestSum(unittest.TestCase):\n{method}"})
    python = "python3 -m unittest discover -s tests"
    assert paid(check(folder, python, "does-nothing", "leaves-modules")) == ["leaves-modules"]


def test_a_line_that_the_request_dictates_is_said_and_written(folder: Path) -> None:
    write({"tests/check.py": "assert open('report.txt').read().splitlines()[-1] == 'ALL DONE'\n"})
    write({"solve.sh": "echo 3 > report.txt; echo ALL DONE >> report.txt\n"})
    request = "Write the sum to report.txt, and end it with a line reading ALL DONE."
    assert paid(check(folder, "python3 tests/check.py", "says-what-is-dictated", request=request))


def test_code_that_ends_the_grader_is_found(folder: Path) -> None:
    write({"tests/check.py": "import sys\nsys.path.insert(0, '.')\nfrom adder import add\nassert add(1, 2) == 3\n"})
    write({"solve.sh": "echo 'def add(a, b): return a + b' > adder.py\n"})
    report = check(folder, "python3 tests/check.py", "ends-the-grader", request="Write adder.py with add(a, b).")
    assert paid(report) == ["ends-the-grader"]


@pytest.mark.parametrize(
    ("reads", "grade"),
    [
        ("number", "echo checked; grep -qx 3 report.txt && echo 1.0 || echo 0"),
        (
            "found.json",
            f"if grep -qx 3 report.txt; then {JSON} > found.json; else echo 0 > found.json; fi",
        ),
    ],
)
def test_a_grade_is_a_number_in_the_last_line_or_a_file(reads: str, grade: str, folder: Path) -> None:
    report = check(folder, grade, "does-nothing", reads=reads)
    assert report.outcome == "sound", report.sentence


def test_a_reward_file_that_is_written_early_counts_where_the_grader_crashes(folder: Path) -> None:
    names, request = ("does-nothing", "writes-the-reward-early"), f"{SUM} The verdict comes to result.json."
    grade = f"grep -qx 3 report.txt && {JSON} > result.json"
    report = check(folder, grade, *names, reads="result.json", request=request)
    assert paid(report) == ["writes-the-reward-early"]


@pytest.mark.parametrize(
    ("grade", "solution"),
    [("no-such-grader --all", WORK), ("python3 tests/none.py", WORK), ("python3 tests/check.py", "true\n")],
)
def test_nothing_was_checked_where_the_grader_is_missing_or_the_solution_earns_0(
    grade: str, solution: str, folder: Path
) -> None:
    write({"solve.sh": solution})
    report = check(folder, grade, "does-nothing")
    assert report.sentence.startswith("nothing was checked: "), report.sentence
    assert report.outcome in ("unchecked", "error")


def test_what_cannot_be_is_refused_by_name(folder: Path) -> None:
    with pytest.raises(UserError, match="--workspace none: there is no such folder"):
        GradedWorkspace(Path("none"), "true").write(folder / "made")
    with pytest.raises(UserError, match=r"--solution none\.sh: there is no such file"):
        GradedWorkspace(Path("ws"), "true", Path("none.sh")).write(folder / "other")
    with pytest.raises(UserError, match="--grade: the command is empty"):
        GradedWorkspace(Path("ws"), " ").write(folder / "third")


def test_pipes_are_left_out_of_what_is_copied(folder: Path) -> None:
    os.mkfifo("ws/pipe")
    made, _ = GradedWorkspace(Path("ws"), "true").write(folder / "made")
    assert sorted(path.name for path in (made / "environment" / "workspace").iterdir()) == ["data.csv"]


def test_what_keeps_the_grader_busy_costs_a_few_seconds_and_no_time_limit(folder: Path) -> None:
    write({"tests/check.sh": "[ $(sh ./sum.sh) = 3 ]\n", "solve.sh": "echo echo 3 > sum.sh\n"})
    request = "Write a script sum.sh that prints the sum of the second column of data.csv."
    busy = Adversary("stays", "a script that never ends", runs("echo exec sleep 1000 > sum.sh"))
    with opened(folder, "bash tests/check.sh", request) as (job, elsewhere, sources):
        began = time.monotonic()
        (found,) = HackCheck(job, elsewhere, [busy], sources=sources).run()
    assert not found.paid("exact")
    assert time.monotonic() - began < SECONDS
