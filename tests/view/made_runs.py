"""Runs written down without being played: of any size, and as hostile as can be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from intercode.runs import manifest as manifests
from intercode.runs.manifest import Manifest
from intercode.runs.settings import Settings
from intercode.types import (
    Action,
    Observation,
    Score,
    Scores,
    Scoring,
    Status,
    TaskView,
    Trajectory,
    Trial,
    Turn,
    trajectories,
)
from intercode.types.conversation import Message, ModelCall, Reply, Usage


def scores(exact: float, paper: float | None = None) -> Scores:
    """Both scorings; a success is 1."""
    other = exact if paper is None else paper
    notes = () if exact == 1.0 else ("done differently: /a/file",)
    return {
        "paper": Score(other, other == 1.0, {"file_diff": other}),
        "exact": Score(exact, exact == 1.0, {"state": exact, "answer": 1.0}, notes),
    }


def call(said: str = "I count", cost: float = 0.01, kept: int = 0) -> ModelCall:
    """A question to a model and its answer."""
    sent = (Message("system", "be good"), Message("user", "count them")) if not kept else (Message("user", "go on"),)
    return ModelCall(kept, sent, Reply(said, usage=Usage(10, 2, 0, cost), model="toy-1", seconds=0.05, reasoning="hm"))


def turn(text: str, seen: str = "", *, state: str = "", exit_code: int | None = 0, number: int = 1) -> Turn:
    """An action that was run; "submit" hands in."""
    action = Action.parse(text)
    observation = Observation(seen, exit_code if action.kind == "execute" else None, seconds=0.1)
    return Turn(action, observation, 0.0, None, state or f"{number:016x}", number * 0.3, f"thought {number}", (call(),))


def episode(
    task: str = "toy/a",
    *turns: Turn,
    exact: float = 1.0,
    paper: float | None = None,
    status: Status = "submitted",
    error: str = "",
    repeat: int = 0,
    query: str = "Count the files.",
    category: str = "count",
    difficulty: str = "easy",
    seconds: float = 2.0,
) -> Trajectory:
    """One that was made up."""
    moves = turns or (turn("ls", "a\nb\n", number=1), turn("submit", "a\nb\n", number=2))
    usage = sum((each.usage for each in moves), Usage())
    judged = None if status in ("error", "skipped") else scores(exact, paper)
    return Trajectory(
        TaskView(task, query, "bash", category, difficulty),
        "toy",
        status,
        moves,
        judged,
        1,
        repeat,
        "toy@1",
        1.7e9,
        seconds,
        error,
        {"reset": 0.1},
        usage,
    )


def write(
    folder: Path,
    episodes: Sequence[Trajectory],
    *,
    agent: str = "toy",
    tasks: int | None = None,
    dataset: str = "toy",
    turns: int = 10,
    scoring: Scoring = "exact",
) -> Path:
    """A run's folder with *episodes*."""
    folder.mkdir(parents=True)
    names = tuple(dict.fromkeys(each.task.id for each in episodes))
    repeat = max((each.repeat for each in episodes), default=0) + 1
    settings = Settings(
        dataset=dataset,
        world="bash",
        agent=agent,
        scoring=scoring,
        repeat=repeat,
        model="toy-1",
        turns=turns,
        model_options={"temperature": "0"},
    )
    more = tuple(f"toy/missing-{number}" for number in range((tasks or 0) - len(names)))
    manifests.write(Manifest(settings, names + more, machine={"intercode": "0.1.0"}, started_at=1.7e9), folder)
    append(folder, episodes)
    return folder


def append(folder: Path, episodes: Sequence[Trajectory]) -> None:
    """Store more."""
    with (folder / trajectories.EPISODES).open("a", encoding="ascii") as file:
        file.writelines(f"{trajectories.dumps(each)}\n" for each in episodes)


def varied() -> list[Trajectory]:
    """Episodes that every filter tells apart."""
    search = replace(
        turn("ls /treasure", "gold\n", number=1),
        trials=(
            Trial(Action("execute", "ls /treasure"), Observation("gold\n"), 0.5, chosen=True),
            Trial(Action("execute", "rm -rf /"), Observation("no\n"), 0.0),
        ),
    )
    return [
        episode("toy/won"),
        episode("toy/lost", exact=0.25, category="edit", difficulty="hard"),
        episode("toy/disputed", exact=1.0, paper=0.5),
        episode("toy/broken", status="error", error="SandboxError: it is gone"),
        episode("toy/skipped", turn("skip", number=1), status="skipped"),
        episode("toy/long", *(turn(f"echo {n}", f"{n}\n", number=n) for n in range(1, 9)), seconds=90.0),
        episode("toy/search", search, turn("submit", "gold\n", number=2)),
        episode("toy/again", repeat=0, exact=0.0),
        episode("toy/again", turn("ls", "a\nb\n", number=1), turn("wc -l", "2\n", number=2), turn("submit"), repeat=1),
    ]


def long_run(folder: Path, count: int = 10_000) -> Path:
    """Many episodes, of which each has more than four kilobytes."""
    moves = [turn(f"grep word{n} /a/file", "a line of what was found\n" * 30, number=n) for n in range(1, 4)]
    text = trajectories.dumps(episode("toy/NUMBER", *moves, turn("submit", number=4), exact=0.5))
    write(folder, [], tasks=0)
    with (folder / trajectories.EPISODES).open("w", encoding="ascii") as file:
        for number in range(count):
            line = text.replace("toy/NUMBER", f"toy/{number:05}").replace("word2", f"word{number}")
            file.write(
                (line if number % 3 else line.replace('"value":0.5,"success":false', '"value":1.0,"success":true'))
                + "\n"
            )
    return folder
