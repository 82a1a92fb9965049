"""The published benchmark's judgement of MBPP, to the letter: in the agent's own interpreter, or on a stand."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from intercode.types import Task
from intercode.worlds.python.hidden_tests import FIRST_FUNCTION
from intercode.worlds.python.inside.paper_actions import RESET
from intercode.worlds.python.interpreter import Interpreter
from intercode.worlds.python.test_judge import SubmissionProcess, by_the_clock
from intercode.worlds.python.unit_tests import PublishedRun

SECONDS = 30.0
"""What a step may take where the published reward is the one that counts."""

NO_NAME = "no function was named, and the last action defines none: the published benchmark crashes here"
NO_GOLD_NAME = "the published benchmark finds no `def name(` in this gold, and crashes"
FORGED = "there are more answers than tests: the submission wrote some itself"
HANGS = "a step takes too long: the published benchmark, which sets no limit, would hang or nearly so"

Execute = Callable[[Sequence[str]], Sequence[str]]
"""How the steps are run: one answer for each line; fewer where one took too long, or ended the interpreter."""


def published_run(task: Task, name: str, execute: Execute) -> PublishedRun:
    """Run the tests with the function *name* under the gold's name, and then, over fresh variables, with the gold.

    As published: the gold's variables are left behind, whatever the agent defined is gone.
    """
    found = FIRST_FUNCTION.search(task.gold or "")
    if not name or found is None:
        return PublishedRun(problem=NO_NAME if found else NO_GOLD_NAME)
    tests, setup = list(task.extra["tests"]), str(task.extra.get("test_setup_code") or "")
    mine = [f"{found[1]} = {name}", setup, *tests]
    gold = [RESET, setup, task.gold or "", *tests]
    answers = list(execute([*mine, *gold]))
    if len(answers) != len(mine) + len(gold):
        return PublishedRun(problem=HANGS if len(answers) < len(mine) + len(gold) else FORGED)
    return PublishedRun(tuple(answers[2 : len(mine)]), tuple(answers[len(mine) + 3 :]))


def submitted_name(answer: str, last_action: str) -> str:
    """Return the function that is judged: the one named, or the one that the published harness would name."""
    if answer:
        return answer.split(" ")[0]
    found = FIRST_FUNCTION.search(last_action)
    return found[1] if found else ""


def in_agents_interpreter(interpreter: Interpreter) -> Execute:
    """Steps in the agent's own interpreter, as published; there they leave their marks."""

    def execute(lines: Sequence[str]) -> list[str]:
        answers: list[str] = []
        for line in lines:
            reply = interpreter.order("execute", line, seconds=SECONDS, judging=True)
            if reply.fate:
                break
            answers.append(reply.text)
        return answers

    return execute


def in_submission_process(process: SubmissionProcess) -> Execute:
    """Return the same in a fork of a session that judges, so that nothing is left behind and nobody sees the gold."""

    def execute(lines: Sequence[str]) -> list[str]:
        seconds = 3 * process.seconds
        reply = process.interpreter.order("published_test", seconds, list(lines), seconds=by_the_clock(seconds))
        return reply.text.split("\1") if reply.end == "done" else []

    return execute
