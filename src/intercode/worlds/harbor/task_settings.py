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
from intercode.datasets.settings.kept_paths import kept_paths
from intercode.errors import BadDataError, UserError
from intercode.types import Task
from intercode_sandbox.network.hosts import ALLOW, NONE, NetworkPolicy, public_policy
from intercode_sandbox.sandbox import Limits

NAME, INSTRUCTION, TESTS, SOLUTION = "task.toml", "instruction.md", "tests/test.sh", "solution/solve.sh"

AGENT_SECONDS, VERIFIER_SECONDS = 600.0, 600.0
"""Time limits where `task.toml` has none."""

MEMORY, DISK = 2 << 30, 1 << 30
"""Bytes where `task.toml` does not say: enough to install and to build what tasks are about."""

MODES: Mapping[str, NetworkPolicy] = {"no-network": NONE, "public": ALLOW}
"""Harbor's words for a network of nobody and of everybody."""

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
        verifier_network: What the verifier may reach.
        keep: Paths of the system that are the agent's work, though programs that judge read them.
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
    keep: tuple[str, ...] = ()
    verifier_network: NetworkPolicy = NONE

    @classmethod
    def of(cls, task: Task) -> HarborTask:
        """Return the folder of *task*, which must come from a data set of this world."""
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
    """Return whether *spec* is the path of one task folder."""
    return isfile(join(spec, INSTRUCTION)) and isfile(join(spec, NAME))


def missing(spec: str) -> str:
    """Return what the folder *spec* lacks to be a task, if it has tests, an environment or a solution as tasks do.

    Else "".
    """
    if isfile(join(spec, "task.yaml")) and isfile(join(spec, "run-tests.sh")):
        return f"{NAME} and {INSTRUCTION} (task.yaml is an older format: Harbor converts it)"
    if not any(isfile(join(spec, part)) for part in (TESTS, SOLUTION, "environment/Dockerfile")):
        return ""
    return " and ".join(name for name in (NAME, INSTRUCTION) if not isfile(join(spec, name)))


def task_folders(spec: str) -> list[Path]:
    """Return the task folders in the folder *spec*, or that one itself, sorted by name; empty where there is none."""
    if is_task(spec):
        return [Path(spec)]
    try:
        return sorted(Path(spec, name) for name in os.listdir(spec) if is_task(join(spec, name)))
    except (OSError, ValueError):
        return []


def read_task(folder: Path, *, network: bool = False, verifier_network: bool = True) -> HarborTask:
    """Return the task in *folder*.

    Args:
        folder: Where it is.
        network: Whether its agents have the network that the task gives them.
        verifier_network: Whether its verifier has.

    Raises:
        BadDataError: If it is malformed, or cannot be played here. Says why.
    """
    return _Reader(folder, toml_of(inside(folder, NAME)), network, verifier_network).task()


@dataclass(frozen=True, slots=True)
class _Reader:
    folder: Path
    found: Mapping[str, Any]
    network: bool
    verifier_network: bool

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
            network=self._network("agent") if self.network else NONE,
            tracing=True,  # as in Docker: debuggers work, and programs that look whether one is there see none
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
            keep=self._keep(),
            verifier_network=self._network("verifier") if self.verifier_network else NONE,
        )

    def _keep(self) -> tuple[str, ...]:
        try:
            return kept_paths(self._table("verifier").get("keep", []))
        except ValueError as error:
            raise self._error("verifier.keep", str(error)) from error

    def _network(self, role: str) -> NetworkPolicy:
        """Return what the agent or the verifier may reach: as its own table says, else its environment's.

        Older tasks say `allow_internet`, and one that says nothing is public, as in Harbor.
        """
        name = role if self._table(role).get("network_mode") else "environment"
        table = self._table(name)
        mode = table.get("network_mode") or ("no-network" if table.get("allow_internet") is False else "public")
        if isinstance(mode, str) and mode in MODES:
            return MODES[mode]
        if mode != "allowlist":
            raise self._error(f"{name}.network_mode", f"expected {', '.join(MODES)} or allowlist, not {mode!r:.80}")
        hosts = table.get("allowed_hosts", [])
        try:
            return public_policy(hosts if isinstance(hosts, list) else [hosts])
        except UserError as error:
            raise self._error(f"{name}.allowed_hosts", str(error)) from error

    def _refuse_what_cannot_be(self) -> None:
        environment, verifier = self._table("environment"), self._table("verifier")
        compose = next((name for name in COMPOSE if (self.folder / "environment" / name).exists()), "")
        own_mode = verifier.get("environment_mode") == "separate" or "environment" in verifier
        problems = {
            f"it has no {TESTS}, which judges": not inside(self.folder, TESTS).is_file(),
            "tasks of several steps are not played here": "steps" in self.found,
            f"several services ({compose}) are not played here": bool(compose),
            "its programs are for Windows": str(environment.get("os", "linux")).lower() != "linux",
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
