"""Check entries of a verified set quickly: `scripts/verify_tasks.py nl2bash-verified fs1/3 fs1/6`; all without names.

For each changed task: every accepted gold is paid; doing nothing and every near miss is not. It also says which golds
end alike, since those that do not are readings of the request. `intercode hackcheck` and the certificate say the rest.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace

from intercode import datasets, registry
from intercode.datasets.verified import VerifiedDataset
from intercode.env.env import Env
from intercode.types import Action, Task


def main() -> None:
    """Check the tasks that are named, and exit with 1 where one is not as it should be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset")
    parser.add_argument("tasks", nargs="*", help="ends of ids; none: all that were changed and are not left out")
    options = parser.parse_args()
    dataset = datasets.load(options.dataset)
    if not isinstance(dataset, VerifiedDataset):
        sys.exit(f"{options.dataset} is no verified set")
    ids = [id for id in dataset.changes if id not in dataset.left_out]
    found = 0
    with registry.find("envs", dataset.world)(dataset, scoring="exact") as env:
        for id in options.tasks or ids:
            problems = list(problems_of(env, dataset.find(id)))
            found += bool(problems)
            print(f"{id}: {'; '.join(problems) or 'good'}; golds that end alike: {alike(env, dataset.find(id))}")
    sys.exit(bool(found))


def problems_of(env: Env, task: Task) -> Iterator[str]:
    """Yield what is wrong with *task* as it is now."""
    for number, gold in enumerate(task.golds, 1):
        if not pays(env, task, gold):
            yield f"gold {number} is not paid"
    for name, text in (("doing nothing", ""), *((repr(text), text) for text in task.extra.get("near_misses", ()))):
        if pays(env, task, text):
            yield f"{name} is paid"


def pays(env: Env, task: Task, text: str) -> bool:
    """Return whether *text* alone, run in a fresh world, is paid in full."""
    env.start_episode(task)
    if text:
        env.take_action(Action("execute", text))
    scores = env.judge()
    return scores is not None and scores["exact"].success


def alike(env: Env, task: Task) -> str:
    """Return the numbers of golds in groups: `1 2 | 3`."""
    groups: list[list[int]] = []
    for number, gold in enumerate(task.golds, 1):
        group = next((each for each in groups if pays(env, _with(task, each[0]), gold)), None)
        if group is None:
            groups.append([number])
        else:
            group.append(number)
    return " | ".join(" ".join(map(str, group)) for group in groups)


def _with(task: Task, number: int) -> Task:
    """Return *task* with that gold alone."""
    golds: Sequence[str] = task.golds
    return replace(task, gold=golds[number - 1], alternative_golds=())


if __name__ == "__main__":
    main()
