"""What looks wrong with golds is told, and what looks right is left alone."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from intercode.audit.hackcheck.adversaries import choose
from intercode.audit.hackcheck.check import HackCheck
from intercode.audit.hackcheck.report import HackcheckReport
from intercode.audit.hackcheck.summary import to_json
from intercode.audit.hackcheck.verdict import TaskCheck
from intercode.cli.display.hackcheck import show
from intercode.rewards.core.file_endings import FinalState, Gold
from intercode.runs.job import prepare
from intercode.runs.settings import Settings
from intercode.types import Task
from intercode.types.gold_warnings import RULES
from intercode.worlds.bash.gold_lint import lint
from intercode_sandbox.sandbox import Change, Entry

MADE = Change("/b/new", None, Entry("file", 0o644, 0, 0, 1, 1, "d"))
MD5 = "d41d8cd98f00b204e9800998ecf8427e  -\n"
SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  -\n"


def rules(
    query: str, text: str, answer: str = "", *changes: Change, errors: str = "", failed: bool = False
) -> list[str]:
    gold = Gold(FinalState(), FinalState(answer, changes), errors, failed=failed)
    return [warning.rule for warning in lint(Task("t/1", query, text), text, gold)]


@pytest.mark.parametrize(
    ("rule", "query", "text", "answer", "errors"),
    [
        ("errors", "Say it.", "say", "a\n", "say: cannot\n"),
        ("nothing", "Add up /a.", "sum /a", "0\n", ""),
        ("nothing", "Count /a.", "wc /a", "      0       0       0\n", ""),
        ("nothing", "The sum of /a.", "cat /a | md5sum", MD5, ""),
        ("nothing", "The sum of /a.", "cat /a | sha256sum", SHA256, ""),
        ("literal", "The host's name first.", "echo '$(hostname): a'", "$(hostname): a\n", ""),
        ("path", "Copy what is in /a/dir1.", "ls /a /a/subdir1", "a\n", ""),
        ("path", "Look into /a, and into /b.", "ls /a", "a\n", ""),
        ("count", "Count the number of endings in /a.", "ls /a | uniq -c", "1 b\n2 c\n", ""),
        ("silent", "Delete and count what is in /a.", "rm -r /a", "", ""),
    ],
)
def test_what_is_odd_is_told(rule: str, query: str, text: str, answer: str, errors: str) -> None:
    assert rule in rules(query, text, answer, errors=errors)


@pytest.mark.parametrize(
    ("query", "text", "answer", "changes", "errors"),
    [
        ("Print what is in /a/b.", "ls /a/b", "c\n", (), ""),
        ("Print what is in /a/b.", "cd /a && ls b", "c\n", (), ""),
        ("Make something in /b.", "make-it", "", (MADE,), ""),
        ("Pack /a.", "tar -cf /b/new /a", "", (MADE,), "tar: Removing leading `/' from member names\n"),
        ("Count the lines of each file in /a.", "wc -l /a/*", "1 b\n2 c\n", (), ""),
        ("Count the number of files in /a.", "ls /a | wc -l", "10\n", (), ""),
    ],
)
def test_what_is_right_is_left_alone(
    query: str, text: str, answer: str, changes: tuple[Change, ...], errors: str
) -> None:
    assert rules(query, text, answer, *changes, errors=errors) == []


def test_a_gold_that_leaves_nothing_is_told_once_why() -> None:
    assert rules("Remove /a.", "rm -f /a") == ["vacuous"]
    assert rules("Remove /a.", "rm /a", errors="rm: cannot\n", failed=True) == ["fails", "errors"]
    moved = Gold(FinalState(), FinalState("", moved_to="/a"))
    assert not lint(Task("t/1", "Go to /a.", "cd /a"), "cd /a", moved)


def test_a_long_query_is_read_in_a_moment() -> None:
    assert not rules("/a" * 50_000 + " " + "/" * 100_000 + "count" * 20_000, "true", "a\n")[1:]


RECORDS = [
    {"id": "sum", "query": "Add up the numbers in /etc/group.", "gold": "echo 0"},
    {"id": "say", "query": "Say hello.", "gold": "echo hello", "alternative_golds": ["printf 'Hello\\n'", "false"]},
]


@pytest.fixture(scope="module")
def checks(tmp_path_factory: pytest.TempPathFactory) -> tuple[TaskCheck, ...]:
    path = tmp_path_factory.mktemp("own") / "mine.jsonl"
    path.write_text("\n".join(map(json.dumps, RECORDS)))
    settings = Settings(dataset=str(path))
    with prepare(settings) as job, prepare(settings) as elsewhere:
        return HackCheck(job, elsewhere, choose("bash", ["submits-at-once"])).run()


def test_hackcheck_warns_of_golds_and_holds_nothing_against_them(checks: tuple[TaskCheck, ...]) -> None:
    warned, _ = checks
    assert [warning.rule for warning in warned.warnings] == ["nothing", "path"]
    assert warned.is_good
    warnings = to_json(HackcheckReport(checks, (), "exact", len(checks)))["gold_warnings"]
    assert [(each["task"], each["rule"]) for each in warnings][:2] == [("mine/sum", "nothing"), ("mine/sum", "path")]
    assert {each["rule"] for each in warnings} <= RULES.keys()


def test_every_gold_that_is_accepted_is_played(checks: tuple[TaskCheck, ...]) -> None:
    """One of them says nothing and changes nothing: nobody could meet it."""
    _, several = checks
    values = {each.name: each.value("exact") for each in several.gold}
    assert values == {"gold": 1, "gold again": 1, "gold in a fresh sandbox": 1, "gold 2": 1, "gold 3": 0}
    assert not several.gold_is_right("exact")
    assert several.why_gold_is_wrong("exact").startswith("vacuous gold")
    assert "vacuous" in {warning.rule for warning in several.warnings}


def test_warnings_are_shown_with_their_tasks(checks: tuple[TaskCheck, ...], capsys: pytest.CaptureFixture[str]) -> None:
    from rich.console import Console

    report = HackcheckReport(
        [checks[0], replace(checks[1], warnings=())], choose("bash", ["submits-at-once"]), "exact", 2
    )
    show(Console(width=200), report)
    shown = capsys.readouterr().out
    assert "golds worth reading" in shown
    assert "1 gold: its answer is 0 or the digest of nothing: mine/sum" in shown
