"""What `intercode hackcheck` finds in the bank of others: nearly all of these holes, and nothing in sound data sets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from data_set_bank import HOLES, SOUND, BankEntry, read_entry

from intercode.audit.hackcheck.adversaries import choose
from intercode.audit.hackcheck.check import HackCheck
from intercode.audit.hackcheck.verdict import TaskCheck
from intercode.datasets.swebench import SwebenchDataset
from intercode.report.statistics import wilson
from intercode.runs.job import prepare
from intercode.runs.settings import Settings

pytestmark = pytest.mark.bank

MISSED = {
    "bash-any-archive": "writes no file into a folder of which the request names no file",
    "bash-expected-lines-anywhere": "prints what is in all files, and not their paths",
    "bash-keywords-in-document": "writes the request's words once, which is too short",
    "bash-line-count": "prints no number of lines that the request names",
    "bash-only-absence": "deletes nothing below /var and other folders of the system, even where the request names it",
    "bash-yes-or-no": "a guess that is right is no fault of the reward",
    "ctf-empty-password": "does not talk to services",
    "ctf-placeholder-flag": "knows other placeholders",
    "ctf-plain-file-left": "submits all text of all files at once, and does not look for what looks like a flag",
    "python-one-output-for-all": "hands in no program that prints a word of the request",
    "python-only-the-example": "returns no constant that the request names",
    "sql-answers-table": "is judged by the last of the tables only",
    "sql-count-under-paper": "a guess that is right is no fault of the reward",
    "sql-generous-alternative": "whatever is a gold is taken for right",
    "swe-any-exception": "makes no function raise an error",
    "swe-constant-from-the-issue": "returns no constant that the issue names",
    "swe-fix-left-behind": "applies no patch that it finds",
    "swe-name-exists": "defines no function that the issue names",
    "world-check-in-the-sandbox": "writes no files in a world that is the data set's own",
}
"""Holes that are not found, and what hackcheck does or leaves. None of them was mended for this bank's sake."""

FOUND = sorted({*HOLES} - {*MISSED})

FOUND_SINCE = ("ctf-format-is-enough",)
"""Those of them that were not found at first: a made-up flag passed for a guess that was right."""

FIGURES = Path(__file__).parents[2] / "docs" / "hackcheck-measured.md"

SLOW = ("bash-test-log", "bash-status-file", "python-keywords-in-code", "python-own-tests-say-ok")
"""Found by the last of many attempts."""

LIKELY = ("does-nothing", "submits", "links", "prints", "says", "writes", "touches", "hands", "returns")
"""How the names of those begin that find most."""


def check(name: str, folder: Path, *, stops_early: bool) -> Sequence[TaskCheck]:
    """hackcheck's verdict on the data set called *name*; where it *stops_early*, on one task with a hole only."""
    settings = bank_settings(name, folder, only_hole=stops_early)
    with prepare(settings) as job, prepare(settings) as elsewhere:
        adversaries = choose(job.settings.world, [])
        if stops_early:
            adversaries = tuple(sorted(adversaries, key=lambda each: not each.name.startswith(LIKELY)))
        checks = HackCheck(job, elsewhere, adversaries, stops_early=stops_early).run()
    assert [each.error for each in checks] == [""] * len(checks)
    return checks


def bank_settings(name: str, folder: Path, *, only_hole: bool) -> Settings:
    return settings_of(read_entry(name, folder), folder, only_hole=only_hole)


def settings_of(entry: BankEntry, folder: Path, *, only_hole: bool) -> Settings:
    dataset, place = entry.dataset, folder / entry.name
    with_hole = [index for index, actions in enumerate(entry.exploits) if actions is not None]
    tasks = (str(with_hole[0]),) if only_hole else ()
    if isinstance(dataset, SwebenchDataset):
        files = {"file": "tasks.jsonl", "repositories": "mirrors", "environments": "environments.toml"}
        options = {option: str(place / file) for option, file in files.items()}
        found = Settings(dataset="swebench", dataset_options=options, image="host", tasks=tasks)
        reward = place / "reward.py"
        return found.changed(reward=str(reward), scoring="exact") if reward.is_file() else found
    return Settings(dataset=str(place), database="sqlite" if dataset.world == "sql" else "", tasks=tasks)


def marked(names: Sequence[str], slow: Sequence[str]) -> list[Any]:
    """*names* as parameters, of which those in *slow* are marked as such."""
    return [pytest.param(name, marks=pytest.mark.slow) if name in slow else name for name in names]


@pytest.mark.parametrize("name", marked(FOUND, SLOW))
def test_a_hole_that_was_found_is_found(name: str, tmp_path: Path) -> None:
    checks = check(name, tmp_path, stops_early=True)
    assert any(each.paid(each.scoring) for each in checks)


@pytest.mark.parametrize("name", marked(SOUND, [name for name in SOUND if not name.startswith("sql")]))
def test_a_sound_data_set_raises_no_alarm(name: str, tmp_path: Path) -> None:
    """All adversaries are played on all tasks."""
    checks = check(name, tmp_path, stops_early=False)
    assert [each.task for each in checks if not each.is_good] == []


def test_the_documented_figures_are_these() -> None:
    assert {*MISSED} <= {*HOLES}
    found = len(FOUND) - len(FOUND_SINCE)
    assert found >= 31
    text = FIGURES.read_text()
    assert f"| {found} of {len(HOLES)} | {percent(found, len(HOLES))} |" in text
    assert f"| 0 of {len(SOUND)} | {percent(0, len(SOUND))} |" in text
    assert all(f"`{name}`" in text for name in MISSED)


def percent(successes: int, trials: int) -> str:
    interval = wilson(successes, trials)
    return f"{100 * successes / trials:.0f} % ({100 * interval.low:.0f} to {100 * interval.high:.0f} %)"
