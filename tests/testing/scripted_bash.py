"""A Bash world of four tasks in which nothing is run: commands are answered from a table."""

from __future__ import annotations

from intercode.datasets.base import Dataset
from intercode.testing.env import EnvContract
from intercode.types import Task
from intercode_sandbox.sandbox import Change, Entry
from intercode_sandbox.scripted import ScriptedAnswer

CHANGING = EnvContract.changing
"""A command that changes the state."""


def made(path: str) -> Change:
    return Change(path, None, Entry("file", 0o644, 0, 0, 1, 0, path))


GOLDS = [f"gold {number}" for number in range(4)]
SCRIPT = {
    "true": ScriptedAnswer(),
    EnvContract.changing: ScriptedAnswer(changes=(made("/made"),)),
    **{gold: ScriptedAnswer(f"{gold} said this\n", changes=(made(f"/{gold[-1]}"),)) for gold in GOLDS},
}


class Scripted(Dataset):
    """Four tasks that a scripted sandbox can play."""

    name = "scripted"

    def __len__(self) -> int:
        return len(GOLDS)

    def __getitem__(self, index: int) -> Task:
        return Task(f"scripted/{index}", f"query {index}", GOLDS[index])
