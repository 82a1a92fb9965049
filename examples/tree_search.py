"""Breadth-first search over commands, each tried on a fork of the state before it: what resets in milliseconds are for.

    python examples/tree_search.py

It knows nothing but a handful of commands, and finds a way to the reward by trying them, level by level.
"""

from __future__ import annotations

from intercode.types import Action
from intercode.worlds.bash import BashEnv

TASK = "list-confs"
COMMANDS = ("cd /shop/config", "cd ..", "ls", 'find "$PWD" -type f', 'find "$PWD" -type f -name "*.conf"')
DEPTH = 3


def search(env: BashEnv) -> tuple[list[str], int]:
    """The shortest sequence of commands that succeeds, and how many states were looked at."""
    env.start_episode(env.dataset.find(TASK))
    level, seen, tried = [(env.snapshot(), list[str]())], {(env.state_hash(), env.answer)}, 0
    for _ in range(DEPTH):
        below = []
        for snapshot, path in level:
            for command in COMMANDS:
                env.restore(snapshot)
                env.take_action(Action("execute", command))
                tried += 1
                scores = env.judge()
                if scores is not None and scores["exact"].success:
                    return [*path, command], tried
                state = env.state_hash(), env.answer
                if state not in seen:  # two ways to one state are one
                    seen.add(state)
                    below.append((env.snapshot(), [*path, command]))
            snapshot.close()
        level = below
    raise SystemExit(f"nothing found in {DEPTH} commands")


if __name__ == "__main__":
    with BashEnv("starter") as env:
        path, tried = search(env)
    print(f"{TASK} is solved by {' ; '.join(path)}\n{tried} states were tried")
