"""What stands in the files: rows, log lines, settings, mail, prose and scripts, all drawn."""

from __future__ import annotations

import time
from collections.abc import Sequence

from intercode_generate.bash.names import ADJECTIVES, COMPONENTS, KEYS, PEOPLE, THINGS, VERBS
from intercode_generate.draw import Draw

DAY = 86400
LEVELS = ("DEBUG", "INFO", "INFO", "INFO", "WARNING", "ERROR")
STATES = ("open", "paid", "sent", "returned", "cancelled")
CITIES = ("Bergen", "Cadiz", "Dresden", "Gent", "Lyon", "Oslo", "Porto", "Riga", "Turin", "Zagreb")
STATUSES = ("200", "200", "200", "301", "404", "404", "500")
TABLES = {
    "orders": ("order", "date", "customer", "item", "quantity", "price", "state"),
    "staff": ("id", "name", "city", "hours", "started"),
    "readings": ("sensor", "date", "value", "unit"),
    "stock": ("item", "shelf", "count", "price"),
}
"""Kinds of tables, with their columns."""


def stamp(seconds: int, form: str = "%Y-%m-%d %H:%M:%S") -> str:
    """Return a moment in UTC as text."""
    return time.strftime(form, time.gmtime(seconds))


def sentence(draw: Draw) -> str:
    """Return a short line of prose, without an end."""
    return (
        f"{draw.pick(PEOPLE)} {draw.pick(VERBS)} the {draw.pick(ADJECTIVES)} {draw.pick(THINGS)}"
        f" near the {draw.pick(THINGS)}"
    )


def prose(draw: Draw, low: int = 2, high: int = 9) -> str:
    """Return some lines of prose."""
    return "".join(f"{sentence(draw)}\n" for _ in range(draw.integer(low, high)))


def log(draw: Draw, start: int, count: int) -> str:
    """Return a log, its lines in order of time: `2024-03-01 10:00:05 ERROR payment: anna sold the old drum (27 ms)`."""
    now, lines = start, []
    components = draw.sample(COMPONENTS, 5)
    for _ in range(count):
        now += draw.integer(1, 1500)
        lines.append(
            f"{stamp(now)} {draw.pick(LEVELS)} {draw.pick(components)}: {draw.pick(PEOPLE)} {draw.pick(VERBS)} the "
            f"{draw.pick(THINGS)} ({draw.integer(1, 900)} ms)\n"
        )
    return "".join(lines)


def access_log(draw: Draw, start: int, count: int) -> str:
    """Return a web server's log: `10.0.3.7 - - [2024-03-01T10:00:05Z] "GET /drum" 200 512`."""
    now, lines = start, []
    hosts = [f"10.{draw.integer(0, 3)}.{draw.integer(0, 9)}.{draw.integer(1, 250)}" for _ in range(6)]
    pages = [f"/{thing}" for thing in draw.sample(THINGS, 6)]
    for _ in range(count):
        now += draw.integer(1, 900)
        lines.append(
            f'{draw.pick(hosts)} - - [{stamp(now, "%Y-%m-%dT%H:%M:%SZ")}] "{draw.pick(("GET", "GET", "POST"))} '
            f'{draw.pick(pages)}" {draw.pick(STATUSES)} {draw.integer(90, 9000)}\n'
        )
    return "".join(lines)


def rows(draw: Draw, kind: str, start: int, count: int) -> list[tuple[str, ...]]:
    """Rows of one kind of table (a key of `TABLES`)."""
    things, people = draw.sample(THINGS, 6), draw.sample(PEOPLE, 7)
    found: list[tuple[str, ...]] = []
    first = draw.integer(100, 4000)
    for number in range(count):
        date = stamp(start + draw.integer(0, 60) * DAY, "%Y-%m-%d")
        price = f"{draw.integer(1, 90)}.{draw.integer(0, 99):02d}"
        amount, many = str(draw.integer(1, 12)), str(draw.integer(0, 400))
        if kind == "orders":
            state = draw.pick(STATES)
            row: tuple[str, ...] = (
                str(first + number),
                date,
                draw.pick(people),
                draw.pick(things),
                amount,
                price,
                state,
            )
        elif kind == "staff":
            row = (str(first + number), PEOPLE[(first + number * 7) % len(PEOPLE)], draw.pick(CITIES), many, date)
        elif kind == "readings":
            sensor = f"s{draw.integer(1, 5)}"
            row = (sensor, date, str(draw.integer(-20, 60)), draw.pick(("C", "F", "K")))
        else:
            row = (THINGS[(first + number * 3) % len(THINGS)], f"shelf-{draw.integer(1, 6)}", many, price)
        found.append(row)
    return found


def settings(draw: Draw, folders: Sequence[str] = ()) -> str:
    """Settings in sections, `key = value` with comments between."""
    lines: list[str] = []
    keys = draw.shuffled(KEYS)
    for section in draw.sample(COMPONENTS, draw.integer(2, 3)):
        lines.append(f"[{section}]")
        for key in (keys.pop() for _ in range(draw.integer(2, 4))):
            if draw.chance(0.3):
                lines.append(f"# {sentence(draw)}")
            lines.append(f"{key} = {draw.integer(1, 5000)}")
        lines.append(f"enabled = {draw.pick(('yes', 'no'))}")
    return "\n".join(lines) + "\n"


def environment(draw: Draw) -> str:
    """Settings as a shell reads them: `MAX_USERS=27`."""
    return "".join(f"{key.upper()}={draw.integer(1, 9000)}\n" for key in draw.sample(KEYS, draw.integer(5, 9)))


def json(draw: Draw) -> str:
    """Return an object with one setting on each line."""
    lines = [f'  "{key}": {draw.integer(1, 5000)}' for key in draw.sample(KEYS, draw.integer(4, 7))]
    return "{\n" + ",\n".join([f'  "name": "{draw.pick(COMPONENTS)}"', *lines]) + "\n}\n"


def mail(draw: Draw, people: Sequence[str], moment: int) -> str:
    """Return a message with four headings and a text."""
    sender, receiver = draw.sample(people, 2)
    return (
        f"From: {sender}@example.org\nTo: {receiver}@example.org\nDate: {stamp(moment)}\n"
        f"Subject: {draw.pick(('Re: ', '', ''))}the {draw.pick(ADJECTIVES)} {draw.pick(THINGS)}\n\n{prose(draw, 2, 5)}"
    )


def script(draw: Draw) -> str:
    """Return a small shell script that says something, with a remark or two."""
    lines = ["#!/bin/sh"]
    for _ in range(draw.integer(2, 4)):
        if draw.chance(0.5):
            lines.append(f"# {draw.pick(('TODO', 'FIXME', 'NOTE'))}: {sentence(draw)}")
        lines.append(f"echo {draw.pick(THINGS)} {draw.integer(1, 99)}")
    return "\n".join(lines) + "\n"
