"""Episodes and runs made up for reports, with every figure chosen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from intercode.runs.manifest import Manifest, machine
from intercode.runs.settings import Settings
from intercode.runs.store import RunStore, StoredRun, read
from intercode.types import Action, Observation, Score, Scores, Status, TaskView, Trajectory, Turn
from intercode.types.conversation import Message, ModelCall, Reply, Tokens, Usage


def scores(value: float) -> Scores:
    """Both scorings of the same mind; a success is a reward of 1."""
    score = Score(value, value == 1.0, {"all": value})
    return {"paper": score, "exact": score}


def turn(
    code: str,
    text: str = "",
    *,
    exit_code: int | None = 0,
    value: float | None = None,
    state: str = "",
    calls: tuple[ModelCall, ...] = (),
    started: float = 0.0,
    thought: str = "",
) -> Turn:
    """One action as it is written, judged where a *value* is given; "" is a reply without code."""
    action = Action.parse(code) if code else Action("nothing", "no code")
    judged = None if value is None else scores(value)
    return Turn(action, Observation(text, exit_code), value or 0.0, judged, state, started, thought, calls)


def call(
    said: str, *sent: tuple[str, str], kept: int = 0, cost: float | None = 0.0, **reply: Tokens | None
) -> ModelCall:
    """A model that was sent some messages and said something; 10 tokens read, 2 written."""
    messages = tuple(Message(role, text) for role, text in sent)  # type: ignore[arg-type]
    return ModelCall(kept, messages, Reply(said, usage=Usage(10, 2, 4, cost), model="toy-1", **reply))  # type: ignore[arg-type]


def episode(
    task: str = "toy/0",
    value: float | None = 1.0,
    *turns: Turn,
    repeat: int = 0,
    status: Status = "submitted",
    difficulty: str = "",
    category: str = "",
    world: str = "bash",
    error: str = "",
    agent: str = "toy",
) -> Trajectory:
    """An episode that came to *value* (None: not judged)."""
    view = TaskView(task, f"Do {task}.", world, category, difficulty)
    usage = sum((each.usage for each in turns), Usage())
    judged = None if value is None else scores(value)
    return Trajectory(
        view, agent, status, turns, judged, repeat=repeat, seed=7, seconds=2.0, error=error, usage=usage, started_at=1e9
    )


def run(folder: Path, episodes: Sequence[Trajectory], **settings: str | int) -> StoredRun:
    """A run in *folder* that holds *episodes*."""
    tasks = tuple(dict.fromkeys(each.task.id for each in episodes))
    repeat = 1 + max((each.repeat for each in episodes), default=0)
    settings_of_run = Settings(dataset="toy", agent="toy", scoring="exact", repeat=repeat).changed(**settings)
    with RunStore.create(folder, Manifest(settings_of_run, tasks, {"toy": "0"}, {"toy": "1"}, machine())) as store:
        for each in episodes:
            store.append(each)
    return read(folder)
