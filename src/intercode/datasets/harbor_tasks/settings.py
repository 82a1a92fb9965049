"""What a task folder of Harbor's says in `task.toml`, as far as it holds here. What cannot be is refused, not ignored.

TASK/instruction.md         what the agent is asked
     task.toml              time limits, memory, environment variables
     environment/           a Dockerfile and the files that it copies
     tests/test.sh          the verifier: writes /logs/verifier/reward.txt or reward.json
     solution/solve.sh      the gold, if there is one
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from os.path import isfile, join  # unlike Path's, they stand every string
from pathlib import Path
from typing import Any

from intercode.datasets.folder.paths import inside
from intercode.datasets.folder.settings import LONGEST
from intercode.datasets.formats.record import as_text, bytes_of, kind, toml_of
from intercode.errors import BadDataError
from intercode.sandboxes.base import Limits
from intercode.types import Task

NAME, INSTRUCTION, TESTS, SOLUTION = "task.toml", "instruction.md", "tests/test.sh", "solution/solve.sh"

AGENT_SECONDS, VERIFIER_SECONDS = 600.0, 600.0
"""Time limits where `task.toml` has none."""

MEMORY, DISK = 2 << 30, 1 << 30
"""Bytes where `task.toml` does not say: enough to install and to build what tasks are about."""

COMPOSE = ("docker-compose.yaml", "docker-compose.yml", "compose.yaml")


@dataclass(frozen=True, slots=True)
class HarborTask:
    """One task folder. `of` reads it from a task's `extra`; nothing of it is in the agent's sandbox.

    Attributes:
        folder: Where it is.
        agent_seconds: How long an episode may take, the agent's thinking included.
        verifier_seconds: How long the verifier may take.
        limits: What a session may use.
        env: Environment variables of all commands; the verifier and the solution have more of their own.
        workdir: Where commands begin, in place of what the Dockerfile says; "" for that.
        has_solution: Whether there is a gold.
    """

    folder: Path
    agent_seconds: float
    verifier_seconds: float
    limits: Limits
    env: Mapping[str, str]
    verifier_env: Mapping[str, str]
    solution_env: Mapping[str, str]
    workdir: str
    has_solution: bool
    category: str
    difficulty: str

    @classmethod
    def of(cls, task: Task) -> HarborTask:
        """The folder of *task*, which must come from a data set of this world."""
        found = task.extra.get("harbor")
        if not isinstance(found, cls):
            raise BadDataError(
                f"{task.id} is not a task folder of Harbor's: name one, or a folder of them, as the data set"
            )
        return found

    @property
    def query(self) -> str:
        """The instruction."""
        path = inside(self.folder, INSTRUCTION)
        return as_text(bytes_of(path), path).strip()


def is_task(spec: str) -> bool:
    """Whether *spec* is the path of one task folder."""
    return isfile(join(spec, INSTRUCTION)) and isfile(join(spec, NAME))


def task_folders(spec: str) -> list[Path]:
    """The task folders in the folder *spec*, or that one itself, sorted by name; empty where there is none."""
    if is_task(spec):
        return [Path(spec)]
    try:
        return sorted(Path(spec, name) for name in os.listdir(spec) if is_task(join(spec, name)))
    except (OSError, ValueError):
        return []


def read_task(folder: Path, *, network: bool = False) -> HarborTask:
    """The task in *folder*; *network*: whether its sessions have one, where the task says that it is public.

    Raises:
        BadDataError: If it is malformed, or cannot be played here. Says why.
    """
    return _Reader(folder, toml_of(inside(folder, NAME)), network).task()


@dataclass(frozen=True, slots=True)
class _Reader:
    folder: Path
    found: Mapping[str, Any]
    network: bool

    def task(self) -> HarborTask:
        self._refuse_what_cannot_be()
        environment = self._table("environment")
        seconds = self._number("agent", "timeout_sec") or AGENT_SECONDS
        limits = Limits(
            seconds=seconds,
            memory=self._size(environment, "memory") or MEMORY,
            processes=1024,
            disk=self._size(environment, "storage") or DISK,
            inodes=1 << 18,
            network=self.network and self._network_mode() == "public",
        )
        return HarborTask(
            folder=self.folder.resolve(),
            agent_seconds=seconds,
            verifier_seconds=self._number("verifier", "timeout_sec") or VERIFIER_SECONDS,
            limits=limits,
            env=self._env("environment"),
            verifier_env=self._env("verifier"),
            solution_env=self._env("solution"),
            workdir=str(environment.get("workdir") or ""),
            has_solution=inside(self.folder, SOLUTION).is_file(),
            category=str(self._table("metadata").get("category") or ""),
            difficulty=str(self._table("metadata").get("difficulty") or ""),
        )

    def _network_mode(self) -> str:
        """What the agent may reach; older tasks say `allow_internet`."""
        environment = self._table("environment")
        usual = "no-network" if environment.get("allow_internet") is False else "public"
        return str(self._table("agent").get("network_mode") or environment.get("network_mode") or usual)

    def _refuse_what_cannot_be(self) -> None:
        environment, verifier = self._table("environment"), self._table("verifier")
        compose = next((name for name in COMPOSE if (self.folder / "environment" / name).exists()), "")
        own_mode = verifier.get("environment_mode") == "separate" or "environment" in verifier
        problems = {
            f"it has no {TESTS}, which judges": not inside(self.folder, TESTS).is_file(),
            "tasks of several steps are not played here": "steps" in self.found,
            f"several services ({compose}) are not played here": bool(compose),
            "its programs are for Windows": str(environment.get("os", "linux")).lower() != "linux",
            "a network with a list of allowed hosts is not given here; without network=true it is played with none": (
                self.network and self._network_mode() == "allowlist"
            ),
            "it wants an accelerator": bool(environment.get("gpus") or environment.get("tpu")),
            "it wants MCP servers beside the shell": bool(environment.get("mcp_servers")),
            "it waits for a service to be healthy, and none is started here": "healthcheck" in environment,
            "a verifier in an environment of its own is not played here": own_mode,
            "agent and verifier are root here": any(
                str(self._table(role).get("user") or "root") not in ("root", "0") for role in ("agent", "verifier")
            ),
        }
        for problem, holds in problems.items():
            if holds:
                raise BadDataError(f"{self.folder}: {problem}")

    def _table(self, name: str) -> Mapping[str, Any]:
        value = self.found.get(name, {})
        if not isinstance(value, dict):
            raise self._error(name, f"expected a table, not {kind(value)}")
        return value

    def _number(self, table: str, name: str) -> float | None:
        value = self._table(table).get(name)
        if value is None or (isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= LONGEST):
            return value
        raise self._error(f"{table}.{name}", f"expected a number above 0, at most {LONGEST:,}, not {value!r}")

    def _size(self, environment: Mapping[str, Any], name: str) -> int | None:
        """Bytes, from `memory_mb = 2048` or, as older tasks have it, `memory = "2G"`."""
        value = environment.get(f"{name}_mb", environment.get(name))
        if value is None:
            return None
        units = {"G": 1 << 30, "M": 1 << 20, "K": 1 << 10}
        text = f"{value}M" if isinstance(value, int) and not isinstance(value, bool) else str(value).strip().upper()
        try:
            found = int(float(text[:-1]) * units[text[-1:]])
        except (KeyError, ValueError, OverflowError):
            found = 0
        if found <= 0:
            raise self._error(f"environment.{name}", f"expected a size such as 2048 (megabytes), not {value!r}")
        return found

    def _env(self, table: str) -> Mapping[str, str]:
        found = self._table(table).get("env", {})
        if not isinstance(found, dict):
            raise self._error(f"{table}.env", f"expected a table, not {kind(found)}")
        for name, value in found.items():
            if "${" in str(value):
                raise self._error(
                    f"{table}.env.{name}", f"variables of this machine ({value}) go into no sandbox: write the value"
                )
        return {name: str(value) for name, value in found.items()}

    def _error(self, key: str, what: str) -> BadDataError:
        return BadDataError(f"{self.folder / NAME}, {key}: {what}")
