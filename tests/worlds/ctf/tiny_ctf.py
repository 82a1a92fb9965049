"""A data set of a few challenges, for tests of the world of capture the flag."""

from __future__ import annotations

from intercode.datasets.base import Dataset
from intercode.datasets.challenges import Challenge, Service
from intercode.types import Scoring, Task

ECHO = b"""import sys
print("say the word", flush=True)
print(open("secret.txt").read() if sys.stdin.readline().strip() == "please" else "no", flush=True)
"""
SERVICE = Service("butler", 4000, ("python3", "-u", "butler.py"), {"butler.py": ECHO, "secret.txt": b"flag{butler}"})

CHALLENGES = {
    "file": Challenge("flag{File}", files={"flag.enc": b"ZmxhZ3tGaWxlfQ==\n", "sub/run.sh": b"#!/bin/sh\necho ran\n"},
                      programs=frozenset({"sub/run.sh"})),
    "set-up": Challenge("flag{made}", files={"a": b"1\n"}, setup="tr 1 2 < a > b && mkdir deep"),
    "service": Challenge("flag{butler}", files={"note.txt": b"butler:4000\n"}, service=SERVICE),
    "corrected": Challenge("flag{back\\slash}", files={"x": b""}, published="flag{backslash}"),
}  # fmt: skip


class TinyCtfDataset(Dataset):
    """A file, a set-up command, a service, and a flag that was published wrong."""

    name = "tiny-ctf"
    world = "ctf"

    def __init__(self, scoring: Scoring = "exact", challenges: dict[str, Challenge] | None = None) -> None:
        self.default_scoring = scoring
        self._challenges = CHALLENGES if challenges is None else challenges
        self._tasks = [Task(f"tiny-ctf/{name}", f"Find the flag of {name}.", world="ctf") for name in self._challenges]

    def __len__(self) -> int:
        return len(self._tasks)

    def __getitem__(self, index: int) -> Task:
        return self._tasks[index]

    def challenge(self, task: Task, seed: int) -> Challenge:
        return self._challenges[task.id.rpartition("/")[2]]
