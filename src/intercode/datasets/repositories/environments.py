"""What the tests of a repository need, by its version: an image, a set-up script, and how tests are run.

A file says so in TOML, a table for each repository; what a version has otherwise stands in `versions`:

    ["owner/name"]
    runner = "pytest"                       # or unittest, with `script` for a program of its own that uses it
    setup = "setup.sh"                      # run once, as root, before the repository is there
    network = "pypi.org"                    # what set-up and installation reach; without it nothing
    install = "python3 -m pip install -e ." # run in the repository, for each task
    ["owner/name".versions."2.0"]
    image = "owner-2.0.tar"                 # a root file system, in place of the data set's
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any

from intercode.datasets.repositories.layers import (
    PYTEST,
    RepositoryLayer,
    check_out_layer,
    no_repository_layer,
    pytest_layers,
)
from intercode.datasets.repositories.test_spec import TestSuite
from intercode.errors import BadDataError, UserError
from intercode.util.regular_files import read_text
from intercode_sandbox import images
from intercode_sandbox.images import Image, Layer
from intercode_sandbox.images.files_layer import FilesLayer
from intercode_sandbox.images.script_layer import ScriptLayer
from intercode_sandbox.network.hosts import NONE, NetworkPolicy, public_policy

WHEELS = "/opt/wheels"
"""Where the files of `wheels` lie."""

_OWN_KINDS: Mapping[str, tuple[type | UnionType, str]] = {
    "pytest": (bool, "true or false"),
    "env": (dict, "a table of texts"),
    "network": (str | list, "none, allow, or hosts"),
}

_BY_NAME = frozenset({"host", "debian", "ubuntu", "python", "docker"})
"""What an image's name begins with, before a colon; any other is a path beside the file."""

_RUNNING = frozenset({"runner", "script", "arguments"})
"""Settings that say how tests are run; they go together."""

KNOWN = {
    "django/django": {
        "runner": "unittest",
        "script": "tests/runtests.py",
        "arguments": ["--settings=test_sqlite", "--parallel=1"],
    }
}
"""What is known without a file: whose tests are not run by pytest."""


@dataclass(frozen=True, slots=True)
class Environment:
    """One version of one repository. `setup` and `install` are scripts for bash, as text, with the `network` or none.

    `image` replaces the one that tasks stand on ("" for none), `{id}` in it is the task's own name; `env` are variables
    for all commands; what is in the folder `wheels` lies in /opt/wheels; with `pytest` our own pytest is brought along.
    """

    suite: TestSuite
    image: str = ""
    setup: str = ""
    install: str = ""
    network: NetworkPolicy = NONE
    wheels: Path | None = None
    pytest: bool = False
    env: tuple[tuple[str, str], ...] = ()

    def task_image(self, base: Image, name: str, repository: RepositoryLayer) -> Image:
        """Return the image for a task called *name*.

        What is shared by all of this version first, then the repository.
        """
        base = images.find(self.image.replace("{id}", name)) if self.image else base
        env = dict(self.env)
        if self.pytest:
            env["PYTHONPATH"] = ":".join(filter(None, (PYTEST, env.get("PYTHONPATH"))))
        layers: list[Layer] = []
        if self.pytest:
            layers += pytest_layers()
        if self.wheels is not None:
            layers.append(_wheels_layer(self.wheels))
        if self.setup:
            layers.append(self._script(self.setup, {**base.env, **env}, f"the set-up of {repository.source.repo}"))
        layers += [no_repository_layer(), repository, check_out_layer()]
        if self.install:
            script = f"set -e\ncd /testbed\n{self.install}"
            layers.append(self._script(script, {**base.env, **env}, f"{repository.source.repo}, installed"))
        return base.with_layers(*layers, name=f"{base.name}+{name}", env=env)

    def _script(self, script: str, env: Mapping[str, str], title: str) -> ScriptLayer:
        return ScriptLayer(script, env=env, network=self.network, title=title)


class Environments:
    """All environments of a file (None: only what is known without one).

    Raises:
        BadDataError: If the file is malformed. Names the file and the key.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._found: dict[tuple[str, str], Environment] = {}
        self._described: Mapping[str, Any] = {} if path is None else _read(path)
        self._tables: Mapping[str, Any] = {**KNOWN, **self._described}
        for repo, table in self._tables.items():
            for version in ("", *table.get("versions", {})):
                self.find(repo, version)

    def find(self, repo: str, version: str, record: Mapping[str, Any] | None = None) -> Environment:
        """Return what *version* of *repo* needs: pytest on the data set's image, unless something else is said.

        Settings of a task's own *record* hold where the file does not say how tests are run.
        """
        if (repo, version) not in self._found:
            self._found[repo, version] = self._environment(repo, self._table(repo, version))
        if not record:
            return self._found[repo, version]
        table = self._table(repo, version)
        mine = {name: value for name, value in record.items() if name not in _RUNNING or not _RUNNING & table.keys()}
        return self._environment(repo, {**mine, **table})

    def describes(self, repo: str) -> bool:
        """Return whether the file says something of *repo*."""
        return repo in self._described

    def _table(self, repo: str, version: str) -> dict[str, Any]:
        table = dict(self._tables.get(repo, {}))
        versions = table.pop("versions", {})
        return {**table, **versions.get(version, {})}

    def _environment(self, repo: str, table: Mapping[str, Any]) -> Environment:
        suite_names = {field.name for field in fields(TestSuite)}
        own_names = {field.name for field in fields(Environment)} - {"suite"}
        if unknown := sorted(table.keys() - suite_names - own_names):
            known = ", ".join(sorted(suite_names | own_names | {"versions"}))
            raise BadDataError(f"{self.path}: {repo!r} has no use for {', '.join(unknown)}; it takes: {known}")
        suite = TestSuite(
            **{name: _check_value(self.path, repo, name, table[name]) for name in suite_names & table.keys()}
        )
        own = {name: self._own(repo, name, table[name]) for name in own_names & table.keys()}
        return Environment(suite, **own)

    def _own(self, repo: str, name: str, value: object) -> Any:
        kind, description = _OWN_KINDS.get(name, (str, "a string"))
        if not isinstance(value, kind):
            raise BadDataError(f"{self.path}: {repo!r}: {name} should be {description}")
        if isinstance(value, dict):
            return tuple((str(variable), str(text)) for variable, text in value.items())
        if name == "network":
            try:
                return public_policy(value)
            except UserError as error:
                raise BadDataError(f"{self.path}: {repo!r}: network: {error}") from error
        beside = self.path.parent / str(value) if self.path is not None else Path(str(value))
        if name == "setup" or (name == "install" and beside.is_file()):
            return _script(beside, self.path, repo)
        if name == "wheels":
            return beside
        is_file = name == "image" and str(value).partition(":")[0] not in _BY_NAME
        return str(beside) if is_file else value


def _read(path: Path) -> Mapping[str, Any]:
    try:
        found = tomllib.loads(read_text(path))
    except OSError as error:
        raise BadDataError(f"{path}: it cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise BadDataError(f"{path} is not TOML: {error}") from error
    for repo, table in found.items():
        if not _is_table(table) or not all(map(_is_table, table.get("versions", {}).values())):
            raise BadDataError(
                f'{path}: expected a table for each repository (["owner/name"]), and one for each of its versions '
                f'(["owner/name".versions."1.0"]); {repo!r} has something else'
            )
    return found


def _is_table(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("versions", {}), dict)


def _check_value(path: Path | None, repo: str, name: str, value: Any) -> Any:
    """Return a value of `Suite`, lists as tuples."""
    kinds: Mapping[str, Any] = {"arguments": list, "path": list, "seconds": int | float, "controls": bool}
    if not isinstance(value, kinds.get(name, str)) or (name == "runner" and value not in ("pytest", "unittest")):
        raise BadDataError(f"{path}: {repo!r}: {name} cannot be {value!r}")
    return tuple(map(str, value)) if isinstance(value, list) else value


def _script(place: Path, path: Path | None, repo: str) -> str:
    try:
        return read_text(place)
    except OSError as error:
        raise BadDataError(f"{path}: {repo!r}: the script {place} cannot be read: {error.strerror}") from error


@cache
def _wheels_layer(folder: Path) -> FilesLayer:
    found = {f"{WHEELS}/{path.name}": path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}
    return FilesLayer(found, title=f"the files of {folder}")
