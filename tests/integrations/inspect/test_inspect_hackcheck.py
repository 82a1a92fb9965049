"""hackcheck of Inspect's tasks: solvers and scorers of Inspect's own and of others, with and without a sandbox."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from intercode.audit.hackcheck.adversaries import among
from intercode.audit.hackcheck.check import HackCheck
from intercode.audit.hackcheck.report import HackcheckReport
from intercode.audit.hackcheck.targets.peers import kinds
from intercode.audit.hackcheck.targets.peers.target import PeerTarget

BANK = Path(__file__).with_name("inspect_bank.py")

REPLIES = (
    "refuses", "says-success", "says-a-number", "talks-to-the-judge", "says-every-answer", "says-what-evaluates",
)  # fmt: skip
"""One or two for each class of hole."""

CALLS = ("calls-tools", "fills-in-calls", "says-success")
"""Those that call tools, and one that does not."""

IN_SANDBOX = ("prints-leftovers", "overwrites-the-grader")
"""One for each class of hole, since each attempt starts a sandbox."""


EVERY = 2
"""Tasks of the bank of which one is played: all take minutes, 1 for all."""


def check(
    task: str, names: tuple[str, ...] = (), solution: tuple[str, ...] = (), every: int = EVERY
) -> HackcheckReport:
    peer = kinds.find(f"{BANK}@{task}")
    assert peer is not None
    with PeerTarget(peer, solution=solution).open(lambda message: None) as target:
        chosen = among(target.adversaries, names, task)
        job = replace(target.job, tasks=target.job.tasks[::every])
        hackcheck = HackCheck(job, target.elsewhere, chosen, explains=True, every_guess=True, sources=target.sources)
        return HackcheckReport(hackcheck.run(), chosen, "exact", len(job.tasks))


def holes(report: HackcheckReport) -> dict[str, set[str]]:
    """Return the classes of each task's holes."""
    return {check.task.rpartition("/")[2]: {hole.kind.name for hole in check.holes} for check in report.checks}


def test_each_hole_of_a_scorer_is_found_and_named() -> None:
    found = holes(check("holed", REPLIES))
    assert found
    assert [task for task, classes in found.items() if task not in classes] == []


def test_what_lies_in_the_sandbox_is_found_there() -> None:
    found = holes(check("holed_in_a_sandbox", IN_SANDBOX))
    assert [task for task, classes in found.items() if task not in classes] == []


def test_calls_that_are_counted_or_looked_at_for_their_form_are_found() -> None:
    found = holes(check("holed_in_calls", CALLS, every=1))
    assert found == {"form-only, counted": {"form-only"}, "form-only, filled in": {"form-only"}}


def test_calls_that_are_read_pay_the_right_one_and_nobody_else() -> None:
    right = 'call file_away {"case": "K-17", "report": "a red kite"}'
    assert check("sound_in_calls", CALLS, solution=(right, "done")).outcome == "sound"
    assert check("sound_in_calls", CALLS).outcome == "unchecked", "the target is no message that earns anything"


def test_a_sandbox_that_cannot_be_made_is_no_failure_of_the_scorer() -> None:
    report = check("in_no_image", REPLIES)
    assert (report.outcome, report.checks[0].reward_failures) == ("error", ())
    assert "it cannot be begun" in report.checks[0].error


def test_an_episode_without_end_is_no_failure_of_the_scorer_and_its_answer_is_paid() -> None:
    report = check("endless", ("submits-at-once", "does-nothing"))
    assert (report.outcome, report.checks[0].reward_failures) == ("sound", ())
    assert all(each.value("exact") == 0 for each in report.checks[0].adversaries)


@pytest.mark.parametrize(("limit", "runs_commands"), [(None, True), (1, False)])
def test_commands_are_tried_where_a_task_that_is_checked_has_a_sandbox(limit: int | None, runs_commands: bool) -> None:
    peer = kinds.find(f"{BANK}@some_in_sandboxes")
    assert peer is not None
    with PeerTarget(peer, limit=limit).open(lambda message: None) as target:
        assert ("deletes-everything" in {each.name for each in target.adversaries}) is runs_commands


@pytest.mark.parametrize(
    ("task", "names"),
    [("sound", REPLIES), ("letters", REPLIES), ("sound_in_a_sandbox", IN_SANDBOX)],
)
def test_sound_tasks_pay_the_right_answer_and_nobody_else(task: str, names: tuple[str, ...]) -> None:
    report = check(task, names)
    assert report.outcome == "sound", [(each.name, each.about) for each in report.checks[0].paid("exact")]
    assert all(each.succeeds("exact") for each in report.checks[0].gold)
