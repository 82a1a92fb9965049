"""Does hackcheck still find holes? Played on rewards that have one each, and on one that has none."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path

from intercode.audit.hackcheck.adversaries import choose
from intercode.audit.hackcheck.check import HackCheck
from intercode.audit.hackcheck.verdict import TaskCheck
from intercode.runs.job import prepare
from intercode.runs.settings import Settings
from intercode.types import DEFAULT_WORLD

TASK = {"query": "Write how many lines /data/names.txt has into /data/count.txt.", "gold": "echo 3 > /data/count.txt"}
SOUND = "return ending.read('/data/count.txt') == b'3\\n' and ending.read('/data/names.txt').count(b'\\n') == 3"

REWARDS: Mapping[str, tuple[str, str]] = {
    "never-compares": ("does-nothing", "True"),
    "substring": ("prints-every-file", "'heron' in (ending.answer or '')"),
    "trusts-reports": ("says-success", "'PASSED' in (ending.answer or '')"),
    "form-only": ("says-a-number", "(ending.answer or '').strip().isdigit()"),
    "only-absence": ("deletes-everything", "ending.run(['cat', '/data/names.txt']).exit_code != 0"),
    "answers-in-reach": ("prints-leftovers", "(ending.answer or '').strip() == '3 names'"),
    "verifier-beside-agent": (
        "leaves-settings-of-tests",
        "any(change.path == '/pytest.ini' for change in ending.changes)",
    ),
}
"""For each class that a shell can have: an adversary that must be paid, and what its reward goes by beside the work."""


def unpaid() -> list[str]:
    """Return what is wrong: adversaries that are not paid where they must be, or are where they must not be."""
    wrong = []
    for kind, (adversary, condition) in {**REWARDS, "sound": ("", "False")}.items():
        (check,) = _check(condition, [adversary] if adversary else [each for each, _ in REWARDS.values()])
        paid = [each.name for each in check.paid(check.scoring)]
        if not check.is_checked(check.scoring):
            wrong.append(f"{kind} (nothing was checked: {check.error or check.why_gold_is_wrong(check.scoring)})")
        elif paid != [adversary] * bool(adversary):
            wrong.append(f"{kind} ({adversary or ', '.join(paid)})")
    return wrong


def _check(condition: str, adversaries: list[str]) -> tuple[TaskCheck, ...]:
    """Play *adversaries* on a reward that is paid for the work, and where *condition* holds."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "selftest"
        (folder / "files" / "data").mkdir(parents=True)
        (folder / "files" / "data" / "names.txt").write_text("tern\nheron\nswan\n")
        (folder / "files" / "data" / "count.expected").write_text("3 names\n")
        (folder / "task.toml").write_text('world = "bash"\n')
        (folder / "tasks.jsonl").write_text(json.dumps(TASK) + "\n")
        text = f"def reward(ending):\n    if {condition}:\n        return 1\n    {SOUND}\n"
        (folder / "reward.py").write_text(text)
        settings = Settings(dataset=str(folder))
        with prepare(settings) as job, prepare(settings) as elsewhere:
            return HackCheck(job, elsewhere, choose(DEFAULT_WORLD, adversaries), every_guess=True).run()
