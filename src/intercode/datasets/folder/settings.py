"""What `task.toml` says, and nothing that it does not know."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from intercode.datasets.folder.paths import inside
from intercode.datasets.formats import criteria as judging
from intercode.datasets.formats.record import kind, toml_of
from intercode.errors import BadDataError
from intercode.sandboxes.base import Limits
from intercode.types import DEFAULT_WORLD, NO_CRITERIA, SCORINGS, Criteria, Scoring

NAME = "task.toml"
"""The file that makes a folder a task of one's own."""

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
SIZE = re.compile(r"(\d+)\s*([KMG]?)(?:i?B)?")
SIZES = ("memory", "disk", "output")
"""The limits that are sizes, and may be written like `512 MB`."""

SWITCHES = ("network", "tracing")
"""The limits that are true or false, and stand among the other keys."""

LONGEST, MOST = 1_000_000, 1 << 50
"""Seconds, and bytes or numbers, that no machine has: more would be no limit."""


@dataclass(frozen=True, slots=True)
class FolderSettings:
    """A `task.toml`.

    `world` is a world's name, or a Python file inside the folder; `image` is "" where the file names none. `query` and
    `gold` are the columns of the tasks' file that hold these. The keys `network` and `tracing` belong to `limits`:
    whether the agent's programs reach a network, and trace each other. `criteria` are those of every task.
    """

    world: str = DEFAULT_WORLD
    image: str = ""
    scoring: Scoring = "exact"
    limits: Limits | None = None
    query: str = "query"
    gold: str = "gold"
    criteria: Criteria = NO_CRITERIA


def read_settings(folder: Path) -> FolderSettings:
    """The settings in *folder*.

    Raises:
        BadDataError: If they are malformed. Names the file and the key.
    """
    path = folder / NAME
    return _Reader(path, toml_of(path)).settings()


@dataclass(frozen=True, slots=True)
class _Reader:
    path: Path
    found: Mapping[str, Any]

    def settings(self) -> FolderSettings:
        self._refuse_unknown(self.found, [*(each.name for each in fields(FolderSettings)), *SWITCHES], "")
        scoring = self._text("scoring", "exact")
        if scoring not in SCORINGS:
            raise self._error("scoring", f"expected {' or '.join(SCORINGS)}, not {scoring!r}")
        texts = {name: self._text(name, default) for name, default in _TEXTS.items()}
        if texts["world"].endswith(".py"):
            inside(self.path.parent, texts["world"], why=f"{self.path}, world")
        return FolderSettings(
            scoring="paper" if scoring == "paper" else "exact",
            limits=self._limits(),
            criteria=self._criteria(texts["world"]),
            **texts,
        )

    def _criteria(self, world: str) -> Criteria:
        try:
            return judging.criteria(self.found.get("criteria"), world)
        except ValueError as error:
            raise self._error("criteria", str(error)) from error

    def _limits(self) -> Limits | None:
        given, switches = self.found.get("limits", {}), {name: self.found.get(name, False) for name in SWITCHES}
        for name, value in switches.items():
            if not isinstance(value, bool):
                raise self._error(name, f"expected true or false, not {kind(value)}")
        if not isinstance(given, dict):
            raise self._error("limits", f"expected a table, not {kind(given)}")
        self._refuse_unknown(given, [each.name for each in fields(Limits) if each.name not in SWITCHES], "limits.")
        if not given and not any(switches.values()):
            return None
        return Limits(**switches, **{name: self._limit(name, value) for name, value in given.items()})

    def _limit(self, name: str, value: object) -> Any:
        read: Callable[[object], float | None] = _size if name in SIZES else _number
        found = read(value)
        most = LONGEST if name == "seconds" else MOST
        if found is None or not 0 < found <= most or (name != "seconds" and found != int(found)):
            hint = "a size such as 268435456 or '256 MB'" if name in SIZES else f"a number above 0, at most {most:,}"
            raise self._error(f"limits.{name}", f"expected {hint}, not {value!r}")
        return found

    def _text(self, name: str, default: str) -> str:
        value = self.found.get(name, default)
        if not isinstance(value, str) or (name in self.found and not value.strip()):
            raise self._error(name, f"expected a string, not {kind(value) if value != '' else 'empty'}")
        return value

    def _refuse_unknown(self, found: Mapping[str, Any], known: list[str], prefix: str) -> None:
        if unknown := [name for name in found if name not in known]:
            raise BadDataError(f"{self.path}: no key is called {prefix}{unknown[0]!r}; there are: {', '.join(known)}")

    def _error(self, key: str, what: str) -> BadDataError:
        return BadDataError(f"{self.path}, {key}: {what}")


_TEXTS = {"world": DEFAULT_WORLD, "image": "", "query": "query", "gold": "gold"}


def _number(value: object) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _size(value: object) -> float | None:
    match = SIZE.fullmatch(value.strip().upper().replace("IB", "B")) if isinstance(value, str) else None
    return int(match[1]) * UNITS[match[2]] if match else _number(value)
