"""The abacus in a sandbox: a file holds its rods, and nothing that an agent writes is ever run."""

from __future__ import annotations

from abacus import SPEC
from abacus.reward import Ending, Rods, exact, half
from intercode.env.env import Env
from intercode.rewards.base import EndingReward
from intercode.types import Observation, Task
from intercode_sandbox.sandbox import Session

FILE = "/abacus/rods"
LONGEST = 1 << 16
MOST = 10**9


class AbacusEnv(Env):
    """An action is a text of moves, which are made one after the other up to the first that is none."""

    world_spec = SPEC
    rewards = {"paper": EndingReward(half), "exact": EndingReward(exact)}
    handed_in = ""

    def prepare(self) -> None:
        super().prepare()
        self.handed_in = ""

    def execute(self, text: str) -> Observation:
        return move(self.current_session, text)

    def on_submit(self, answer: str) -> Observation:
        self.handed_in = answer
        return super().on_submit(answer)

    def ending(self, task: Task) -> Ending:
        """The gold is played in a session of its own."""
        with self.sandbox.start(self.image, started_at=self.started_at, limits=self.limits) as other:
            shown = move(other, task.gold or "").text
            expected = read(other)
        return Ending(self.handed_in or self.answer or "", read(self.current_session), shown, expected)


def read(session: Session) -> Rods:
    lines = session.read(FILE, limit=LONGEST).decode().splitlines()
    return {name: int(number) for name, number in (line.split() for line in lines)}


def move(session: Session, text: str) -> Observation:
    rods, shown = read(session), list[str]()
    for line in text.splitlines():
        try:
            shown += step(rods, line.split())
        except (KeyError, ValueError):
            shown.append(f"no move: {line[:80]}")
            break
    else:
        session.write(FILE, "".join(f"{name} {number}\n" for name, number in sorted(rods.items())).encode())
        return Observation("".join(f"{each}\n" for each in shown), 0)
    return Observation("".join(f"{each}\n" for each in shown), 1)


def step(rods: Rods, words: list[str]) -> list[str]:
    """Make one move; what it shows. Raises KeyError and ValueError for what is none."""
    match words:
        case ["put", rod, number] if rods[rod] is not None and abs(int(number[:12])) < MOST:
            rods[rod] = int(number)
        case ["add", rod, other]:
            rods[rod] += rods[other]
        case ["take", rod, other]:
            rods[rod] -= rods[other]
        case ["show", rod]:
            return [str(rods[rod])]
        case ["list"]:
            return [f"{name} {number}" for name, number in sorted(rods.items())]
        case ["say", *rest]:
            return [" ".join(rest)]
        case []:
            pass
        case _:
            raise ValueError(words)
    return []
