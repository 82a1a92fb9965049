"""Where folders of one's own are: given by path, or installed with a package.

A package that holds such a folder as one of its own packages names it in the entry point group `intercode.worlds`:

    [project.entry-points."intercode.worlds"]
    knots = "my_package.knots"
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from os.path import isfile, join  # unlike Path's, they stand every string
from pathlib import Path

from intercode.datasets.folder.settings import NAME
from intercode.errors import BadDataError

GROUP = "intercode.worlds"


@cache
def installed_folders() -> dict[str, str]:
    """Names of the folders that packages brought, and the package that each of them is. Nothing is imported."""
    return {point.name: point.value for point in entry_points(group=GROUP)}


def is_own(spec: str) -> bool:
    """Return whether *spec* is a folder with a `task.toml`, or the name of an installed one."""
    return spec in installed_folders() or isfile(join(spec, NAME))


def place_of(spec: str) -> Path:
    """Return the folder that *spec*, a path or an installed name, stands for.

    Raises:
        BadDataError: If a package holds none.
    """
    if spec not in installed_folders() or Path(spec, NAME).is_file():
        return Path(spec)
    package = installed_folders()[spec]
    try:
        found = find_spec(package)
    except ImportError as error:
        raise BadDataError(f"the installed world {spec!r} should be the package {package}: {error}") from error
    places = [Path(place) for place in (found.submodule_search_locations or ())] if found else []
    folder = next((place for place in places if (place / NAME).is_file()), None)
    if folder is None:
        raise BadDataError(f"the installed world {spec!r} should be the package {package}, with a {NAME} in its folder")
    return folder
