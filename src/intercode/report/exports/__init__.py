"""Runs in other people's formats: a file's name is a format's name, as `exports/atif.py` is `--format atif`."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules

from intercode.errors import UnknownNameError, UserError
from intercode.report.export import Export

EXTRAS = {"inspect": "inspect_ai", "parquet": "pyarrow"}
"""Formats that a package writes for us, which the extra of the format's own name brings."""


def names() -> list[str]:
    """Return all formats, sorted."""
    return sorted(module.name for module in iter_modules(__path__) if not module.ispkg)


def find(name: str) -> Export:
    """Return the format called *name*.

    Raises:
        UnknownNameError: If there is none. Lists all.
        UserError: If its package is not installed.
    """
    if name not in names():
        raise UnknownNameError(f"no format called {name!r}; there are: {', '.join(names())}")
    package = EXTRAS.get(name)
    if package and find_spec(package) is None:
        raise UserError(f"the format {name} needs {package}: pip install 'intercode-env[{name}]'")
    found: Export = import_module(f"{__name__}.{name}").EXPORT
    return found
