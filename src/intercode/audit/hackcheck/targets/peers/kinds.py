"""Which framework a name means: `verifiers:NAME`, `inspect:FILE.py@TASK` and `gymnasium:MODULE:ID`, or what shows it.

Nothing is imported for that: files are read as Python.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from intercode.util.regular_files import read_bytes

PACKAGES = {"verifiers": "verifiers", "inspect": "inspect-ai", "gymnasium": "gymnasium"}
"""For each kind, what `pip install` calls its package."""

MISSING = "missing package: "

LARGEST = 1 << 20
"""Bytes of a file that is looked at."""

_GYMNASIUM = re.compile(r"(?:[\w./-]+:)?(?:[\w-]+/)?[\w-]+-v\d+")
"""An environment's id, perhaps with the module that registers it."""


@dataclass(frozen=True, slots=True)
class PeerName:
    """A framework, and what it calls an environment or a task."""

    kind: str
    name: str

    @property
    def spec(self) -> str:
        """Return how the command line names it for sure."""
        return f"{self.kind}:{self.name}"

    def explain(self, said: str) -> str:
        """Return why it cannot be opened, with the way out."""
        if said.startswith(MISSING):
            package = PACKAGES[self.kind]
            return f"{self.spec} needs the package {package} in the environment of intercode: pip install {package}"
        return f"{self.spec} cannot be opened: {said}"


def find(spec: str) -> PeerName | None:
    """Return the peer that *spec* names; None for what is a data set's name or path."""
    kind, colon, name = spec.partition(":")
    if colon and kind in PACKAGES and name:
        return PeerName(kind, name)
    if ".py@" in spec or spec.startswith("inspect_evals/"):
        return PeerName("inspect", spec)
    if _GYMNASIUM.fullmatch(spec) and not Path(spec).exists():
        return PeerName("gymnasium", spec)
    return _of_path(Path(spec))


def _of_path(path: Path) -> PeerName | None:
    """Return the peer whose code is at *path*, or is the module of that name."""
    if path.suffix == ".py":
        return _of_file(path, str(path))
    if path.is_dir() and not (path / "task.toml").exists():
        packages = [*sorted(path.glob("*/__init__.py")), *sorted(path.glob("src/*/__init__.py"))]
        modules = [*sorted(path.glob("*.py")), *(each for package in packages for each in _modules(package))]
        return next((found for each in modules if (found := _of_file(each, str(path)))), None)
    module = path.name.replace("-", "_")
    if str(path) != path.name or not module.isidentifier():
        return None
    spec = find_spec(module)
    origins = _modules(Path(spec.origin)) if spec is not None and spec.origin else []
    return next((found for each in origins if (found := _of_file(each, str(path)))), None)


def _modules(path: Path) -> list[Path]:
    """Return the file at *path*; of a package's, all its modules: often it only names what these define."""
    return sorted(path.parent.glob("*.py")) if path.name == "__init__.py" else [path]


def _of_file(path: Path, name: str) -> PeerName | None:
    """Return the peer that a file of Python is, by what it imports and defines."""
    try:
        tree = ast.parse(read_bytes(path, most=LARGEST))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None
    imports = {name.partition(".")[0] for node in ast.walk(tree) for name in _imported(node)}
    if "verifiers" in imports:
        return PeerName("verifiers", name)
    return PeerName("inspect", name) if "inspect_ai" in imports else None


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [each.name for each in node.names]
    return [node.module] if isinstance(node, ast.ImportFrom) and node.module and not node.level else []
