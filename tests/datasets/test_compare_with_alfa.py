"""What was settled between nl2bash-verified and NL2SH-ALFA: each row of the table in the documentation is played."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from intercode import registry
from intercode.datasets.nl2bash.verified import NL2BashVerifiedDataset
from intercode.datasets.nl2sh_alfa.dataset import Nl2shAlfaDataset
from intercode.types import Task
from intercode.worlds.bash import BashEnv
from intercode_sandbox import images
from intercode_sandbox.sandbox import Sandbox

ROOT = Path(__file__).parents[2]
SCRIPT = registry.load_file(ROOT / "scripts" / "compare_with_alfa.py")
PAGE = (ROOT / "docs" / "decisions" / "verified-sets.md").read_text(encoding="utf-8")
ROWS = re.findall(
    r"^\| (fs\d/\d+) \| (fs\d/\d+) (first|second|both) \| .+ \| (ours|theirs|both) \| (.+) \|$", PAGE, re.M
)
GOLDS = {"first": slice(1), "second": slice(1, 2), "both": slice(2)}
PROGRAMS = {"fs2/2": "tree"}
"""What golds of ours need that a machine may lack."""


@pytest.fixture(scope="module")
def env(sandbox: Sandbox, published_data: Path) -> Iterator[BashEnv]:
    dataset = NL2BashVerifiedDataset(folder=published_data / "nl2bash")
    with BashEnv(dataset, sandbox=sandbox, image=images.find("host"), scoring="exact") as env:
        yield env


def test_the_rows_are_of_tasks_that_both_have(env: BashEnv) -> None:
    """By the same rule as the script's, which finds 125."""
    pairs = list(SCRIPT.pairs_of(list(env.dataset), list(Nl2shAlfaDataset()), SCRIPT.SAME))
    ends = {(pair.ours.id.partition("/")[2], pair.theirs.id.partition("/")[2]) for pair in pairs}
    assert len(ends) == 125
    assert "of 125 tasks" in PAGE
    assert {(ours, theirs) for ours, theirs, *_ in ROWS} <= ends


def test_the_summary_counts_the_rows() -> None:
    said = " ".join(PAGE.split())
    theirs, ours, both = (sum(row[3] == who for row in ROWS) for who in ("theirs", "ours", "both"))
    assert len(ROWS) == len({row[0] for row in ROWS})
    counts = f"in {theirs} tasks its form is right too, in {ours} its gold is wrong, and in {both} the two ask for"
    assert counts in said
    assert f"{sum('near miss' in row[4] for row in ROWS)} of these golds ours had paid" in said


@pytest.mark.parametrize(("ours", "theirs", "which", "right", "done"), ROWS, ids=[row[0] for row in ROWS])
def test_its_gold_is_paid_by_ours_where_it_is_right(
    ours: str, theirs: str, which: str, right: str, done: str, env: BashEnv
) -> None:
    if ours in PROGRAMS and not shutil.which(PROGRAMS[ours]):
        pytest.skip(f"this machine has no `{PROGRAMS[ours]}`")
    task: Task = env.dataset.find(ours)
    for gold in Nl2shAlfaDataset().find(theirs).golds[GOLDS[which]]:
        assert SCRIPT.pays(env, task, gold) == (right == "theirs"), gold
    assert ("gold added" in done) == (right == "theirs")


def test_requests_are_the_same_but_for_case_quotes_blanks_and_full_stops() -> None:
    ours, theirs = (Task(id, text, "true") for id, text in (("a/1", 'Print  "x".txt'), ("b/1", "print x txt.")))
    assert SCRIPT.likeness(ours, theirs) == 1
    assert SCRIPT.likeness(ours, Task("b/2", "print y txt", "true")) < 1


def test_a_refused_gold_is_shown_and_one_that_earns_nothing_on_its_own_task_is_not_held_against_anybody(
    env: BashEnv,
) -> None:
    task = env.dataset.find("fs2/50")
    other = Task("x/1", task.query, "echo no", alternative_golds=("false",), category="fs2", extra=task.extra)
    plays = SCRIPT.plays_of(task, env, task, env)
    assert all(play.at_home and play.abroad for play in plays)
    lines = list(
        SCRIPT.lines_of(
            SCRIPT.Pair(task, other, 1.0),
            [SCRIPT.Play("echo no", True, False), SCRIPT.Play("false", False, False)],
            plays,
        )
    )
    assert [line.split(":")[0].strip() for line in lines[3:5]] == ["theirs, REFUSED", "theirs, void at home"]
