"""Count the mistakes in the recordings published with the benchmark: `scripts/recorded_mistakes.py [FOLDER]`.

FOLDER is `recorded/` of the data directory (default: `$INTERCODE_DATA/recorded`). The tables of `docs/worlds/` come
from here.

The counting rule: a turn makes a mistake if it did not earn 1 and its observation matches a pattern of `MISTAKES`. The
first pattern that matches counts, so a turn makes one mistake at most. *Repeated* are turns whose code ran before in
the same episode, whatever they show. *No code* are replies in which the harness found nothing to run. All are shares
of the turns that do not submit. ReAct was judged at the end only; the other strategies were judged after each turn.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from intercode.audit.replay.published.recordings import RecordedEpisode, Recording, read

MISTAKES: Mapping[str, Mapping[str, str]] = {
    "bash": {
        "label `BASH` run": r"BASH: command not found",
        "command not found": r"command not found",
        "shell syntax": r"syntax error|unexpected EOF|unterminated",
        "missing file or folder": r"No such file|cannot access",
        "permission denied": r"Permission denied|Operation not permitted",
        "wrong option or argument": r"missing (argument|operand)|invalid|unrecognized|unknown predicate|extra operand",
        "no output": r"\A\s*\Z",
    },
    "sql": {
        "unknown table": r"Error executing query: .*[Tt]able .*doesn't exist",
        "unknown column": r"Error executing query: .*Unknown column",
        "SQL syntax": r"Error executing query: .*error in your SQL syntax",
        "grouping": r"Error executing query: .*(GROUP BY|only_full_group_by)",
        "ambiguous column": r"Error executing query: .*ambiguous",
        "other error": r"Error executing query",
        "no rows": r"\A\s*(\[\]|\(\)|None)?\s*\Z",
    },
    "python": {
        "failed test": r"(?i)test case",
        "syntax": r"invalid syntax|unexpected indent|unindent|EOL|EOF|was never closed",
        "other error": r"Error|Traceback",
    },
    "ctf": {
        "missing program": r"command not found|Unable to locate|cannot execute",
        "error": r"Traceback|Error|No such file",
        "no output": r"\A\s*\Z",
    },
}
"""For each world, each mistake and what an observation with it holds. The first that matches counts."""

ENDINGS = ("solved", "submitted, not solved", "neither")


def mistake_of(world: str, observation: str) -> str | None:
    """Return the mistake that *observation* shows; None where it shows none."""
    for name, pattern in MISTAKES[world].items():
        if re.search(pattern, observation):
            return name
    return None


def count(world: str, episodes: Iterable[RecordedEpisode]) -> Counter[str]:
    """Return how often each mistake, each ending and each kind of turn occurs in *episodes*."""
    found: Counter[str] = Counter()
    for episode in episodes:
        found["episodes"] += 1
        submitted = any(turn.kind == "submit" for turn in episode.turns)
        found["solved" if episode.success else "submitted, not solved" if submitted else "neither"] += 1
        ran: set[str] = set()
        for turn in episode.turns:
            if turn.kind not in ("run", "nothing"):
                continue
            found["turns"] += 1
            if turn.kind == "nothing":
                found["no code"] += 1
                continue
            found["repeated"] += turn.code in ran
            ran.add(turn.code)
            if turn.reward < 1 and (name := mistake_of(world, turn.observation)):
                found[name] += 1
    return found


def by_harness(recordings: Iterable[Recording], world: str) -> dict[str, Counter[str]]:
    """Return the counts of *world* by strategy, all its files together."""
    found: dict[str, Counter[str]] = {}
    for recording in recordings:
        if recording.world == world:
            name: str = recording.harness
            if recording.harness == "try again" and all(len(each.turns) <= 1 for each in recording.episodes):
                name = "single turn"  # the same harness with one turn
            found.setdefault(name, Counter()).update(count(world, recording.episodes))
    return found


def table(world: str, found: Mapping[str, Counter[str]]) -> str:
    """Return a Markdown table: a line for each mistake, with per cent of turns, and a column for each strategy."""
    rows = [[name] + [_share(counts[name], counts["turns"]) for counts in found.values()] for name in _rows(world)]
    ends = [[name] + [_share(counts[name], counts["episodes"]) for counts in found.values()] for name in ENDINGS]
    sizes = [[name] + [str(counts[name]) for counts in found.values()] for name in ("episodes", "turns")]
    lines = [f"| {' | '.join(row)} |" for row in sizes + ends + rows]
    return "\n".join([f"| | {' | '.join(found)} |", "|---" * (len(found) + 1) + "|", *lines])


def _rows(world: str) -> list[str]:
    return [*MISTAKES[world], "no code", "repeated"]


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %"


def main(folder: Path) -> None:
    """Print one table for each world."""
    recordings = [read(path) for path in sorted(folder.glob("*/*.json.gz"))]
    for world in MISTAKES:
        print(f"## {world}\n\n{table(world, by_harness(recordings, world))}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(os.environ["INTERCODE_DATA"]) / "recorded")
