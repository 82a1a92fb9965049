"""The recorded episodes that can be read: each as a whole, and the first actions of agents that try again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from intercode.audit.replay.published import recordings
from intercode.audit.replay.published.file_systems import file_systems
from intercode.audit.replay.published.recorded_turns import Harness, RecordedTurn
from intercode.audit.replay.published.recordings import RecordedEpisode, Recording
from intercode.worlds.sql.databases.dialect.tokenizer import first_word
from intercode_sandbox.util import paths

World = Literal["bash", "sql"]

Stratum = Literal["", "scorings differ", "both pay", "neither pays", "no answer"]
"""What an episode was drawn from: see `choose`."""

INDEX = Path(__file__).with_name("episodes.jsonl")
"""The episodes that were chosen to be read: `python -m benchmarks.agreement.choose` writes it."""


@dataclass(frozen=True, slots=True)
class Episode:
    """One ending to be read and judged.

    `file` is the recording without its suffixes, and `number` that of the task in it. `first`: only the first action
    was taken, as if the agent had stopped there. `stratum` is what it was drawn from and `weight` how many episodes
    there it stands for.
    """

    id: str
    world: World
    file: str
    number: int
    first: bool = False
    stratum: Stratum = ""
    weight: float = 1.0

    @property
    def recorded(self) -> RecordedEpisode:
        """Return what the recording holds."""
        return next(each for each in self.recording.episodes if each.number == self.number)

    @property
    def recording(self) -> Recording:
        """The file that it is in. Raises BadDataError where that is not at hand."""
        return _read(paths.data() / "recorded" / self.world / f"{self.file}.json.gz")

    @property
    def harness(self) -> Harness:
        """Return how the agent was driven."""
        return self.recording.harness

    @property
    def task(self) -> str:
        """The end of its task's id, the same in published and in verified sets: `fs1/17`, `30`."""
        return self.recorded.task.partition("/")[2]

    @property
    def turns(self) -> Sequence[RecordedTurn]:
        """Those that are taken."""
        turns = self.recorded.turns
        ran = [number for number, turn in enumerate(turns, 1) if turn.kind == "run"]
        return turns[: ran[0]] if self.first else turns

    @property
    def is_blind(self) -> bool:
        """Return whether no action follows a look at what a verified world has otherwise.

        The episode is fair there, too.

        Of SQL a look at rows is one; tables and columns are the same in both worlds, and so are error messages.
        """
        earlier = [turn for turn in self.turns if turn.kind == "run"][:-1]
        return all(self.world == "sql" and _shows_no_rows(turn) for turn in earlier)


def _shows_no_rows(turn: RecordedTurn) -> bool:
    is_error = turn.observation.startswith("Error executing query")
    return is_error or first_word(turn.code) in ("show", "desc", "describe")


def recorded(world: World) -> Iterator[Episode]:
    """Yield all episodes at hand in which something was run, on the world that their task is about, in order.

    ids are the file's place, the task's number, and `f` for a first action alone: they tell a reader nothing.
    """
    for place, path in enumerate(sorted((paths.data() / "recorded" / world).glob("*.json.gz"))):
        recording = _read(path)
        name = path.name.removesuffix(".json.gz")
        for each, ran_on in zip(recording.episodes, file_systems(recording), strict=True):
            ran = sum(turn.kind == "run" for turn in each.turns)
            if not ran or ran_on != each.file_system:
                continue
            yield Episode(f"{world}-{place}-{each.number}", world, name, each.number)
            if ran > 1 and world == "bash" and recording.harness == "try again":
                yield Episode(f"{world}-{place}-{each.number}f", world, name, each.number, first=True)


def chosen(world: World) -> list[Episode]:
    """Return those that were chosen to be read."""
    found = [msgspec.json.decode(line, type=Episode) for line in INDEX.read_bytes().splitlines()]
    return [each for each in found if each.world == world]


def write(episodes: Sequence[Episode]) -> None:
    """Make *episodes* the chosen ones."""
    lines = [msgspec.json.encode(asdict(each)).decode() + "\n" for each in episodes]
    INDEX.write_text("".join(lines), encoding="utf-8")


@cache
def _read(path: Path) -> Recording:
    return recordings.read(path)
