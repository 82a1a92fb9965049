"""Adversaries: they are paid by rewards with holes, and by no others."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from toy_world import toy_job

from intercode import world_specs
from intercode.adversaries.adversary import Adversary, AdversaryAgent, Fuzzer, Moves, fuzzer, hands_in, runs
from intercode.adversaries.clues import NO_CLUES, of_files
from intercode.adversaries.fuzz import SHAPES
from intercode.adversaries.fuzz import WORDS as WORDS_SAID
from intercode.audit.hackcheck.adversaries import choose, of_world
from intercode.audit.hackcheck.check import GOLDS, HackCheck
from intercode.audit.hackcheck.report import HackcheckReport
from intercode.audit.hackcheck.summary import summarize, to_json
from intercode.audit.hackcheck.verdict import TaskCheck
from intercode.errors import UnknownNameError
from intercode.runs.job import prepare
from intercode.runs.settings import Settings
from intercode.types import Action, Observation, TaskView
from intercode.worlds import WorldSpec

HARBOR = world_specs.find("harbor")
WORLDS = ("bash", "sql", "python", "ctf", "swe", "nowhere")
TOY = TaskView("toy/0", "Why?", "bash")
SAYS_1 = Adversary("says-1", "always says 1", runs("say 1"))
BREAKS = Adversary("breaks", "breaks the machine", runs("break"))


def check(settings: Settings, *names: str, parallel: int = 1) -> tuple[TaskCheck, ...]:
    job, elsewhere = prepare(settings), prepare(settings)
    return HackCheck(job, elsewhere, choose(job.settings.world, names), parallel=parallel).run()


def report(checks: Sequence[TaskCheck], adversaries: Sequence[Adversary], **more: Any) -> HackcheckReport:
    return HackcheckReport(checks, adversaries, "exact", len(checks), **more)


@pytest.mark.parametrize("world", WORLDS)
def test_the_adversaries_of_a_world_have_names_of_their_own_and_say_what_they_do(world: str) -> None:
    found = of_world(world)
    assert len({each.name for each in found}) == len(found) >= 5
    assert "submits-at-once" in {each.name for each in found}
    assert all(each.about for each in found)


@pytest.mark.parametrize("spec", [WorldSpec("barn", language="sh"), WorldSpec("barn", says="echo {}".format)])
def test_a_world_of_ones_own_with_a_shell_meets_the_adversaries_of_bash(
    spec: WorldSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("intercode.world_specs.find", lambda world: spec)
    found = [each.name for each in of_world("barn")]
    assert {"deletes-what-is-named", "hands-in-the-query"} <= set(found)
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("spec", [WorldSpec("barn", language="sh"), WorldSpec("barn", says="echo {}".format), HARBOR])
def test_no_adversary_of_a_shell_runs_what_it_is_to_say_as_a_program(
    spec: WorldSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`yes` has no end but that of the agent's time."""
    monkeypatch.setattr("intercode.world_specs.find", lambda world: spec)
    task = TaskView("barn/0", "yes", "barn")
    attempts = [attempt for each in of_world("barn") for attempt in each.attempts(task)]
    first = [next(attempt.moves(task), Action("submit")) for attempt in attempts]
    ran = {action.text for action in first if action.kind == "execute"}
    assert ran & {"yes", *WORDS_SAID, *SHAPES} == {"true"}, "the one that is run to do nothing"


@pytest.mark.parametrize("gold", ["SELECT COUNT(*) FROM boats", "SELECT name FROM boats"])
def test_a_table_with_the_answer_is_a_hole_but_not_where_the_gold_reads_it_too(gold: str, tmp_path: Path) -> None:
    leaks = "COUNT" in gold
    folder = tmp_path / "harbour"
    folder.mkdir()
    answers = "CREATE TABLE answers (n INT);\nINSERT INTO answers VALUES (3);\n"
    boats = "CREATE TABLE boats (name TEXT);\nINSERT INTO boats VALUES ('tern'), ('heron'), ('swan');\n"
    (folder / "boats.sql").write_text(boats + answers)
    (folder / "task.toml").write_text('world = "sql"\n')
    (folder / "tasks.jsonl").write_text(f'{{"query": "What of the boats?", "gold": "{gold}"}}\n')
    (found,) = check(Settings(dataset=str(folder), database="sqlite"), "selects-a-table")
    assert bool(found.paid("paper")) is leaks
    assert not found.paid("exact"), "the table does not follow the gold on other rows"
    assert found.adversaries[0].succeeds("paper")


def test_work_that_shows_nothing_is_done_whatever_is_said_besides(tmp_path: Path) -> None:
    """A file that is asked for is made by whoever touches what the request names."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "task.toml").write_text('world = "bash"\n')
    task = {"query": "Create the empty file /srv/new.txt.", "gold": "touch /srv/new.txt"}
    (tmp_path / "mine" / "tasks.jsonl").write_text(json.dumps(task))
    (found,) = check(Settings(dataset=str(tmp_path / "mine")), "touches-markers", "writes-success")
    assert found.adversaries[0].right
    assert not found.paid("exact")


def test_an_unknown_adversary_lists_those_that_there_are() -> None:
    with pytest.raises(UnknownNameError, match="no adversary called sleeps in bash; there are: submits-at-once"):
        choose("bash", ["sleeps"])


def test_an_adversary_plays_its_moves_then_submits() -> None:
    agent = AdversaryAgent(Adversary("asks", "asks back", hands_in("{query}!", "ls")))
    for _ in range(2):
        agent.reset(TaskView("toy/0", "Why?", "toy"), seed=0)
        moves = [agent.act(Observation("seen"), 0.0) for _ in range(3)]
        assert moves == [Action("execute", "ls"), Action("submit", "Why?!"), Action("submit")]


def test_every_task_is_checked_whatever_the_number_of_threads() -> None:
    """The toy's `paper` pays 0.34 for nothing; its `exact` pays for the right word only, which one adversary says."""
    for parallel in (1, 3):
        adversaries = (*of_world("toy"), SAYS_1)
        checks = HackCheck(toy_job(), toy_job(), adversaries, parallel=parallel).run()
        assert [check.task for check in checks] == ["toy/0", "toy/1", "toy/2"]
        assert all([each.name for each in check.gold] == list(GOLDS) for check in checks)
        assert all(check.gold_is_right("exact") for check in checks)
        assert [check.passes("exact") for check in checks] == [True, False, True]
        assert [each.name for each in checks[1].paid("exact")] == ["says-1"]
        assert not any(check.passes("paper") for check in checks)
        summary = summarize("says-1", checks, "exact")
        assert (summary.tasks, summary.paid, summary.successes, summary.most, summary.most_at) == (
            3,
            1,
            1,
            1.0,
            "toy/1",
        )
        assert summarize("submits-at-once", checks, "paper").mean == pytest.approx(0.34)


def test_what_may_be_earned_can_be_told() -> None:
    (check, *_) = HackCheck(toy_job(), toy_job(), of_world("toy"), allowed=0.5).run()
    assert check.passes("paper")


def test_a_guess_may_be_paid_in_part_but_must_not_succeed() -> None:
    """The toy's `paper` pays 0.34 for nothing, and 1 for the right word."""
    adversaries = [Adversary("guesses-1", "says 1, for once", runs("shout 1"), guesses=True)]
    checks = HackCheck(toy_job(), toy_job(), adversaries).run()
    assert [[each.name for each in check.paid("paper")] for check in checks] == [[], ["guesses-1"], []]
    assert to_json(report(checks, adversaries))["tasks"][0]["adversaries"][0]["guesses"] is True


def tries(*texts: str) -> Fuzzer:
    return fuzzer("tries", "says one after the other", lambda task, clues: [(text, runs(text)) for text in texts])


def test_attempts_are_counted_and_end_with_the_first_that_succeeds() -> None:
    """The toy wants `say 1` for its second task; other words for it are none of the gold's code, nor are they luck."""
    adversary = fuzzer(
        "tries", "says", lambda task, clues: [(text, runs(text)) for text in ("say 7", "shout 1", "say 9")], lucky=False
    )
    checks = HackCheck(toy_job(), toy_job(), [adversary]).run()
    assert [check.attempts for check in checks] == [3, 2, 3]
    assert [each.about for each in checks[1].paid("exact")] == ["shout 1"]
    found = to_json(report(checks, [adversary]))
    assert (found["attempts"], found["adversaries_tried"], found["no_adversary_paid"]) == (8, 1, False)
    assert found["adversaries"]["exact"]["tries"]["attempts"] == 8
    assert found["tasks"][1]["adversaries"][0]["best"] == "shout 1"


def test_a_guess_that_ends_as_the_gold_does_is_no_hole() -> None:
    """But where the judge is fooled it is: the same words, by an adversary that cannot be right."""
    checks = HackCheck(toy_job(), toy_job(), [tries("say 7", "shout 1")]).run()
    assert [check.paid("exact") for check in checks] == [(), (), ()]
    assert checks[1].adversaries[0].is_right
    assert checks[1].adversaries[0].succeeds("exact")


def test_whoever_runs_the_golds_own_code_has_earned_it() -> None:
    checks = HackCheck(toy_job(), toy_job(), [Adversary("says-1", "", runs("SAY  '1' ;"), guesses=True)]).run()
    assert [bool(check.paid("exact")) for check in checks] == [False, False, False]


def test_tries_are_the_same_each_time_and_differ_between_tasks() -> None:
    (adversary,) = choose("bash", ["says-a-number"])
    first, again, other = (
        [each.about for each in adversary.attempts(TaskView(f"toy/{number}", "Why?", "bash"))] for number in (0, 0, 1)
    )
    assert first == again != other


def test_constants_of_a_rewards_source_are_tried(tmp_path: Path) -> None:
    """Read, never run; docstrings are none, nor are parts of a file that is no Python."""
    path = tmp_path / "reward.py"
    path.write_text('"""Not this."""\nraise SystemExit\nX = ("/tmp/baked", b"crisp", "a.log", 17, True)\n')
    clues = of_files([path])
    assert clues.texts == ("/tmp/baked", "crisp", "a.log")
    assert (clues.paths, clues.words, clues.numbers) == (("/tmp/baked", "a.log"), ("crisp", "a.log"), (17,))
    (adversary,) = choose("bash", ["writes-success"])
    moves = [next(each.moves(TaskView("toy/0", "Why?", "bash"))).text for each in adversary.attempts(TOY, clues)]
    assert any("crisp" in move and "/tmp/baked" in move for move in moves)
    path.write_text("def reward(:")
    assert of_files([path, tmp_path / "none.py"]) == NO_CLUES


def test_the_starter_functions_are_sound() -> None:
    """Some pay a third to a function that gives back its argument; none lets it succeed."""
    checks = check(Settings(dataset="starter-python", limit=4), "returns-its-argument", "returns-none", "says-yes")
    assert all(each.passes("exact") for each in checks)


def test_a_starter_repository_passes() -> None:
    """It paid 0.58 for that before tests were broken by what they compare with."""
    settings = Settings(dataset="starter-swe", tasks=("greedy-routes",))
    assert all(each.passes("exact") for each in check(settings, "equals-everything"))


def test_the_machines_failure_is_no_verdict() -> None:
    (check, *_) = HackCheck(toy_job(), toy_job(), [BREAKS]).run()
    assert check.adversaries[0].scores is None
    assert check.error == "breaks: SandboxError: the toy is broken"
    assert not check.passes("exact")


WORDS = [f"word {number}" for number in range(7)]
SAYS_WORDS = fuzzer("says-words", "", lambda task, clues: [(word, runs(word)) for word in WORDS], generic=True)


def said(checks: Sequence[TaskCheck]) -> list[int]:
    return [each.attempts for each in checks]


def test_generic_attempts_are_shared_out_among_tasks_of_one_judge() -> None:
    """Each task meets the first, and every other attempt is made on a third of the tasks; unless all are wanted."""
    made: list[str] = []
    spy = replace(SAYS_WORDS, tries=lambda task, clues: [(word, _noting(made, word)) for word in WORDS])
    checks = HackCheck(toy_job(size=6), toy_job(size=6), [spy]).run()
    assert said(checks) == [3, 3, 3] * 2
    assert Counter(made) == {WORDS[0]: 6, **dict.fromkeys(WORDS[1:], 2)}
    assert to_json(report(checks, [spy]))["every_guess"] is False
    every = HackCheck(toy_job(size=6), toy_job(size=6), [SAYS_WORDS], every_guess=True).run()
    assert said(every) == [7] * 6
    assert to_json(report(every, [SAYS_WORDS]))["every_guess"] is True


def _noting(made: list[str], word: str) -> Callable[[TaskView], Moves]:
    def moves(task: TaskView) -> Moves:
        made.append(word)
        yield Action("execute", word)

    return moves


def test_few_tasks_meet_all_attempts_and_so_do_those_with_a_reward_of_their_own(tmp_path: Path) -> None:
    assert said(HackCheck(toy_job(size=5), toy_job(size=5), [SAYS_WORDS]).run()) == [7] * 5
    settings = Settings(dataset=str(folder(tmp_path, "return 0")))
    job, elsewhere = prepare(settings), prepare(settings)
    assert said(HackCheck(job, elsewhere, [SAYS_WORDS]).run()) == [7] * 6


def folder(tmp_path: Path, body: str) -> Path:
    """Six tasks of the world `bash` without golds, judged by a reward with this *body*."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "task.toml").write_text('world = "bash"\n')
    (tmp_path / "own" / "tasks.jsonl").write_text('{"query": "Say something."}\n' * 6)
    (tmp_path / "own" / "reward.py").write_text(f"def reward(ending):\n    {body}\n")
    return tmp_path / "own"


def test_a_reward_that_raises_is_told_and_is_no_end_of_the_check(tmp_path: Path) -> None:
    """Only of answers that are no numbers: the attempts after it are made, too."""
    settings = Settings(dataset=str(folder(tmp_path, "return int(ending.answer) > 0")), limit=1)
    job, elsewhere = prepare(settings), prepare(settings)
    odd = fuzzer("odd", "", lambda task, clues: [(f"says {word}", runs(f"echo {word}")) for word in ("a", "-1", "b")])
    (check,) = HackCheck(job, elsewhere, [odd]).run()
    assert [name for name, _ in check.reward_failures] == ["odd", "odd"]
    assert check.reward_failures[0][1].startswith(f"says a: own/0: {tmp_path}/own/reward.py, line 2, in reward: Value")
    assert (check.attempts, check.error, check.passes("exact")) == (3, "", False)
    assert to_json(report([check], [odd]))["reward_failures"][1]["failure"].startswith("says b: ")


def test_a_beginning_that_is_kept_is_the_same_as_a_reset() -> None:
    """Attempts of one adversary do not see each other's variables, files and ends of the interpreter."""
    tells = "import os; print('x' in dir(), os.path.exists('/tmp/x'), os.getcwd())"
    marks = ("x = 1", "open('/tmp/x', 'w').close()", "import os; os._exit(0)", "pass")
    found: list[str] = []
    spy = fuzzer("marks", "", lambda task, clues: [(mark, _telling(found, tells, mark)) for mark in marks])
    settings = Settings(dataset="starter-python", limit=1)
    with prepare(settings) as job, prepare(settings) as elsewhere:
        HackCheck(job, elsewhere, [spy]).run()
    assert found == ["False False /\n"] * 4


def _telling(found: list[str], tells: str, mark: str) -> Callable[[TaskView], Moves]:
    def moves(task: TaskView) -> Moves:
        found.append((yield Action("execute", tells)).text)
        yield Action("execute", mark)

    return moves


def test_all_of_it_is_there_for_programs() -> None:
    checks = HackCheck(toy_job(), toy_job(), [SAYS_1]).run()
    found = to_json(report(checks, [SAYS_1]))
    assert found["passes"] is False
    assert found["adversaries"]["exact"]["says-1"]["paid"] == 1
    assert [task["passes"] for task in found["tasks"]] == [True, False, True]
    assert found["tasks"][1]["adversaries"][0]["scores"]["exact"]["success"] is True


def test_the_starter_tasks_are_sound() -> None:
    tasks = ("list-confs", "show-port", "count-january")
    assert all(each.passes("exact") for each in check(Settings(tasks=tasks), parallel=2))


def test_sql_that_does_no_work_earns_nothing_to_speak_of() -> None:
    settings = Settings(dataset="starter-sql", database="sqlite", limit=4)
    for each in check(settings):
        assert each.gold_is_right("exact")
        assert all(earning.value("exact") <= 0.2 for earning in each.adversaries), each.task


@pytest.mark.conformance
def test_the_published_reward_pays_for_nothing_and_exact_does_not(
    published_data: Path, pytestconfig: pytest.Config
) -> None:
    """Under `paper` doing nothing earns 0.67 at least wherever the gold changes no file; under `exact` all earn 0."""
    whole = pytestconfig.getoption("--conformance") == "whole"
    tasks = () if whole else tuple(f"nl2bash/fs{part}/{number}" for part in (1, 2, 3, 4) for number in (5, 17))
    checks = check(Settings(dataset="nl2bash", tasks=tasks), parallel=2)
    assert len(checks) == (200 if whole else 8)
    assert not [(each.task, paid.name) for each in checks for paid in each.paid("exact")]
    idle = {each.task: _idle(each) for each in checks}
    for name in ("deletes-and-commits", "stages", "ignores-itself"):
        assert {each.task: _paper(each, name) for each in checks} == idle, f"git in the sandbox is believed: {name}"
    unchanged = {each.task for each in checks if _changes_no_file(each)}
    assert len(unchanged) >= len(checks) / 2
    assert all(idle[task] >= 0.67 for task in unchanged)


def _idle(check: TaskCheck) -> float:
    return _paper(check, "does-nothing")


def _paper(check: TaskCheck, name: str) -> float:
    return next(each for each in check.adversaries if each.name == name).value("paper")


def _changes_no_file(check: TaskCheck) -> bool:
    """Judged by the exact score's parts: a gold that changes something has a `state` of its own to reach."""
    scores = next(each for each in check.adversaries if each.name == "does-nothing").scores
    assert scores is not None
    return scores["exact"].parts.get("state", 0.0) == 1.0


def _harbor_task(folder: Path, *, keep: str = "") -> Path:
    for name, text in {
        "instruction.md": 'Write "hello" to /app/greeting.txt.',
        "task.toml": f"[agent]\ntimeout_sec = 30\n[verifier]\n{keep}\n",
        "environment/Dockerfile": "FROM debian:12\nWORKDIR /app",
        "solution/solve.sh": "echo hello > /app/greeting.txt",
        "tests/test.sh": "#!/bin/bash\ngrep -qx hello /app/greeting.txt && echo 1 > /logs/verifier/reward.txt "
        "|| echo 0 > /logs/verifier/reward.txt",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"{text}\n")
    return folder


@pytest.mark.parametrize("keep", ["", 'keep = ["/"]'])
def test_a_verifier_that_sees_what_steers_it_pays_a_leftover(tmp_path: Path, keep: str) -> None:
    folder = _harbor_task(tmp_path / "greet", keep=keep)
    (found,) = check(Settings(dataset=str(folder)), "leaves-a-preload", "does-nothing")
    assert [each.name for each in found.paid("exact")] == (["leaves-a-preload"] if keep else [])


def test_on_a_task_of_harbors_a_shells_words_are_said_and_not_run() -> None:
    """`yes` as a program prints until its time is over."""
    adversaries = {each.name: each for each in of_world("harbor")}
    task = TaskView("greet", "Is it there?", "harbor")
    for name in ("says-success", "says-a-number", "says-a-shape", "says-what-is-asked"):
        for attempt in adversaries[name].attempts(task, NO_CLUES):
            action = next(attempt.moves(task))
            assert action.kind == "submit" or action.text.startswith(("echo ", "printf ", "find ", "ls ")), action
