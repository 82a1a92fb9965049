"""A sweep: one file that plans many runs, every combination of some settings, and goes on where it was stopped."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from json import dumps
from os import PathLike
from pathlib import Path
from typing import Any

import msgspec

from intercode import registry, rewards
from intercode.env.dataset_choice import dataset_and_world
from intercode.errors import BadDataError
from intercode.models.core import keys
from intercode.runs.settings import Settings, names
from intercode.util.decoding import ready
from intercode.util.regular_files import read_text

PARTS = ("out", "parallel", "run", "grid", "runs")

PLUGINS = {"agent": "agents", "world": "envs", "sandbox": "sandboxes"}
"""Settings whose values are names of plug-ins, checked before anything is played."""

OPTIONS = ("agent_options", "model_options")
"""Settings that are options of a plug-in, which are texts."""


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """One run of a sweep.

    Attributes:
        name: Its folder's name.
        given: The settings that the file gives it.
    """

    name: str
    given: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Sweep:
    """All runs of a sweep's file, in order.

    Attributes:
        out: The folder in which each run has its own.
        parallel: Episodes at a time.
        runs: The runs.
    """

    out: Path
    parallel: int
    runs: tuple[PlannedRun, ...]

    def path(self, planned: PlannedRun) -> Path:
        """Return the folder of one of its runs."""
        return self.out / planned.name


def read(path: str | PathLike[str]) -> Sweep:
    """Read the sweep in a TOML file.

    `[run]` holds settings of all runs, named as in a run's manifest, `[grid]` lists of values of which each combination
    becomes a run, `[[runs]]` further runs, `out` the folder (else `runs/NAME OF THE FILE`), `parallel` how many
    episodes are played at a time.

    Raises:
        BadDataError: If the file is wrong; the message says where.
        UserError: If it holds a key.
        UnknownNameError: If it names a plug-in that does not exist.
    """
    path = Path(path)
    try:
        found = tomllib.loads(read_text(path))
    except OSError as error:
        raise BadDataError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise BadDataError(f"cannot read {path}: {error}") from error
    try:
        return _sweep(path, found)
    except (BadDataError, msgspec.ValidationError) as error:
        raise BadDataError(f"{path}: {error}") from error


def _sweep(path: Path, found: Mapping[str, Any]) -> Sweep:
    if unknown := sorted(found.keys() - set(PARTS)):
        raise BadDataError(f"no part called {' or '.join(map(repr, unknown))}; there are: {', '.join(PARTS)}")
    if not found.keys() & {"run", "grid", "runs"}:
        raise BadDataError("it holds no run: write [run] for one, [grid] for combinations, or [[runs]]")
    common, grid = _table(found, "run"), _table(found, "grid")
    extra = msgspec.convert(found.get("runs", []), list[dict[str, Any]])
    combined = _combinations(grid) if grid or not extra else []
    varying = {name for name, values in grid.items() if len(values) > 1}
    planned = [_plan_run(common, chosen, name_of(chosen, varying)) for chosen in combined]
    planned += [_plan_run(common, chosen, str(chosen.get("name") or name_of(chosen))) for chosen in extra]
    if doubled := sorted({each.name for each in planned if [one.name for one in planned].count(each.name) > 1}):
        raise BadDataError(f"several runs would be called {', '.join(doubled)}: give them a `name`")
    parallel = msgspec.convert(found.get("parallel", 1), int)
    if parallel < 1:
        raise BadDataError(f"parallel starts at 1, not {parallel}: so many episodes are played at a time")
    out = Path(msgspec.convert(found.get("out", f"runs/{path.stem}"), str))
    return Sweep(out, parallel, tuple(planned))


def _table(found: Mapping[str, Any], part: str) -> dict[str, Any]:
    return msgspec.convert(found.get(part, {}), dict[str, Any])


def _combinations(grid: Mapping[str, Any]) -> list[dict[str, Any]]:
    for name, values in grid.items():
        if not isinstance(values, list) or not values:
            raise BadDataError(f"[grid] {name} should be a list of values")
    return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]


def _plan_run(common: Mapping[str, Any], chosen: Mapping[str, Any], called: str) -> PlannedRun:
    own = {key: value for key, value in chosen.items() if key != "name"}
    given = {**common, **own}
    if unknown := sorted(given.keys() - set(names())):
        raise BadDataError(f"no setting called {' or '.join(map(repr, unknown))}; there are: {', '.join(names())}")
    if isinstance(world := given.get("world"), str):
        given |= dataset_and_world(given.get("dataset"), world)
        given = {name: value for name, value in given.items() if value is not None}
    given |= {name: _texts(given[name]) for name in OPTIONS if isinstance(given.get(name), Mapping)}
    settings = msgspec.convert(given, ready(Settings))
    keys.refuse_as_option(settings.model_options)  # here already: they may be a part of the run's name
    for setting, kind in PLUGINS.items():
        if setting in given:
            registry.find(kind, given[setting])
    if "reward" in given:
        rewards.find(given["reward"])
    if "agent" in given and not settings.model and registry.find("agents", settings.agent).needs_model:
        raise BadDataError(f'the agent {settings.agent} asks a model: name one, model = "NAME"')
    plain = {name: getattr(settings, name) for name in given or ("dataset",)}  # without any it would be a resume
    return PlannedRun(_word(called) if "name" in chosen else called, plain)


def _texts(options: Mapping[str, Any]) -> dict[str, str]:
    """Return *options* as the command line has them: `temperature = 0.5` says the same as `temperature = "0.5"`."""
    return {name: value if isinstance(value, str) else dumps(value) for name, value in options.items()}


def name_of(chosen: Mapping[str, Any], varying: Collection[str] | None = None) -> str:
    """Name a run by its settings: `agent=react,turns=10`.

    Args:
        chosen: The run's own settings.
        varying: The settings that the name holds. None: all.
    """
    named = {name: value for name, value in chosen.items() if varying is None or name in varying}
    parts = [f"{name}={_word(value)}" for name, value in named.items()]
    return ",".join(parts) or "run"


def _word(value: object) -> str:
    """Return *value* as a part of a file's name."""
    if isinstance(value, Mapping):
        return "+".join(f"{name}-{_word(each)}" for name, each in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "+".join(map(_word, value))
    return re.sub(r"[^\w.+-]+", "-", str(value)).strip("-.") or "none"
