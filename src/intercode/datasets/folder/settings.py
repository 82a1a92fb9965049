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
from intercode.datasets.settings.kept_paths import kept_paths
from intercode.errors import BadDataError, UserError
from intercode.types import DEFAULT_WORLD, NO_CRITERIA, SCORINGS, Criteria, Scoring
from intercode_sandbox.network.hosts import NONE, NetworkPolicy, public_policy
from intercode_sandbox.sandbox import Limits

NAME = "task.toml"
"""The file that makes a folder a task of one's own."""

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
SIZE = re.compile(r"(\d+)\s*([KMG]?)(?:i?B)?")
SIZES = ("memory", "disk", "output")
"""The limits that are sizes, and may be written like `512 MB`."""

OTHERS = ("network", "tracing", "judging")
"""The limits that are no sizes or numbers: `network` and `tracing` stand among the other keys."""

LONGEST, MOST = 1_000_000, 1 << 50
"""Seconds, and bytes or numbers, that no machine has: more would be no limit."""


@dataclass(frozen=True, slots=True)
class FolderSettings:
    """A `task.toml`.

    `world` is a world's name, or a Python file inside the folder; `image` is "" where the file names none. `query`,
    `gold` and `golds` are the columns of the tasks' file that hold these; `golds` is a list of which each is right. The
    keys `network` and `tracing` belong to `limits`: what the agent's programs reach, and whether they trace each other.
    `verifier_network` is what programs that judge reach.
    `criteria` are those of every task. `keep` are paths of the system that are the agent's work, though programs that
    judge read them.
    """

    world: str = DEFAULT_WORLD
    image: str = ""
    scoring: Scoring = "exact"
    limits: Limits | None = None
    query: str = "query"
    gold: str = "gold"
    golds: str = "golds"
    criteria: Criteria = NO_CRITERIA
    keep: tuple[str, ...] = ()
    verifier_network: NetworkPolicy = NONE


def read_settings(folder: Path) -> FolderSettings:
    """Return the settings in *folder*.

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
        self._refuse_unknown(self.found, [*(each.name for each in fields(FolderSettings)), "network", "tracing"], "")
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
            keep=self._keep(),
            verifier_network=self._network("verifier_network"),
            **texts,
        )

    def _keep(self) -> tuple[str, ...]:
        try:
            return kept_paths(self.found.get("keep", []))
        except ValueError as error:
            raise self._error("keep", str(error)) from error

    def _criteria(self, world: str) -> Criteria:
        try:
            return judging.criteria(self.found.get("criteria"), world)
        except ValueError as error:
            raise self._error("criteria", str(error)) from error

    def _limits(self) -> Limits | None:
        given, tracing, network = (
            self.found.get("limits", {}),
            self.found.get("tracing", False),
            self._network("network"),
        )
        if not isinstance(tracing, bool):
            raise self._error("tracing", f"expected true or false, not {kind(tracing)}")
        if not isinstance(given, dict):
            raise self._error("limits", f"expected a table, not {kind(given)}")
        self._refuse_unknown(given, [each.name for each in fields(Limits) if each.name not in OTHERS], "limits.")
        if not given and not tracing and network == NONE:
            return None
        return Limits(
            tracing=tracing, network=network, **{name: self._limit(name, value) for name, value in given.items()}
        )

    def _network(self, name: str) -> NetworkPolicy:
        try:
            return public_policy(self.found.get(name, NONE))
        except UserError as error:
            raise self._error(name, str(error)) from error

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


_TEXTS = {"world": DEFAULT_WORLD, "image": "", "query": "query", "gold": "gold", "golds": "golds"}


def _number(value: object) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _size(value: object) -> float | None:
    match = SIZE.fullmatch(value.strip().upper().replace("IB", "B")) if isinstance(value, str) else None
    return int(match[1]) * UNITS[match[2]] if match else _number(value)
