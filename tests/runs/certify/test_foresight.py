"""What is known of an attempt before it is played is true of it, and leaves no verdict another one."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from shlex import quote
from typing import Any

import pytest

from intercode.datasets.generated_bash import GeneratedBashDataset
from intercode.rewards.bash.answer import ExpectedAnswer
from intercode.runs.certify.bash import BashCertifier, TaskJudge
from intercode.runs.certify.endings import EndingCache, commands
from intercode.runs.certify.foresight import Foresight
from intercode.runs.certify.verdict import TaskVerdict, kind_of
from intercode.runs.hackcheck.adversaries import of_world
from intercode.runs.hackcheck.adversary import UNKNOWN, Adversary
from intercode.sandboxes import images
from intercode.sandboxes.base import Limits
from intercode.sandboxes.embedded import EmbeddedSandbox
from intercode.sandboxes.images.script_layer import ScriptLayer
from intercode.types import NO_CRITERIA, Criteria, Task, TaskView

DATASET = GeneratedBashDataset(count=40, seed=3)
WORLD = DATASET.batch(0).world
FILE, OTHER = [file.path for file in WORLD.of_kind("csv", "text") if re.fullmatch(r"[\w./-]+\w", file.path)][:2]
ARCHIVE = WORLD.of_kind("archive")[0].path
ROOT = WORLD.root
SCRIPT = "printf '#!/bin/sh\\necho ok\\n'"

MEMBERS = Criteria(archive_members=True)

BAD: dict[str, dict[str, Any]] = {
    "moving": {"query": "Say a number.", "gold": "echo $RANDOM$RANDOM"},
    "other": {
        "query": f"Write to {ROOT}/kiwi.",
        "gold": f"echo plum > {ROOT}/kiwi",
        "second_gold": f"echo fig > {ROOT}/kiwi",
    },
    "loose": {
        "query": f"Write to {ROOT}/fig.",
        "gold": f"echo a > {ROOT}/fig",
        "near_misses": [f"echo a > {ROOT}/fig; true"],
    },
    "says": {"query": "Say ok.", "gold": "echo ok"},
    "counts": {"query": "Say line 7 times.", "gold": "yes line | head -n 7"},
    "counts-into": {"query": f"Write 3 lines to {FILE}, and show them.", "gold": f"yes line | head -n 3 | tee {FILE}"},
    "lists": {"query": f"Print all there is below {ROOT}.", "gold": f"find {ROOT}"},
    "names": {
        "query": f"Print all names below {ROOT}.",
        "gold": f"find {ROOT} -exec basename -a {{}} +",
    },
    "walks": {"query": f"Print all there is, seen from {ROOT}.", "gold": f"cd {ROOT}; find"},
    "misses": {
        "query": f"Find {ROOT}/none and {OTHER}.",
        "gold": f"find {ROOT}/none {OTHER} 2>&1 | sort -r",
    },
    "deletes": {"query": f"Remove {FILE} and {OTHER}.", "gold": f"rm {FILE} {OTHER}"},
    "links": {"query": f"Link {ROOT}/plum to nothing.", "gold": f"ln -s /dev/null {ROOT}/plum"},
    "links-and-says": {
        "query": f"Link {ROOT}/plum to nothing, and say what is in {FILE}.",
        "gold": f"ln -s /dev/null {ROOT}/plum; cat {FILE}",
    },
    "empties": {"query": f"Empty {FILE}.", "gold": f"true > {FILE}"},
    "touches": {"query": f"Make the empty file {ROOT}/apple.", "gold": f"touch {ROOT}/apple"},
    "overwrites": {"query": f"Have {FILE} say ok.", "gold": f"{SCRIPT} > {FILE}; chmod 755 {FILE}"},
    "fills": {
        "query": f"Write this to {ROOT}/long.",
        "gold": f"yes 'Write this to {ROOT}/long.' | head -n 151 > {ROOT}/long",
    },
    "good": {"query": f"Put a secret into {ROOT}/pear.", "gold": f"echo 83-slate > {ROOT}/pear"},
    "times": {"query": f"Give {FILE} a time.", "gold": f"touch -d 2020-02-02 {FILE}"},
    "now": {"query": f"Give {FILE} the time of now, whatever it then says.", "gold": f"touch {FILE}"},
    "now-archive": {
        "query": f"Give {ARCHIVE} the time of now.",
        "gold": f"touch {ARCHIVE}",
        "criteria": MEMBERS,
    },
    "packs": {
        "query": f"Pack {FILE} into {ROOT}/plum.tar.gz.",
        "gold": f"tar -czf {ROOT}/plum.tar.gz {FILE}",
        "criteria": MEMBERS,
    },
    "packs-nothing": {
        "query": f"Make {ROOT}/plum.tar of nothing.",
        "gold": f"true > {ROOT}/plum.tar",
        "criteria": MEMBERS,
    },
    "modes": {"query": f"Hide {FILE} from others.", "gold": f"chmod 600 {FILE}"},
}
"""Tasks of which most are bad: adversaries do what they ask, golds differ, or a near miss is none."""

GOOD = ("overwrites", "good", "times", "packs", "modes")
KINDS = {"moving": "gold", "other": "second gold", "loose": "near miss"}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[EmbeddedSandbox]:
    with EmbeddedSandbox() as sandbox:
        yield sandbox


def verdicts(sandbox: EmbeddedSandbox, tasks: Sequence[Task], *, foresees: bool) -> list[TaskVerdict]:
    base, attacks = images.find(DATASET.default_image), of_world("bash")
    certifier = BashCertifier(DATASET, base, sandbox, sandbox, attacks, Limits(), shares=False, foresees=foresees)
    return list(certifier.certify(enumerate(tasks), lambda verdict: None))


def planted(name: str) -> Task:
    """A task of one's own over the first generated file system."""
    columns = {key: value for key, value in BAD[name].items() if key not in ("query", "gold", "criteria")}
    extra = {"batch": 0, "near_misses": [f"echo none > {ROOT}/none"], **columns}
    query, gold = BAD[name]["query"], BAD[name]["gold"]
    criteria = BAD[name].get("criteria", NO_CRITERIA)
    return replace(DATASET[0], id=name, query=query, gold=gold, extra=extra, criteria=criteria)


def test_bad_tasks_are_found_with_and_without_foresight(sandbox: EmbeddedSandbox) -> None:
    tasks = [planted(name) for name in BAD]
    quick, slow = (verdicts(sandbox, tasks, foresees=foresees) for foresees in (True, False))
    assert [(each.task, each.reasons, each.error) for each in quick] == [
        (each.task, each.reasons, each.error) for each in slow
    ]
    assert {each.task: kind_of(each) for each in quick if not each.is_certified} == {
        name: KINDS.get(name, "adversary") for name in BAD if name not in GOOD
    }
    assert all(each.ruled_out > 5 for each in quick if each.is_certified)
    assert not any(each.ruled_out for each in slow)


def test_generated_tasks_have_the_same_verdicts_with_and_without_foresight(sandbox: EmbeddedSandbox) -> None:
    tasks = list(DATASET)[:4]
    quick, slow = (verdicts(sandbox, tasks, foresees=foresees) for foresees in (True, False))
    assert [replace(each, ruled_out=0, most_paid=0.0) for each in quick] == [
        replace(each, most_paid=0.0) for each in slow
    ]
    assert sum(each.ruled_out for each in quick) > sum(each.attempts for each in quick) / 3


def test_a_named_pipe_keeps_no_attempt_from_what_it_surely_does(sandbox: EmbeddedSandbox) -> None:
    pipe = ScriptLayer("mkdir /logs; mkfifo /srv/pipe")
    image = images.find("host").with_layers(pipe, name="pipe")
    task = Task(
        "pipe/1", query="Write ok to /srv/a, say ok, and leave /srv/pipe alone.", gold="echo ok > /srv/a; echo ok"
    )
    with EndingCache(sandbox, image, Limits(seconds=3), time.time()) as here:
        judge = TaskJudge.of(task, here, foresees=True)
        attempts = [each for attack in of_world("bash") for each in attack.attempts(task.view())]
        (attempt,) = [each for each in attempts if each.about == "writes 'ok' into files"]
        assert judge.rules_out(here, attempt)
        assert not judge.succeeds(here, attempt.moves(task.view()))


def test_attempts_do_no_more_than_their_effects_say(sandbox: EmbeddedSandbox) -> None:
    """Attempts with a known effect, at tasks of several kinds, really played."""
    image = DATASET.image(DATASET[0], images.find(DATASET.default_image))
    tasks = [*list(DATASET)[:12:4], *map(planted, ("deletes", "overwrites", "counts-into", "misses"))]
    found: set[str] = set()
    with EndingCache(sandbox, image, Limits(), time.time()) as where:
        for task in tasks:
            for attempt in known_attempts(task.view()):
                found.add(attempt.name)
                check(attempt, task, where)
    assert {"deletes-what-is-named", "prints-every-path", "prints-as-many-lines", "writes-at-length"} < found
    assert {"overwrites-scripts", "touches-markers", "writes-success", "says-success", "says-a-number"} < found


def known_attempts(task: TaskView) -> Iterator[Adversary]:
    """All attempts at *task* that have an effect, but of those that are alike for all tasks only a few."""
    for adversary in of_world("bash"):
        known = [each for each in adversary.attempts(task) if each.effect != UNKNOWN]
        yield from known[:: 6 if adversary.is_generic else 1]


def check(attempt: Adversary, task: Task, where: EndingCache) -> None:
    """That the ending of *attempt* is one that its effect allows."""
    ending, _ = where.play(attempt.moves(task.view()))
    effect, about = attempt.effect, f"{task.query}: {attempt.about}"
    assert ending is not None
    assert effect.shows in (None, ending.answer), about
    if effect.line and ending.answer:
        assert any(re.fullmatch(effect.line, line) for line in ending.answer.split("\n")), about
    assert effect.surely <= {change.path for change in ending.changes}, about
    gold = Foresight({each.path: each for each in ending.changes}, frozenset(), ExpectedAnswer(""))
    assert not gold.rules_out(replace(effect, surely=frozenset()), lambda path: True), about


def test_an_answer_with_errors_in_it_is_not_foreseen_by_its_lines() -> None:
    """What is shown beyond the answer may be one of the gold's errors."""
    for errors, is_ruled_out in (("", True), ("find: no\n", False)):
        gold = Foresight({}, frozenset(), ExpectedAnswer("4\n", errors))
        assert gold.rules_out(replace(UNKNOWN, line=".*/a.*"), lambda path: True) is is_ruled_out
        assert not gold.rules_out(replace(UNKNOWN, line="[0-9]"), lambda path: True)


def test_where_nothing_can_be_made_is_known(sandbox: EmbeddedSandbox) -> None:
    image = DATASET.image(DATASET[0], images.find(DATASET.default_image))
    with EndingCache(sandbox, image, Limits(), time.time()) as where:
        assert where.can_make("/tmp/done")
        assert not where.can_make(FILE)
        assert not where.can_make(f"{FILE}/below")
        ending, _ = where.play(commands(f"cat {quote(FILE)}"))
    assert ending is not None
    assert ending.changes == ()
