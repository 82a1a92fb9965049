"""Data sets: WHAT is asked."""

from __future__ import annotations

from os import PathLike, fspath
from os.path import exists, isdir  # unlike Path's, they stand every string
from pathlib import Path
from typing import Any

from intercode import registry
from intercode.datasets.base import Dataset, Subset
from intercode.datasets.folder import installed_folders, is_own
from intercode.datasets.formats import SUFFIXES, ending
from intercode.datasets.settings.option_types import check_types
from intercode.errors import UnknownNameError
from intercode_sandbox.util.text import did_you_mean, sentences

__all__ = ["Dataset", "load", "names", "plugin"]


OWN = ("files", "harbor-folder", "hugging-face", "database-folder", "task-folder")
"""The plug-ins that read what a user names by its path, or by its name at the Hugging Face hub."""

HUB = "hf:"
"""What names at that hub begin with."""


def names() -> list[str]:
    """Return the data sets that have a name, sorted; files and folders of one's own are named by their path."""
    return sorted({*(name for name in registry.names("datasets") if name not in OWN), *installed_folders()})


def plugin(spec: str) -> str:
    """Return the name, at the registry, of the plug-in that reads *spec*.

    Raises:
        UnknownNameError: If no plug-in does; the message lists the names that exist.
    """
    if spec.endswith(".py"):
        return spec
    if spec.startswith(HUB):
        return "hugging-face"
    if not is_path(spec):
        return _first(spec)
    if spec not in installed_folders() and registry.find("datasets", "harbor-folder").reads(spec):
        return "harbor-folder"
    if is_own(spec):
        return "task-folder"
    if isdir(spec):
        return "database-folder"
    if "/" in spec or ending(Path(spec)) in SUFFIXES or exists(spec):
        return "files"
    raise UnknownNameError(
        sentences(
            f"no data set called {spec!r}; there are: {', '.join(names())}, and files ({', '.join(SUFFIXES)}; or .gz), "
            "Python file with a class (.py), folder of databases, or folder with a task.toml (intercode new makes one)",
            did_you_mean(spec, names()),
        )
    )


def is_path(spec: str) -> bool:
    """Return whether *spec* is the path of a data set of the user's own, and not a name."""
    if spec.startswith(HUB):
        return False
    return spec.endswith(".py") or _first(spec) in OWN or _first(spec) not in registry.names("datasets")


def load(spec: str | PathLike[str], **options: Any) -> Dataset:
    """Load a data set.

    Args:
        spec: One of

            - a name, `nl2bash`, or a part of one, `nl2bash/fs2` or `mbpp/test`;
            - a file with tasks (`FilesDataset`);
            - a folder with a `task.toml`: a task of one's own (`TaskFolderDataset`);
            - a folder with an `instruction.md`, or with several such folders: Harbor's format (`HarborFolderDataset`);
            - any other folder: databases and SQL tasks (`DatabaseFolderDataset`);
            - a Python file with the class of a data set, which is run, and maybe that of its world;
            - `hf:OWNER/NAME:SPLIT` on the Hugging Face hub, or `hf:./FOLDER`, a folder laid out as one there.
        **options: What the class of the data set takes, e.g. `file_system=1` for NL2Bash, or `query="question"` for a
            file.

    Raises:
        UnknownNameError: If there is no such data set, part or option; the message lists those that exist.
        BadDataError: If something is missing or malformed; the message names the file and the field.
        UserError: If an option has a value of another type than it takes.
    """
    spec = fspath(spec)
    name = plugin(spec)
    if registry.find("datasets", name).__module__.startswith("intercode."):  # others' options may mean something else
        check_types(options)
    whole: Dataset = registry.create("datasets", name, *((spec,) if name in OWN else ()), **options)
    if whole.world not in registry.names("envs") and registry.is_in_file("envs", spec):
        whole.world = spec  # the file that the data set is in holds its world, too
    part = "" if name in (*OWN, spec) else spec.partition("/")[2].strip("/")
    if not part:
        return whole
    return whole.splits[part] if part in whole.splits else Subset(whole, f"{whole.name}/{part}")


def _first(spec: str) -> str:
    return spec.partition("/")[0].replace("_", "-")
