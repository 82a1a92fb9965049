"""The SQL part of `make bench`: all its figures, and their tables."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks import sql_world
from benchmarks.sql_episodes import RECORDED, episodes
from benchmarks.timing import Figures
from intercode.datasets.spider.dataset import SpiderDataset
from intercode.errors import BadDataError, DatabaseError
from intercode.worlds.sql.databases.mysql import server_program

CALLED = {"echo": "first query", "command": "any query", "diff": "reward"}
"""What the parts of an episode are in this world."""


def sql(console: Console, seconds: float) -> dict[str, Any]:
    """Measure, print and return; what lacks for it is said, and then there is nothing."""
    try:
        server_program.find()
        dataset = SpiderDataset()
    except (DatabaseError, BadDataError) as error:
        console.print(f"the SQL world is left out: {error}")
        return {}
    found = episodes(dataset)
    if found is None:
        console.print(f"the SQL world is left out: {RECORDED} is not among the published data")
        return {}
    figures: dict[str, Any] = sql_world.side_by_side(found, dataset, seconds)
    figures["resets"] = {kind: sql_world.resets(kind, dataset) for kind in ("mysql", "sqlite")}
    figures["loading"] = {kind: sql_world.loading(kind, dataset) for kind in ("mysql", "sqlite")}
    figures["tau"] = sql_world.taus()
    _print(console, figures)
    return {"sql": figures}


def _print(console: Console, figures: dict[str, Any]) -> None:
    parts = list(next(iter(figures["parts"].values())))
    heads = (CALLED.get(part, part) for part in parts)
    table = Table("", *heads, title="an SQL episode that reads: ms, median / minimum")
    for name, each in figures["parts"].items():
        table.add_row(name, *(_milliseconds(each[part]) for part in parts))
    console.print(table)
    counts = [str(count) for count in sql_world.AT_ONCE]
    table = Table("episodes per second, and beside the published way", *counts, title="SQL: workers")
    for name, each in figures["at once"].items():
        cells = (each[count] for count in counts)
        table.add_row(name, *(f"{cell['episodes_per_second']:.0f} (x {cell['beside']:.2f})" for cell in cells))
    console.print(table)
    table = Table("ms, median / minimum", "mysql", "sqlite", title="SQL: resets")
    for name in figures["resets"]["mysql"]:
        table.add_row(name, *(_milliseconds(each[name]) for each in figures["resets"].values()))
    for which in ("first", "later"):
        seconds = (each[which] for each in figures["loading"].values())
        table.add_row(f"loading Spider, {which} time: s", *(f"{each:.2f}" for each in seconds))
    console.print(table)
    table = Table("Kendall's tau: ms, median / minimum", "", title="SQL: tau")
    for name, each in figures["tau"].items():
        table.add_row(name, _milliseconds(each))
    console.print(table)


def _milliseconds(figures: Figures) -> str:
    return f"{figures['median']:.2f} / {figures['minimum']:.2f}"
