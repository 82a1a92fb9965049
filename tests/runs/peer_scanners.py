"""What other scanners find in the fifth bank, and in SQL golds of which the data do not determine the answer.

`python tests/runs/peer_scanners.py --gradecheck PROGRAM --attestql PROGRAM` prints a row of a table for each, with what
it cannot take. The programs come from PyPI, each in a virtual environment of its own, outside this repository.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sqlite3
import subprocess
import time
import tomllib
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from data_set_bank import BANK, FIFTH_HOLES, FIFTH_SOUND, given_workspace
from test_gold_lint_sql import DETERMINED, DUMP, OPEN, rules

from intercode.worlds.sql.databases.sqlite import SqliteDatabase

SECONDS = 300


def gradecheck(program: str, name: str, folder: Path) -> bool | None:
    """Whether gradecheck says of the data set *name* that it is fooled; None where it cannot take it."""
    kind = "fifth_holes" if name in FIFTH_HOLES else "fifth_sound"
    entry = tomllib.loads((BANK / kind / f"{name}.toml").read_text())
    if entry["world"] != "grade":
        return None
    given = given_workspace(entry, folder / name)
    passes = "[ $status -eq 0 ]" if given.reads == "status" else '[ "$(printf %s "$said" | tail -n 1)" = 1 ]'
    script = f"cd $1 && said=$({given.grade}); status=$?; {passes} && echo GRADED: PASS"
    (folder / name / "grade.sh").write_text(f"{script}\n")
    sources = [str(path) for path in (folder / name / "graders").glob("*.py")]
    config = folder / name / "gradecheck.toml"
    command = f"bash {shlex.quote(str(folder / name / 'grade.sh'))} {{workspace}}"
    config.write_text(
        f'[env]\nname = "x"\nworkspace = "workspace"\n[grade]\ncmd = {json.dumps(command)}\n'
        f'pass_marker = "GRADED: PASS"\ntimeout = 20\nsource = {json.dumps(sources)}\n'
    )
    done = subprocess.run(
        [program, "run", str(config), "--json"], capture_output=True, text=True, timeout=SECONDS, check=False
    )
    if done.returncode not in (0, 1) or not done.stdout:
        return None
    return any(each["verdict"] == "fooled" for each in json.loads(done.stdout)["findings"])


def row(tool: str, holes: Sequence[bool], sound: Sequence[bool], seconds: float, not_taken: str) -> None:
    found = f"{sum(holes)} of {len(holes)} | {sum(sound)} of {len(sound)}" if holes else "- | -"
    print(f"| {tool} | {found} | {seconds:.0f} | {not_taken} |", flush=True)


def of_bank(program: str) -> None:
    """Print a row about gradecheck and the fifth bank."""
    with TemporaryDirectory() as folder:
        began = time.monotonic()
        found = {name: gradecheck(program, name, Path(folder)) for name in (*FIFTH_HOLES, *FIFTH_SOUND)}
        seconds = time.monotonic() - began
    taken = {name: has for name, has in found.items() if has is not None}
    holes, sound = ([has for name, has in taken.items() if name in names] for names in (FIFTH_HOLES, FIFTH_SOUND))
    row("gradecheck", holes, sound, seconds, f"{len(found) - len(taken)} data sets: Harbor's tasks, SQL, `reward.py`")
    print("  found:", ", ".join(name for name, has in taken.items() if has))


def of_golds(program: str) -> None:
    """Print rows about attestql and ourselves, and the golds of our tests that only read."""
    golds = {
        each: [gold for gold in every if _only_reads(gold)] for each, every in (("open", OPEN), ("sound", DETERMINED))
    }
    numbered = dict(enumerate([*golds["open"], *golds["sound"]]))
    with TemporaryDirectory() as made:
        folder = Path(made)
        with closing(sqlite3.connect(folder / "shop.sqlite")) as connection:
            connection.executescript(DUMP)
        questions = [
            {"question_id": n, "db_id": "shop", "question": "?", "evidence": "", "SQL": gold, "difficulty": "simple"}
            for n, gold in numbered.items()
        ]
        (folder / "questions.json").write_text(json.dumps(questions))
        began = time.monotonic()
        subprocess.run(
            [
                program, "audit", "--engine", "sqlite", "--dsn", str(folder / "shop.sqlite"),
                "--questions", str(folder / "questions.json"), "--out", str(folder / "audit"),
            ],
            capture_output=True, timeout=SECONDS, check=False,
        )  # fmt: skip
        seconds = time.monotonic() - began
        summary = json.loads((folder / "audit" / "summary.json").read_text())
    opens = len(golds["open"])
    failed, smells = {each["question_id"] for each in summary["errors"]}, set(summary["question_directories"])
    known = {n: n in smells for n in numbered if n not in failed}
    left = f"{len(failed)} golds in MySQL's words, and all that change rows"
    row("attestql", *_split(known.items(), opens), seconds, left)
    ours(numbered, opens)


def ours(numbered: dict[int, str], opens: int) -> None:
    """Print a row about our own warnings."""
    with TemporaryDirectory() as made, SqliteDatabase() as database:
        folder = Path(made, "cars")
        (folder / "databases").mkdir(parents=True)
        (folder / "databases" / "shop.sql").write_text(DUMP)
        (folder / "tasks.json").write_text(
            json.dumps([{"id": "0", "query": "?", "gold": "SELECT 1", "database": "shop"}])
        )
        began = time.monotonic()
        found = [(n, bool(rules(gold, database, folder))) for n, gold in numbered.items()]
        row("InterCode's warnings", *_split(found, opens), time.monotonic() - began, "nothing")


def _only_reads(gold: str) -> bool:
    return gold.startswith(("SELECT", "WITH")) and ";" not in gold


def _split(found: Iterable[tuple[int, bool]], opens: int) -> tuple[list[bool], list[bool]]:
    every = list(found)
    return [fires for n, fires in every if n < opens], [fires for n, fires in every if n >= opens]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--gradecheck")
    parser.add_argument("--attestql")
    given = parser.parse_args()
    print("| scanner | found | false alarms | seconds | cannot take |\n|---|---|---|---|---|")
    if given.gradecheck:
        of_bank(given.gradecheck)
    if given.attestql:
        of_golds(given.attestql)
