"""Each table of the page: what it is called there, and how it is made of the figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from benchmarks.growth import slopes
from benchmarks.growth.axes import AXES

Figures = Mapping[str, Any]

BASH = {
    "reset": "reset",
    "echo": "first command",
    "command": "any command",
    "diff": "diff",
    "close": "close",
    "episode": "episode",
}
PEERS = {part: BASH[part].replace("any ", "") for part in ("reset", "command", "diff", "close", "episode")}
SQL = {"reset": "reset", "command": "any query", "diff": "reward", "episode": "episode"}
NAMES = {
    "intercode, embedded": "embedded sandbox",
    "intercode, docker": "our docker sandbox",
    "intercode, Python": "our Python world",
    "bare bash": "bare `bash -c`",
    "bwrap for each command": "`bwrap` for each command",
    "published way: one connection, no reset": "the published way",
    "embedded, tmpfs": "embedded sandbox, on a tmpfs",
    "embedded, on disk": "embedded sandbox, on disk",
    "docker, published way": "Docker, the published way",
    "bash": "Bash",
    "bash, persistent shell": "Bash, a shell that stays",
    "ctf": "capture the flag",
    "swe": "software engineering",
    "python": "Python",
    "python, a file": "Python, where a file was written before",
}


RESETS = {
    "after reading": "reset after an episode that read",
    "after writing": "reset after an episode that wrote",
    "first look": "first statement after a reset",
    "spare": "first statement that writes, a second after the last writer",
}


def named(name: str) -> str:
    """Return what a design or a world is called on the page."""
    return NAMES.get(name, name).removeprefix("intercode, ").replace("sql, ", "SQL on ")


def number(value: float) -> str:
    """Three digits, and no more than two after the point."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def cell(figures: Figures) -> str:
    """Median and minimum."""
    return f"{number(figures['median'])} / {number(figures['minimum'])}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def by_part(designs: Figures, parts: Mapping[str, str], head: str = "ms, median / minimum") -> str:
    """Return a row for each design, a column for each part."""
    rows = [[named(name), *(cell(each[part]) for part in parts)] for name, each in designs.items()]
    return table([head, *parts.values()], rows)


def beside_ours(designs: Figures) -> str:
    """Return the same, with how many times the first design's episode one takes."""
    ours = next(iter(designs.values()))["episode"]
    rows = []
    for name, each in designs.items():
        times = (each["episode"][which] / ours[which] for which in ("median", "minimum"))
        rows.append([named(name), *(cell(each[part]) for part in PEERS), "; ".join(map(number, times))])
    return table(["ms, median / minimum", *PEERS.values(), "times ours, median; minimum"], rows)


def rates(counts: Mapping[str, Figures]) -> list[str]:
    """Episodes a second, by how many play at once."""
    return [number(each["episodes_per_second"]) for each in counts.values()]


def bash_at_once(figures: Figures) -> str:
    """Episodes a second of the sandboxes."""
    kinds = {"five tasks' commands": "tasks'", "five times `echo hi`": "`echo hi`"}
    rows = [
        [named(name), commands, *rates(counts)]
        for kind, commands in kinds.items()
        for name, counts in figures[f"{kind}, at once"].items()
    ]
    return table(["episodes a second", "commands", "1 at a time", "8", "32"], rows)


def bash_alone(figures: Figures) -> str:
    """Return what only we have: scored episodes, snapshots, memory."""
    rows = []
    if "a scored NL2Bash episode" in figures:
        scored = cell(figures["a scored NL2Bash episode"]["known"])
        rows.append(["a scored NL2Bash episode (the oracle's: reset, gold, both scorings)", f"{scored} ms"])
    for name, parts in figures["software engineering"].items():
        runner = name.rpartition(" ")[2]
        rows.append([f"judging a fix of a starter task by its hidden tests, {runner}", f"{cell(parts['tests'])} ms"])
    for files in (10, 1000):
        both = figures[f"snapshot, {files} files"]
        rows.append(
            [
                f"a snapshot of {files} files; a session started from it",
                f"{cell(both['take'])}; {cell(both['branch'])} ms",
            ]
        )
    growth = figures["growth"]
    rows += [
        ["memory for each further live session", f"{figures['memory']['megabytes_each']:.2f} MB"],
        [
            f"growth over {_size(growth['episodes'])} episodes in one process",
            f"{max(0.0, growth['megabytes_grown']):.1f} MB, {growth['descriptors_grown']} descriptors",
        ],
        ["`intercode --help`", f"{cell(figures['help'])} ms"],
    ]
    return table(["", "figure"], rows)


def readme(figures: Figures) -> str:
    """Return the few that README.md shows: medians of the simplest episode."""
    kind, names = (
        "five times `echo hi`",
        {
            "intercode, embedded": "InterCode, embedded sandbox",
            "docker, published way": "the published way: Docker, containers kept",
            "bare bash": "no sandbox: `bash -c` on the host",
        },
    )
    rows = []
    for name, title in names.items():
        parts = (number(figures[kind][name][part]["median"]) for part in ("reset", "command", "diff", "episode"))
        rows.append([title, *parts, rates(figures[f"{kind}, at once"][name])[-1]])
    return table(
        ["", "reset", "`echo hi`", "diff", "episode (reset, five times `echo hi`, diff)", "episodes/s, 32 at once"],
        rows,
    )


def own_time(figures: Figures) -> str:
    """Our own processor time."""
    return table(
        ["ms of our own, median / minimum", ""], [[name, cell(each)] for name, each in figures["own time"].items()]
    )


def threads(figures: Figures) -> str:
    """Episodes a second by the number of threads."""
    found = figures["threads"]
    return table(["threads of one process", *found], [["scored episodes a second", *map(number, found.values())]])


def processes(figures: Figures) -> str:
    """Return one process beside several."""
    found = figures["processes"]
    heads = {
        "episodes_per_second": "episodes a second, from the first stored to the last",
        "parent_ms": "ms of the run's own process for each",
        "workers_ms": "ms of the workers for each",
    }
    rows = [[title, *(number(each[part]) for each in found.values())] for part, title in heads.items()]
    return table(["processes", *found], rows)


def sql_workers(figures: Figures) -> str:
    """Episodes a second, and their ratio to the published way's."""
    rows = [
        [named(name), *(f"{number(each['episodes_per_second'])} ({each['beside']:.2f})" for each in counts.values())]
        for name, counts in figures["sql"]["at once"].items()
    ]
    return table(["episodes a second (beside the published way)", "1 worker", "4 workers"], rows)


def sql_resets(figures: Figures) -> str:
    """Resets after reading and writing, and loading."""
    sql = figures["sql"]
    kinds = list(sql["resets"])
    rows = [[title, *(cell(sql["resets"][kind][name]) for kind in kinds)] for name, title in RESETS.items()]
    rows += [
        [f"loading Spider, {which} time: s", *(f"{sql['loading'][kind][which]:.2f}" for kind in kinds)]
        for which in ("first", "later")
    ]
    return table(["ms, median / minimum", *("MariaDB" if kind == "mysql" else "SQLite" for kind in kinds)], rows)


def python(figures: Figures) -> str:
    """Steps and whole episodes of the Python world."""
    rows = [[name, f"{cell(each)} ms"] for name, each in figures["python steps"].items()]
    found = figures["scored MBPP episodes"]
    counts = ", ".join(str(each["workers"]) for each in found)
    each = ", ".join(number(each["episodes_per_second"]) for each in found)
    rows.append([f"scored MBPP episodes a second, {counts} at once", each])
    rows.append(["processor time of one", f"{number(figures['ms of a processor for each'])} ms"])
    return table(["", "figure"], rows)


def ctf_at_once(figures: Figures) -> str:
    """Episodes a second of capture the flag."""
    found = figures["capture the flag, at once"]
    return table(
        ["at once", *(str(each["workers"]) for each in found)],
        [["episodes a second", *(number(each["episodes_per_second"]) for each in found)]],
    )


def models(figures: Figures) -> str:
    """Turns with a model, and reports."""
    turns = figures["models"]
    rows = [[f"our CPU for a turn, {name}", f"{value:.2f} ms"] for name, value in turns["cpu_ms_per_turn"].items()]
    at_once = turns["at_once"]
    rows.append(
        [
            "64 at once, 200 ms an answer: of the ideal 320 turns a second, median and best",
            f"{at_once['share_of_ideal']:.1%}, {at_once['best_share_of_ideal']:.1%}",
        ]
    )
    (first, before), *_, (last, after) = turns["memory"].items()
    rows.append([f"growth of memory {first} episodes of one run, until {last}", f"{max(0.0, after - before):.1f} MB"])
    rows += [
        [f"`intercode report`, {what.replace('1 times', 'once')}", f"{each['median']:.1f} s"]
        for what, each in figures["reports"].items()
    ]
    return table(["", "figure"], rows)


def growth(figures: Figures) -> str:
    """Least times at both ends, and slopes, beside what they may be."""
    rows = []
    for name, axis in figures["how cost grows"].items():
        for part, points in slopes.curves(axis).items():
            ends = f"{AXES[name].label}, {_size(points[0][0])} to {_size(points[-1][0])}"
            times = [f"{points[end][1]:.2g}" if points[end][1] < 100 else number(points[end][1]) for end in (0, -1)]
            may_be = "1" if part in AXES[name].linear else "0"
            rows.append([ends, part, *times, f"{slopes.fit(points):.2f}", f"{slopes.last(points):.2f}", may_be])
    return table(["what grows", "part", "ms at the smallest", "at the largest", "slope", "at the end", "may be"], rows)


def _size(value: float) -> str:
    return f"{value:,.0f}".replace(",", " ")


def machine(figures: Figures) -> str:
    """Return what it was measured on."""
    found = figures["machine"]
    return f"Linux {found['kernel']}, {found['cores']} cores, Python {found['python']}.\n"


TABLES: dict[str, Callable[[Figures], str]] = {
    "machine": machine,
    "bash-tasks": lambda figures: by_part(figures["five tasks' commands"], BASH),
    "bash-echo": lambda figures: by_part(figures["five times `echo hi`"], BASH),
    "bash-at-once": bash_at_once,
    "bash-alone": bash_alone,
    "readme": readme,
    "peers-tasks": lambda figures: beside_ours(figures["peers"]["five tasks' commands"]),
    "peers-echo": lambda figures: beside_ours(figures["peers"]["five times `echo hi`"]),
    "peers-docker-tasks": lambda figures: beside_ours(figures["peers"]["in Docker, five tasks' commands"]),
    "peers-docker-echo": lambda figures: beside_ours(figures["peers"]["in Docker, five times `echo hi`"]),
    "peers-python": lambda figures: beside_ours(figures["peers"]["Python"]),
    "own-time": own_time,
    "threads": threads,
    "processes": processes,
    "upper-layers": lambda figures: by_part(figures["upper layers"], BASH),
    "sql-episode": lambda figures: by_part(figures["sql"]["parts"], SQL),
    "sql-workers": sql_workers,
    "sql-resets": sql_resets,
    "python": python,
    "ctf": lambda figures: by_part(
        figures["capture the flag"], {part: part for part in ("reset", "ls -l", "submit", "episode")}
    ),
    "ctf-at-once": ctf_at_once,
    "branches": lambda figures: by_part(
        figures["branches"], {call: f"`{call}`" for call in ("snapshot", "restore", "fork")}
    ),
    "models": models,
    "growth": growth,
}
"""By the name that stands on the page."""
