"""Figures of the generated Bash tasks, as docs/generated.md has them: `python -m benchmarks.generated_tasks`.

How a scripted solver's success falls with difficulty.
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from intercode.types import Action, Score, Task
from intercode.worlds.bash import BashEnv
from intercode_generate.bash.dataset import GeneratedBashDataset
from intercode_generate.family import DIFFICULTIES
from intercode_sandbox.embedded import EmbeddedSandbox

CONDITIONS = (
    (r"name ends in `([^`]+)`", "-name '*{}'"),
    (r"name begins with `([^`]+)`", "-name '{}*'"),
    (r"name contains `([^`]+)`", "-name '*{}*'"),
    (r"larger than (\d+) bytes", "-size +{}c"),
    (r"smaller than (\d+) bytes", "-size -{}c"),
    (r"modified after ([\d: -]+) UTC", "-newermt '{} UTC'"),
    (r"modified before ([\d: -]+) UTC", "! -newermt '{} UTC'"),
    (r"permissions are exactly (\d+) in octal", "-perm {}"),
    (r"user with the number (\d+)", "-uid {}"),
    (r"contains the text `([^`]+)`", "-exec grep -qF '{}' {{}} \\;"),
)
"""What the solver understands of a selection, and the test of `find` that it is."""

WHERE = re.compile(r"regular file (.*?), anywhere below `([^`]+)`")

ACTIONS = (
    (r"octal\) and the full path|permissions in octal, one blank|`MODE PATH`", "{find} -printf '%m %p\\n'"),
    (r"[Rr]everse byte order|descending byte order|last in byte order", "{find} | sort -r"),
    (r"`SIZE PATH`|size in bytes, one blank", "{find} -printf '%s %p\\n' | sort -k1,1n -k2"),
    (r"full paths? of (every|each)|their full paths|full path per line|full paths of certain files", "{find} -print"),
    (r"bare name|without the folders before|without their folders", "{find} -printf '%f\\n'"),
    (r"[Cc]ount (every|each)|How many files are there|how often this is to be found", "{find} -print | wc -l"),
    (r"bytes .*together|sizes in bytes|total size", "{find} -printf '%s\\n' | awk '{{s += $1}} END {{print s}}'"),
    (r"[Dd]elete|[Rr]emove every|has to go|Get rid", "{find} -delete"),
    (r"[Ee]mpty|[Tt]runcate|zero bytes|size of 0", "{find} -exec truncate -s 0 {{}} +"),
    (r"upper case|capitals", "{find} -exec sed -i 's/[a-z]/\\U&/g' {{}} +"),
)
"""What it understands of what is to be done with the files, the first that fits."""


def solve(query: str, most: int) -> str:
    """Return the one command of a solver that knows `find`, up to *most* conditions, and folders named outright.

    What it does not understand it leaves out, as somebody would who tries all the same.
    """
    found = WHERE.search(query)
    if found is None:
        return "true"
    tests = [form.format(match[1]) for pattern, form in CONDITIONS for match in re.finditer(pattern, found[1])]
    find = " ".join([f"find {found[2]} -type f", *tests[:most]])
    action = next((form for pattern, form in ACTIONS if re.search(pattern, query)), "{find} -print")
    return action.format(find=find)


def play(dataset: GeneratedBashDataset, texts: Sequence[tuple[Task, str]]) -> Iterator[tuple[Task, Score]]:
    """Play each text once on its task, and yield what `exact` gives for it."""
    with EmbeddedSandbox() as sandbox, BashEnv(dataset, sandbox=sandbox) as env:
        for task, text in texts:
            env.start_episode(task, seed=0)
            env.take_action(Action("execute", text))
            scores = env.take_action(Action("submit")).scores
            assert scores is not None
            yield task, scores["exact"]


def solver(count: int) -> dict[str, list[float]]:
    """Return the share that the solver gets right, by difficulty, where it knows one, two or three conditions."""
    dataset = GeneratedBashDataset(count=count, seed=5)
    shares: dict[str, list[float]] = {level: [] for level in DIFFICULTIES}
    for most in (1, 2, 3):
        right: defaultdict[str, list[bool]] = defaultdict(list)
        tasks = [task for task in dataset if "regular file " in task.query and ", anywhere below" in task.query]
        for task, score in play(dataset, [(task, solve(task.query, most)) for task in tasks]):
            right[task.difficulty].append(score.success)
        for level, found in right.items():
            shares[level].append(sum(found) / len(found))
    return shares


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description="Figures of the generated Bash tasks.")
    parser.add_argument("--solver", type=int, default=400, metavar="N", help="tasks to choose the solver's from")
    given = parser.parse_args()
    for level, shares in solver(given.solver).items():
        print(f"solver, {level}: " + ", ".join(f"{share:.0%}" for share in shares))


if __name__ == "__main__":
    main()
