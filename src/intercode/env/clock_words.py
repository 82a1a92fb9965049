"""Words of a gold that ask for the time, or for what a machine shows differently from one minute to the next."""

from __future__ import annotations

import re

_DATE = re.compile(
    r"(?:^|[;&|(`\n]|\b(?:sudo|exec|then|do|time|env)\s)\s{0,99}(?:\w+=\S{0,99}\s{1,99}){0,9}(date)(?=$|[\s;&|)`<>])([^;&|)`\n<>]*)"
)
_GIVEN = re.compile(r"\s(?:-u?[rf](?=\s|$)|--reference|--file|--version|--help)|\d{4}|@")
"""What says which moment is meant: a file's, one read from a file, a year, seconds since the epoch."""
_CLOCKS = re.compile(
    r"\$\{?EPOCH(?:SECONDS|REALTIME)\b|(?:^|[;&|(`\n]\s{0,9})(?:uptime|hwclock)\b|%\([^)\n]{0,99}\)T|\bsystime\(\)|\btime\.time\("
    r"|\b(?:datetime|date)\.(?:now|today|utcnow)\(|\btime\.(?:localtime|gmtime|ctime)\(\)"
)
"""Other ways to ask, in a shell's golds and in Python's."""
_SQL_CLOCK = re.compile(
    r"\b(?:now|sysdate|curdate|curtime|utc_date|utc_time|utc_timestamp|localtime|localtimestamp|unix_timestamp)\s*\(\s*\)"
    r"|\bcurrent_(?:date|time|timestamp)\b|\b(?:date|time|datetime|julianday)\(\s*'now'",
    re.IGNORECASE,
)
_MACHINE = re.compile(
    r"(?:^|[;&|(`\n]|\b(?:sudo|xargs|exec|then|do|time|watch)\s)\s{0,99}(?:df|free|vmstat|iostat|mpstat|sar|top|lsof|ss|netstat)(?=$|[\s;&|)`])"
    r"|/proc/(?:loadavg|meminfo|stat|uptime|vmstat|diskstats|interrupts|softirqs|schedstat|net/dev)\b"
)
"""Programs and files that show how busy a machine is, or how full."""


def asks_the_clock(gold: str, language: str) -> tuple[str, ...]:
    """Return what in *gold*, code in *language*, asks for the time or the day: programs, variables, functions.

    Two runs soon after each other may show the same, and yet be out of date the day after.
    """
    if language == "sql":
        return tuple(dict.fromkeys(found[0] for found in _SQL_CLOCK.finditer(gold)))
    if language not in ("bash", "python"):
        return ()
    asked = (found for found in _DATE.finditer(gold) if not _GIVEN.search(found[2]))
    dates = [(found[1] + found[2]).strip() for found in asked] if language == "bash" else []
    return tuple(dict.fromkeys([*dates, *(found[0].lstrip(";&|(`\n \t") for found in _CLOCKS.finditer(gold))]))


def asks_the_machine(gold: str) -> bool:
    """Return whether *gold*, a shell's code, asks how busy or how full the machine is."""
    return _MACHINE.search(gold) is not None
