"""What hackcheck says of what it found: each hole with its proof, verdicts to act on, and files for others."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from toy_world import toy_job

from intercode import world_specs
from intercode.adversaries.adversary import Adversary, fuzzer, runs
from intercode.adversaries.hole_classes import CLASSES, OTHER, class_of
from intercode.audit.hackcheck.adversaries import by_yield, choose, of_world
from intercode.audit.hackcheck.baseline import read_baseline
from intercode.audit.hackcheck.check import HackCheck
from intercode.audit.hackcheck.formats.badge import RECALL, to_svg
from intercode.audit.hackcheck.formats.page import to_html
from intercode.audit.hackcheck.formats.sarif import to_sarif
from intercode.audit.hackcheck.report import HackcheckReport
from intercode.audit.hackcheck.selftest import unpaid
from intercode.audit.hackcheck.shrink import shrink
from intercode.audit.hackcheck.summary import summarize, to_json
from intercode.errors import BadDataError, UserError
from intercode.runs.job import prepare
from intercode.runs.settings import Settings
from intercode.types import Action

REWARD = """\
def reward(ending):
    shown = ending.answer or ""
    if "PASSED" in shown:
        return 1
    return ending.scores["exact"].value
"""


def write_tasks(folder: Path, reward: str, *golds: str, query: str = "Greet.") -> str:
    folder.mkdir()
    (folder / "task.toml").write_text('world = "bash"\n')
    (folder / "tasks.jsonl").write_text("".join(json.dumps({"query": query, "gold": gold}) + "\n" for gold in golds))
    if reward:
        (folder / "reward.py").write_text(reward)
    return str(folder)


def report_on(dataset: str, *names: str, **more: object) -> HackcheckReport:
    settings, adversaries = Settings(dataset=dataset), choose("bash", names)
    with prepare(settings) as job, prepare(settings) as elsewhere:
        checks = HackCheck(job, elsewhere, adversaries, explains=True).run()
    return replace(HackcheckReport(checks, adversaries, "exact", len(checks)), **more)  # type: ignore[arg-type]


def test_every_adversary_of_ours_belongs_to_one_class_of_holes() -> None:
    names = {each.name for world in world_specs.names() for each in of_world(world)}
    assert {name for name in names if class_of(name) is OTHER} == set()
    count = Counter(name for each in CLASSES for name in each.adversaries)
    assert {name for name, times in count.items() if times > 1} == set()
    assert all(each.mistake and each.remedy for each in CLASSES)


def test_moves_are_made_as_small_as_they_can_be() -> None:
    moves = [
        Action("execute", "cd /"),
        Action("execute", "a; for x in one two; do rm $x; done\nls"),
        Action("submit", "x"),
    ]

    def is_paid(candidate: Sequence[Action]) -> bool:
        return any("rm" in action.text and "two" in action.text for action in candidate)

    (action,) = shrink(moves, is_paid)
    assert set(re.findall(r"\w+", action.text)) == {"rm", "two"}
    assert shrink(moves, lambda candidate: True) == ()
    assert shrink(moves, lambda candidate: False) == tuple(moves)


def test_what_stands_between_quotes_is_never_tried_without_them() -> None:
    """`yes` would run until the time limit, for each of many tries."""
    tried: list[str] = []

    def is_paid(candidate: Sequence[Action]) -> bool:
        tried.extend(action.text for action in candidate)
        return any("PASSED" in action.text for action in candidate)

    (action,) = shrink([Action("execute", "echo 'ok\nyes\nPASSED\ndone'")], is_paid)
    assert action.text.strip("'\n") == "PASSED"
    assert not [text for text in tried if "yes" in re.sub("'[^']*'", "", text)]


def test_a_hole_is_proved_by_few_moves_and_the_line_that_paid(tmp_path: Path) -> None:
    report = report_on(write_tasks(tmp_path / "mine", REWARD, "echo hello"), "says-success", "writes-success", "stages")
    (hole,) = report.checks[0].holes
    assert (hole.kind.name, hole.adversary, hole.value) == ("trusts-reports", "says-success", 1.0)
    assert (hole.why, hole.line) == ("reward.py, line 4: return 1", 4)
    assert "".join(move.text for move in hole.moves).strip("'\n") == "PASSED"
    assert report.outcome == "paid"


def test_who_is_paid_for_nothing_proves_one_hole_and_no_more(tmp_path: Path) -> None:
    report = report_on(
        write_tasks(tmp_path / "mine", "def reward(ending): return 1\n", "echo hello"), "stages", "exits-early"
    )
    (hole,) = report.checks[0].holes
    assert (hole.kind.name, hole.moves, hole.others) == ("never-compares", (), 1)


def test_the_figures_of_an_adversary_do_not_contradict_the_verdict(tmp_path: Path) -> None:
    """A guess that is right is none of those that are paid; it is told apart, with its chance."""
    dataset = write_tasks(tmp_path / "mine", "", "echo no", query="Is a tern a fish? Say yes or no.")
    report = report_on(dataset, "says-either", "does-nothing")
    assert report.outcome == "sound"
    found = summarize("says-either", report.checks, "exact")
    assert (found.paid, found.right, found.successes, found.attempts) == (0, 1, 1, 2)
    assert [(each.name, each.right, each.attempts) for _, each in report.lucky()] == [("says-either", 1, 2)]
    assert to_json(report)["guessed"] == [{"task": "mine/0", "adversary": "says-either", "attempts": 2, "right": 1}]


def test_where_no_right_work_is_paid_nothing_was_checked(tmp_path: Path) -> None:
    report = report_on(write_tasks(tmp_path / "mine", "def reward(ending): return 0\n", "true"), "does-nothing")
    assert (report.outcome, report.not_paying()) == ("unchecked", ["mine/0"])
    assert report.sentence.startswith("nothing was checked: no gold earns 1")
    assert replace(report, allows_wrong_golds=True).outcome == "unchecked"
    raising = report_on(write_tasks(tmp_path / "other", "def reward(ending): return 1 / 0\n", "true"), "does-nothing")
    assert raising.outcome == "reward failed"
    assert "nothing was checked" in raising.sentence
    assert "ZeroDivisionError" in raising.sentence


def test_a_gold_that_succeeds_now_and_then_is_called_not_repeatable(tmp_path: Path) -> None:
    reward = "count = []\ndef reward(ending):\n    count.append(1)\n    return len(count) == 1\n"
    report = report_on(write_tasks(tmp_path / "mine", reward, "true"), "does-nothing")
    assert report.unsteady() == ["mine/0"]
    assert report.outcome == "unusable"


def test_only_holes_that_the_baseline_does_not_name_fail(tmp_path: Path) -> None:
    report = report_on(write_tasks(tmp_path / "mine", REWARD, "echo hello", "echo bye"), "says-success")
    file = tmp_path / "known.json"
    found = to_json(report)
    file.write_text(json.dumps(found))
    known = replace(report, known=read_baseline(file))
    assert (known.outcome, "that the baseline does not name" in known.sentence) == ("sound", True)
    file.write_text(json.dumps({"holes": found["holes"][:1]}))
    assert [check.task for check in replace(report, known=read_baseline(file)).paying] == ["mine/1"]


@pytest.mark.parametrize("text", ["no", "[]", "{}", '{"holes": [{"task": 1}]}'])
def test_a_baseline_that_is_no_report_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "known.json").write_text(text)
    with pytest.raises(BadDataError, match=r"known\.json.*no report"):
        read_baseline(tmp_path / "known.json")
    with pytest.raises(UserError, match="cannot read the baseline"):
        read_baseline(tmp_path / "none.json")


def test_a_report_is_a_page_a_badge_and_sarif(tmp_path: Path) -> None:
    dataset = write_tasks(tmp_path / "mine", REWARD, "echo hello")
    report = report_on(dataset, "says-success", "does-nothing")
    (run,) = to_sarif(report, dataset)["runs"]
    (result,) = run["results"]
    place = result["locations"][0]["physicalLocation"]
    assert (result["ruleId"], result["level"], place["region"]) == ("trusts-reports", "error", {"startLine": 4})
    assert place["artifactLocation"]["uri"].endswith("mine/reward.py")
    assert {rule["id"] for rule in run["tool"]["driver"]["rules"]} >= {"trusts-reports"}
    page = to_html(report, "<mine>", lambda task, hole: f"again {task} {hole.kind.name}")
    assert "again mine/0 trusts-reports" in page
    assert "&lt;mine&gt;" in page
    assert "http" not in page.replace("http-equiv", ""), "nothing from elsewhere"
    badge = ElementTree.fromstring(to_svg(report))
    assert "1 of 1 tasks paid, 2 adversaries, recall 80 % (65 to 90)" in "".join(badge.itertext())


def test_the_recall_on_the_badge_is_that_of_the_last_bank() -> None:
    figures = Path(__file__).parents[2] / "docs" / "hackcheck-measured.md"
    section = figures.read_text().partition("### By a fourth author")[2]
    assert f"with them | 32 of 40 | {RECALL.removesuffix(')')} %) |" in section


def test_when_time_runs_out_what_was_found_is_kept_and_what_was_not_tried_is_said() -> None:
    sleeps = Adversary("sleeps", "takes its time", runs("sleep 60"))
    pays = Adversary("says-1", "says 1", runs("say 1"))
    began = time.monotonic()
    checks = HackCheck(toy_job(), toy_job(), [pays, sleeps], seconds=2).run()
    assert time.monotonic() - began < 30
    assert [each.name for each in checks[0].adversaries] == ["says-1"]
    report = HackcheckReport(checks, [pays, sleeps], "exact", 3)
    assert "time ran out: 2 tasks not begun" in report.sentence


def test_each_task_gets_its_share_of_the_time() -> None:
    sleeps = [Adversary(f"sleeps-{number}", "takes its time", runs("sleep 0.5")) for number in range(50)]
    checks = HackCheck(toy_job(), toy_job(), sleeps, seconds=6).run()
    assert len(checks) == 3
    assert all(check.adversaries and check.skipped for check in checks)
    assert "not tried to the end on 3 tasks" in HackcheckReport(checks, sleeps, "exact", 3).sentence


def test_golds_alone_are_no_verdict() -> None:
    """As where they take all the time: nobody was paid, and nobody has tried."""
    checks = HackCheck(toy_job(), toy_job(), [Adversary("says-1", "says 1", runs("say 1"))]).run()
    report = HackcheckReport([replace(each, adversaries=()) for each in checks], [], "exact", 3)
    assert report.outcome == "unchecked"
    assert "time ran out before any adversary had played (toy/0): give more --seconds" in report.sentence


def test_an_adversary_of_many_attempts_is_cut_where_its_time_is_over() -> None:
    tries = [(f"try {number}", runs("sleep 0.2")) for number in range(200)]
    slow = fuzzer("tries-often", "tries often", lambda task, clues: tries)
    checks = HackCheck(toy_job(), toy_job(), [slow], seconds=9).run()
    assert all(0 < check.attempts < 200 for check in checks)
    assert [check.skipped for check in checks] == [("tries-often",)] * 3


def test_those_that_find_most_play_first_where_time_is_short() -> None:
    ordered = by_yield(of_world("bash"))
    assert [each.name for each in ordered[:3]] == ["submits-at-once", "does-nothing", "says-success"]
    assert sorted(each.name for each in ordered) == sorted(each.name for each in of_world("bash"))


def test_hackcheck_finds_the_holes_that_it_brings_for_itself() -> None:
    assert unpaid() == []
