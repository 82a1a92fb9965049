"""A package, module, file or folder with an environment of verifiers: of 0.4, or with the `load_environment` of 0.1."""

from __future__ import annotations

import importlib
import sys
from importlib.util import find_spec
from pathlib import Path

from intercode.integrations.peers.base import Peer

OLD = (
    "{} has a load_environment, as verifiers 0.1 wants it, and the verifiers that is installed has none: "
    "pip install 'verifiers<0.2'"
)


def open_peer(name: str) -> Peer:
    """Open what is called *name*. Its code is run."""
    path = Path(name)
    if path.exists():
        folder = path if path.is_dir() else path.parent
        sys.path[:0] = [str(each.resolve()) for each in (folder / "src", folder) if each.is_dir()]
        name = path.stem if path.suffix == ".py" else _module_in(path)
    module = importlib.import_module(name.rsplit("/", 1)[-1].split("@", 1)[0].replace("-", "_").lower())
    if hasattr(module, "load_environment"):
        if find_spec("verifiers.envs") is None:
            raise SystemExit(OLD.format(name))
        from intercode.integrations.peers.verifiers_classic import ClassicPeer

        return ClassicPeer(module)
    from intercode.integrations.peers.verifiers_env import open_taskset

    return open_taskset(name)


def _module_in(folder: Path) -> str:
    """Return the module in *folder* that uses verifiers: the one called as the folder, if there are several."""
    found = [
        path.parent.name if path.name == "__init__.py" else path.stem
        for pattern in ("*.py", "*/__init__.py", "src/*/__init__.py", "src/*.py")
        for path in sorted(folder.glob(pattern))
        if any(_names_verifiers(each) for each in (path.parent.glob("*.py") if path.name == "__init__.py" else [path]))
    ]
    own = folder.resolve().name.replace("-", "_")
    if not found:
        raise SystemExit(f"{folder} has no module that imports verifiers")
    return own if own in found else found[0]


def _names_verifiers(path: Path) -> bool:
    return "verifiers" in path.read_text(encoding="utf-8", errors="replace")
