"""Figures of the generated Python tasks, as docs/generated.md has them: `python -m benchmarks.generated_python`.

How a scripted solver's success falls with difficulty.
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from collections.abc import Iterable

from intercode.types import Action, Task
from intercode.worlds.python import PythonEnv
from intercode_generate.family import DIFFICULTIES
from intercode_generate.python.dataset import GeneratedPythonDataset
from intercode_sandbox.embedded import EmbeddedSandbox

FAMILIES = ("lists/kept", "lists/total")
"""What the solver understands: numbers are chosen from a list and changed; the second makes one number of them."""

CONDITIONS = (
    (r"is divisible by (\d+)", "each % {} == 0"),
    (r"leaves the remainder (\d+) when divided by (\d+)", "each % {1} == {0}"),
    (r"is at least (-?\d+)", "each >= {}"),
    (r"is less than (-?\d+)", "each < {}"),
    (r"lies between (-?\d+) and (-?\d+)", "{} <= each <= {}"),
    (r"differs from (-?\d+) by at most (\d+)", "abs(each - {}) <= {}"),
    (r"ends in the decimal digit (\d)", "abs(each) % 10 == {}"),
    (r"decimal digits that add up to at least (\d+)", "sum(map(int, str(abs(each)))) >= {}"),
)
"""What it understands of a choice."""

CHANGES = (
    (r"(\d+) times #, plus (\d+)", "{} * each + {}"),
    (r"(\d+) times # minus (\d+)", "{} * each - {}"),
    (r"(\d+) less than the square of #", "each ** 2 - {}"),
    (r"remainder of # when divided by (\d+)", "each % {}"),
    (r"# divided by (\d+) and rounded down", "each // {}"),
    (r"absolute difference of # and (-?\d+)", "abs(each - {})"),
    (r"# limited to the range from (-?\d+) to (-?\d+)", "max({}, min({}, each))"),
    (r"(\d+) times the sum of the decimal digits of #", "{} * sum(map(int, str(abs(each))))"),
)
"""What it understands of a change; `#` is the number, or the result of the change before."""

SUMMARIES = {
    "sum of squares": "sum(each * each for each in found)",
    "sum": "sum(found)",
    "largest": "max(found)",
    "smallest": "min(found)",
    "range": "max(found) - min(found)",
    "lower median": "sorted(found)[(len(found) - 1) // 2]",
}


def solve(query: str, conditions: int, changes: int) -> str:
    """Return the function that *query* asks for, by a solver that knows so many of its conditions and changes.

    What it does not understand it leaves out.
    """
    name = re.search(r"`(\w+)\(values\)`", query)
    word = " or " if "or both" in query else " and "
    keep = word.join(_understood(CONDITIONS, query)[:conditions]) or "True"
    lines = ["    found = []", "    for each in values:", f"        if {keep}:"]
    # The change that comes last in the text is made first.
    lines += [f"            each = {change}" for change in _understood(CHANGES, query)[::-1][:changes]]
    lines += ["            found.append(each)", f"    return {_outcome(query)}"]
    return "\n".join([f"def {name[1] if name else 'solve'}(values):", *lines, ""])


def _understood(forms: Iterable[tuple[str, str]], query: str) -> list[str]:
    """Return the code of all that *forms* know, in the order of the text."""
    found = []
    for text, code in forms:
        pattern = text.replace("#", "(?:the number|that result)")
        found += [(match.start(), code.format(*match.groups())) for match in re.finditer(pattern, query)]
    return [code for _, code in sorted(found)]


def _outcome(query: str) -> str:
    """Return what is returned: the list that was found, or one number made of it."""
    none = re.search(r"If no number is left, return (-?\d+)", query)
    summary = re.search(rf"\bthe ({'|'.join(SUMMARIES)})\b(?! of the decimal| from)", query)
    if none is None or summary is None:
        return "found"
    return f"{SUMMARIES[summary[1]]} if found else {none[1]}"


def succeeds(env: PythonEnv, task: Task, code: str) -> bool:
    """Return whether *code*, handed in, succeeds under `exact`."""
    env.start_episode(task)
    env.take_action(Action("execute", code))
    scores = env.take_action(Action("submit")).scores
    assert scores is not None, "an episode that was submitted has scores"
    return scores["exact"].success


def solver(count: int) -> dict[str, list[float]]:
    """Return the share of tasks that the solver gets right, by difficulty, for each of its levels of knowledge."""
    dataset = GeneratedPythonDataset(count=count, seed=5)
    tasks = [task for task in dataset if task.extra["family"] in FAMILIES]
    shares: dict[str, list[float]] = {level: [] for level in DIFFICULTIES}
    with EmbeddedSandbox() as sandbox, PythonEnv(dataset, sandbox=sandbox) as env:
        for conditions, changes in ((1, 1), (2, 1), (2, 2)):
            right: defaultdict[str, list[bool]] = defaultdict(list)
            for task in tasks:
                right[task.difficulty].append(succeeds(env, task, solve(task.query, conditions, changes)))
            for level, found in right.items():
                shares[level].append(sum(found) / len(found))
    print(f"solver: {len(tasks)} of {count} tasks are of its families")
    return shares


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description="Figures of the generated Python tasks.")
    parser.add_argument("--solver", type=int, default=2400, metavar="N", help="tasks to choose the solver's from")
    given = parser.parse_args()
    for level, shares in solver(given.solver).items():
        print(f"solver, {level}: " + ", ".join(f"{share:.0%}" for share in shares))


if __name__ == "__main__":
    main()
