"""Grow the hidden tests of `mbpp-verified`: `scripts/grow_tests.py FILE [ID ...]`, then `--merge FILE`.

For each task, arguments like those of its published tests are drawn (`generate.python.similar`, by a seed), and the
first gold is asked what it answers, in a sandbox. Kept is what it answers alike under two hash seeds, quickly, without
an error, and with a value of a type that the published tests expect. Near misses are made of the gold
(`generate.python.mutants`). Tests are chosen until each near miss fails two of them. Merging puts them into the `tests`
of the task's line in `mbpp.jsonl`, whose other fields are kept: they are written by hand.

A third of the near misses has no part in the choice, and half of the arguments have none: what is said of near misses
that fail is said of those. A near miss that no argument at all tells from the gold counts as equal to it.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from intercode.datasets.mbpp.dataset import MbppDataset
from intercode.datasets.mbpp.verified import FOLDER
from intercode.datasets.verified import TaskChange, changes_in
from intercode.types import Task
from intercode.worlds.python.hidden_tests import HiddenTests, hidden_tests
from intercode_generate.draw import Draw
from intercode_generate.python.mutants import mutants
from intercode_generate.python.similar import Similar
from intercode_generate.python.sketch import Arguments
from intercode_sandbox import images
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.sandbox import Limits, Session

DRAWN = 120
"""Arguments that are drawn for each task."""

MOST_MUTANTS = 30

LEAST, MOST = 3, 10
"""Tests that a task gets, at least where there are as many, and at most."""

LONGEST = 260
"""Characters of a test, unless the published ones are longer."""

SLOWEST = 0.02
"""Seconds that the gold may take for a test."""

FILE = FOLDER / "changes.jsonl"
SAID = re.compile(r"; \d+ of \d+ near misses pass the published tests$")
FRACTION = re.compile(r"==.*\d\.\d")
EMPTY: Mapping[str, Any] = msgspec.to_builtins(TaskChange(id="", reason=""))


@dataclass
class Grown:
    """New tests for one task; near misses that are not equal to its gold, and how many fail before and after.

    `held` counts those alone that had no part in choosing the tests.
    """

    id: str
    tests: int = 0
    different: int = 0
    before: int = 0
    after: int = 0
    held: int = 0
    held_before: int = 0
    held_after: int = 0
    close_numbers: bool = False
    added: list[str] = field(default_factory=list)


def main() -> None:
    """Grow the tests of the tasks that are named, or merge what was grown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="lines of JSON: what was grown for each task")
    parser.add_argument("ids", nargs="*")
    parser.add_argument("--merge", action="store_true", help="put what is in the file into mbpp.jsonl")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no task after so many")
    options = parser.parse_args()
    if options.merge:
        merge(options.file)
    else:
        grow_all(options.file, options.ids, time.monotonic() + options.seconds)


def grow_all(file: Path, ids: Sequence[str], ends: float) -> None:
    """Append what is grown for the tasks *ids* (none: all) to *file*; none is begun after *ends*."""
    published, changes = MbppDataset(), changes_in(FOLDER)
    limits = Limits(seconds=600, memory=4 << 30)
    with (
        EmbeddedSandbox() as sandbox,
        sandbox.start(images.find("host"), limits=limits) as session,
        file.open("a") as out,
    ):
        inside = Inside(session)
        for id in ids or changes:
            if not changes[id].left_out and time.monotonic() < ends:
                grown = grow(inside, changes[id], published.find(id))
                out.write(json.dumps(vars(grown)) + "\n")
                out.flush()


def merge(file: Path) -> None:
    """Write the tests in *file* into the change list, the last ones of each task."""
    changes = dict(changes_in(FOLDER))
    for line in file.read_bytes().splitlines():
        grown = msgspec.json.decode(line, type=Grown)
        changes[grown.id] = with_tests(changes[grown.id], grown)
    write(changes)


def with_tests(change: TaskChange, grown: Grown) -> TaskChange:
    """Return *change* with the tests that were grown, and the reason for them."""
    by_hand = SAID.sub("", change.reason)
    missed = grown.different - grown.before
    counted = f"; {missed} of {grown.different} near misses pass the published tests" if grown.added else ""
    criteria = dict.fromkeys([*change.criteria, *(["close_numbers"] if grown.close_numbers else [])])
    return msgspec.structs.replace(change, reason=by_hand + counted, tests=tuple(grown.added), criteria=tuple(criteria))


def write(changes: Mapping[str, TaskChange]) -> None:
    """All changes, in the order of their tasks; a field that says nothing is not written."""
    lines = []
    for change in sorted(changes.values(), key=lambda each: int(each.id)):
        fields = msgspec.to_builtins(change)
        lines.append(json.dumps({name: value for name, value in fields.items() if value != EMPTY[name]}))
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def grow(inside: Inside, change: TaskChange, published: Task) -> Grown:
    """New tests for *published* with *change*."""
    task = change.on(published)
    grown = Grown(published.id.partition("/")[2])
    before = hidden_tests(task_with(task, published.extra["tests"]))
    examples = list(arguments_of(before))
    if not examples and not change.arguments:
        return grown
    known = {ast.unparse(ast.parse(test.calls[0])) for test in before.tests if test.calls}
    by_hand = [f"{before.function}({given})" for given in change.arguments]
    calls = [call for call in drawn(task, examples, before.function, change.domain) if call not in known]
    asserted = candidates(inside, task, before, list(dict.fromkeys([*by_hand, *calls])))
    if any(FRACTION.search(test) for test in [*published.extra["tests"], *asserted]):
        grown.close_numbers = True
        task = replace(task, criteria=replace(task.criteria, close_numbers=True))
    whole = hidden_tests(task_with(task, [*published.extra["tests"], *asserted]))
    near = Draw("mutants", task.id).sample(mutants(task.gold or ""), MOST_MUTANTS)
    held = [marks for marks in marks_of(inside, near, whole) if "0" in marks]
    known_tests = len(before.tests)
    choosable = known_tests + max(len(asserted) // 2, len(by_hand), LEAST)
    learnt = [marks for number, marks in enumerate(held) if number % 3]
    chosen = choose(learnt, known_tests, range(known_tests, min(choosable, known_tests + len(asserted))), asserted)
    grown.added = [asserted[place - known_tests] for place in chosen]
    grown.tests, grown.different = len(grown.added), len(held)
    first = range(known_tests)
    grown.before, grown.after = failing(held, first), failing(held, [*first, *chosen])
    apart = held[::3]
    grown.held, grown.held_before = len(apart), failing(apart, first)
    grown.held_after = failing(apart, [*first, *chosen])
    return grown


def task_with(task: Task, tests: Sequence[str]) -> Task:
    """Return *task* with other tests."""
    return replace(task, extra={**task.extra, "tests": list(tests)})


def failing(marks: Sequence[str], places: Sequence[int] | range) -> int:
    """Return how many near misses fail one of the tests at *places*."""
    return sum(any(each[place] == "0" for place in places) for each in marks)


def arguments_of(tests: HiddenTests) -> Iterator[Arguments]:
    """Yield the arguments of each published test that are plain values."""
    for test in tests.tests:
        call = ast.parse(test.calls[0], mode="eval").body
        if isinstance(call, ast.Call) and not call.keywords:
            try:
                yield tuple(ast.literal_eval(each) for each in call.args)
            except ValueError:  # objects of a class of the gold's
                continue


def drawn(task: Task, examples: Sequence[Arguments], function: str, domain: str) -> Iterator[str]:
    """Calls with arguments like *examples*, in the domain; none twice."""
    if not examples:
        return
    count = len(examples[0])
    similar = Similar(Draw("mbpp-verified", task.id), [each for each in examples if len(each) == count])
    names = parameters(task.gold or "", function)
    seen = set()
    for _ in range(DRAWN):
        given = similar.arguments()
        if given is None or (domain and not holds(domain, names, given)):
            continue
        call = f"{function}({', '.join(map(literal, given))})"
        if call not in seen:
            seen.add(call)
            yield call


def holds(domain: str, names: Sequence[str], given: Arguments) -> bool:
    """Return whether *given* are in the domain. It is our own expression, so it may run here."""
    try:
        return bool(eval(domain, dict(zip(names, given, strict=False))))
    except (TypeError, IndexError, ValueError, KeyError):
        return False


def parameters(gold: str, function: str) -> list[str]:
    """Return the names of the parameters of *function* in *gold*."""
    for node in ast.walk(ast.parse(gold)):
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return [each.arg for each in node.args.args]
    return []


def literal(value: Any) -> str:
    """Return *value* as an expression, in an order of its own where it is a set."""
    if isinstance(value, set) and value:
        return "{" + ", ".join(map(literal, sorted(value, key=repr))) + "}"
    return repr(value)


def candidates(inside: Inside, task: Task, before: HiddenTests, calls: Sequence[str]) -> list[str]:
    """Assertions of what the gold answers to *calls*, where it does so well."""
    if not calls:
        return []
    published = [(test.calls[0], test.check) for test in before.tests]
    calls_with_checks = [*published, *((call, "") for call in calls)]
    job = {
        "codes": [task.gold],
        "tests": calls_with_checks,
        "seconds": 0.1,
        "patience": 3,
        "brief": False,
        **setups(before),
    }
    one, other = inside.ask(job)[0], inside.ask(job, 1)[0]
    kinds = {kind(answer[2]) for answer in one[: len(published)] if answer}
    seen = {answer[2] for answer in one[: len(published)] if answer}
    longest = max(LONGEST, *(len(test) for test in task.extra["tests"]))
    found = []
    for call, first, second in zip(calls, one[len(published) :], other[len(published) :], strict=True):
        if not first or not second or first[0] > SLOWEST or first[2] != second[2] or not first[2]:
            continue
        if kind(first[2]) not in kinds or (first[2] in ("-1", "None") and first[2] not in seen):
            continue
        value = plain(first[2])
        if value and len(call) + len(value) < longest:
            found.append(f"assert {call} == {value}")
    return found


def plain(text: str) -> str:
    """Return the literal of a value that is shown as *text*, subclasses as what they hold; "" where there is none."""
    text = re.sub(r"^(?:Counter|OrderedDict)\((.*)\)$", r"\1", text)
    text = re.sub(r"^defaultdict\(<[^>]*>, (.*)\)$", r"\1", text)
    try:
        return repr(ast.literal_eval(text)) if "{" not in text or ":" in text else text
    except (ValueError, SyntaxError):
        return text if text == "set()" else ""


def kind(text: str) -> str:
    """Return what a value is, by how it is shown; numbers are of one kind."""
    try:
        value = ast.literal_eval(plain(text) or text)
    except (ValueError, SyntaxError):
        return text[:4]
    name = type(value).__name__
    return "number" if name in ("int", "float") else name


def setups(tests: HiddenTests) -> dict[str, object]:
    """Return what runs before a test."""
    return {"setup": tests.setup, "checking": tests.checking}


def marks_of(inside: Inside, codes: Sequence[str], tests: HiddenTests) -> list[str]:
    """For each code, a text with 1 for each test that it passes and 0 for the others."""
    if not codes:
        return []
    calls_with_checks = [(test.calls[0], test.check) for test in tests.tests]
    return inside.ask(
        {"codes": codes, "tests": calls_with_checks, "seconds": 0.05, "patience": 1, "brief": True, **setups(tests)}
    )


class Inside:
    """The half inside, once for each of two hash seeds."""

    def __init__(self, session: Session) -> None:
        program = Path(__file__).with_name("grow_tests_inside.py").read_text(encoding="utf-8")
        env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "PYTHONWARNINGS": "ignore"}
        self._processes = [
            session.open(["python3", "-c", program], env={**env, "PYTHONHASHSEED": seed}) for seed in ("0", "7")
        ]

    def ask(self, job: Mapping[str, object], number: int = 0) -> list[Any]:
        """Return what one of the two answers to *job*."""
        process = self._processes[number]
        process.send(json.dumps(job).encode() + b"\n")
        said = b""
        while not said.endswith(b"\n"):
            heard = process.receive(120)
            if not heard:
                sys.exit(f"the half inside failed: {said[-2000:].decode()}")
            said += heard
        return list(json.loads(said))


def choose(marks: Sequence[str], known: int, places: range, asserted: Sequence[str]) -> list[int]:
    """Places of tests so that each near miss fails two, those first that the most fail, and short ones."""
    chosen: list[int] = []
    missing = [max(0, 2 - each[:known].count("0")) for each in marks]

    def worth(place: int) -> tuple[int, int]:
        return sum(left > 0 and each[place] == "0" for left, each in zip(missing, marks, strict=True)), -len(
            asserted[place - known]
        )

    values = set()
    while len(chosen) < MOST:
        rest = [place for place in places if place not in chosen]
        if not rest:
            break
        best = max(rest, key=worth)
        if not worth(best)[0]:
            fresh = [place for place in rest if asserted[place - known].rpartition(" == ")[2] not in values]
            if len(chosen) >= LEAST:
                break
            best = (fresh or rest)[0]  # as it was drawn: the shortest ones say little
        chosen.append(best)
        values.add(asserted[best - known].rpartition(" == ")[2])
        missing = [left - (each[best] == "0") for left, each in zip(missing, marks, strict=True)]
    return sorted(chosen)


if __name__ == "__main__":
    main()
