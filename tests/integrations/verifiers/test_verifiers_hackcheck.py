"""hackcheck of environments of verifiers: rubrics with weights, and the form of 0.1."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from intercode.audit.hackcheck.adversaries import among
from intercode.audit.hackcheck.check import HackCheck
from intercode.audit.hackcheck.report import HackcheckReport
from intercode.audit.hackcheck.targets.peers import kinds
from intercode.audit.hackcheck.targets.peers.target import PeerTarget
from intercode.errors import UserError

HERE = Path(__file__).parent

NAMES = (
    "does-nothing", "says-success", "says-a-number", "talks-to-the-judge", "says-every-answer", "says-what-evaluates",
    "says-much",
)  # fmt: skip
"""One or two for each class of hole: each attempt is a rollout."""


EVERY = 3
"""Tasks of the bank of which one is played: all take minutes, 1 for all."""


def check(path: Path, names: tuple[str, ...] = ()) -> HackcheckReport:
    peer = kinds.find(str(path))
    assert peer is not None
    with PeerTarget(peer).open(lambda message: None) as target:
        chosen = among(target.adversaries, names, path.name)
        job = replace(target.job, tasks=target.job.tasks[::EVERY])
        hackcheck = HackCheck(job, target.elsewhere, chosen, explains=True, every_guess=True, sources=target.sources)
        return HackcheckReport(hackcheck.run(), chosen, "exact", len(job.tasks))


def holes(report: HackcheckReport) -> dict[str, set[str]]:
    """Return the classes of each task's holes."""
    return {check.task.rpartition("/")[2]: {hole.kind.name for hole in check.holes} for check in report.checks}


def test_each_hole_of_a_rubric_is_found_and_sound_ones_pay_nobody() -> None:
    report = check(HERE / "verifiers_bank.py", NAMES)
    found = holes(report)
    kinds_of = {task: task.partition(",")[0] for task in found if not task.startswith("sound")}
    assert [task for task, kind in kinds_of.items() if kind not in found[task]] == []
    assert {task: classes for task, classes in found.items() if task.startswith("sound") and classes} == {}
    assert all(check.gold_is_right("exact") for check in report.checks)


def test_an_environment_of_the_older_form_is_refused_with_what_it_needs(tmp_path: Path) -> None:
    (tmp_path / "older.py").write_text("import verifiers as vf\n\n\ndef load_environment():\n    return None\n")
    with pytest.raises(UserError, match=r"as verifiers 0\.1 wants it.*pip install 'verifiers<0\.2'"):
        check(tmp_path / "older.py")
