"""Make the demonstrations that `--demos starter` shows, in src/intercode/agents/demos: one file for each world.

    .venv/bin/python scripts/starter_demos.py

Their requests are in no data set. What is seen is what the actions did: in a folder of this script's own for worlds
with a shell, in the starter databases and interpreter for the others.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import intercode
from intercode.types import SCORINGS, Action, Observation, Score, Scores, TaskView, Trajectory, Turn
from intercode.types.trajectories import dumps

OUT = Path(__file__).parents[1] / "src" / "intercode" / "agents" / "demos"

FILES = {
    "garden/beans.csv": "day,grams\nmonday,120\ntuesday,80\nfriday,200\n",
    "garden/peas.csv": "day,grams\nmonday,60\nsunday,40\n",
    "garden/notes.txt": "Water the beans.\n",
    "letters/old/spring.txt": "Vs gur onee vf bcra, gnxr vg.\n",
    "letters/old/key.txt": "flag{green_beans_in_may}\n",
    "temperature.py": "def to_celsius(degrees):\n    return (degrees - 32) * 9 / 5\n",
    "test_temperature.py": "from temperature import to_celsius\n\nassert to_celsius(32) == 0\n"
    "assert to_celsius(212) == 100, to_celsius(212)\n",
}

Step = tuple[str, str]
"""A thought, and the action that follows from it."""

DEMONSTRATIONS: dict[str, list[tuple[str, list[Step]]]] = {
    "bash": [
        (
            "How many grams of beans does garden/beans.csv list in all? Print only the number.",
            [
                ("I look at how the file is written.", "head -n 2 garden/beans.csv"),
                (
                    "There is a heading, and the grams are the second column. I add them up.",
                    "awk -F, 'NR > 1 { sum += $2 } END { print sum }' garden/beans.csv",
                ),
                ("The last command has printed the sum.", "submit"),
            ],
        ),
        (
            "Make a folder garden/old and move every text file of garden into it.",
            [
                ("I look at what is there.", "ls garden"),
                (
                    "There is one text file. I make the folder and move it.",
                    "mkdir garden/old && mv garden/*.txt garden/old/",
                ),
                ("The folder is made and the file is in it.", "submit"),
            ],
        ),
    ],
    "sql": [
        (
            "How many books are there of each genre? Show genre and number.",
            [
                ("I look at which tables there are.", "SHOW TABLES"),
                ("I need the columns of books.", "DESC books"),
                ("I count the books of each genre.", "SELECT genre, COUNT(*) FROM books GROUP BY genre ORDER BY genre"),
                ("The last rows answer the request.", "submit"),
            ],
        ),
    ],
    "python": [
        (
            "Write a function `middle(words)` that gives the word in the middle of a list with an odd number of words.",
            [
                (
                    "The middle is at half of the length. I write the function and try it.",
                    "def middle(words):\n    return words[len(words) // 2]\n\n\nprint(middle(['a', 'b', 'c']))",
                ),
                ("It gives the word in the middle.", "submit middle"),
            ],
        ),
    ],
    "ctf": [
        (
            "Somebody hid a flag among old letters. (Hand it in as: submit flag{...})",
            [
                ("I look at what is here.", "ls -R letters"),
                ("One of the letters is called a key. I read both.", "cat letters/old/*.txt"),
                ("The last output shows the flag.", "submit flag{green_beans_in_may}"),
            ],
        ),
    ],
    "swe": [
        (
            "`to_celsius(212)` is not 100.",
            [
                ("I read the function and its test.", "cat temperature.py test_temperature.py"),
                (
                    "The factor is upside down. I turn it round and run the test.",
                    "sed -i 's|9 / 5|5 / 9|' temperature.py && python3 test_temperature.py && echo passed",
                ),
                ("The fault is gone, and the test passes.", "submit"),
            ],
        ),
    ],
    "harbor": [
        (
            "Write the names of all CSV files below the working directory to csv.txt, one per line and sorted.",
            [
                ("I look at what is here.", "ls -R garden"),
                (
                    "I write the sorted names, and look at them.",
                    "find . -name '*.csv' | sort > csv.txt; cat csv.txt",
                ),
                ("The file has all names.", "submit"),
            ],
        ),
    ],
}

Play = Callable[[str], Observation]


@contextmanager
def shell() -> Iterator[Play]:
    """Provide what runs a command in a new folder with `FILES`."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

        def run(code: str) -> Observation:
            done = subprocess.run(["bash", "-c", code], cwd=folder, capture_output=True, text=True, check=True)
            return Observation(done.stdout + done.stderr, done.returncode)

        yield run


@contextmanager
def environment(dataset: str) -> Iterator[Play]:
    """Provide what runs code in the first task of *dataset*."""
    with intercode.make(dataset) as env:
        env.reset(seed=0)

        def run(code: str) -> Observation:
            _, _, _, _, info = env.step(code)
            seen: Observation = info["observation"]
            return Observation(seen.text, seen.exit_code)

        yield run


def episode(world: str, number: int, query: str, steps: list[Step], play: Play) -> Trajectory:
    """Return a demonstration, played."""
    turns: list[Turn] = []
    for thought, code in steps:
        action = Action.parse(code)
        seen = play(code) if action.kind == "execute" else turns[-1].observation
        turns.append(Turn(action, seen, thought=thought))
    scores: Scores = {scoring: Score(1.0, success=True) for scoring in SCORINGS}
    task = TaskView(f"demonstrations/{world}/{number}", query, world)
    return Trajectory(task, "demonstration", "submitted", tuple(turns), scores)


def main() -> None:
    """Write the demonstrations of all worlds."""
    for world, demonstrations in DEMONSTRATIONS.items():
        lines = []
        for number, (query, steps) in enumerate(demonstrations, 1):
            place = environment(f"starter-{world}") if world in ("sql", "python") else shell()
            with place as play:
                lines.append(dumps(episode(world, number, query, steps, play)) + "\n")
        (OUT / f"{world}.jsonl").write_text("".join(lines))


if __name__ == "__main__":
    main()
