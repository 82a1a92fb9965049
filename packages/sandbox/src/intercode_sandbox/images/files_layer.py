"""A layer of files given in memory: small trees, such as the starter tasks' file system or a made-up /etc."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from intercode_sandbox.errors import UserError
from intercode_sandbox.images.digests import recipe_key
from intercode_sandbox.images.image import LONGEST_AGE, UNSET_TIME, Layer, LayerBuilder, age_of
from intercode_sandbox.images.tar_archives import MODES, TarMember, clean, pack, parents
from intercode_sandbox.util.text import pluralize

CREATED = 1704067200
"""2024-01-01 00:00 UTC: the time of everything that is neither given one nor fresh."""

Value = TypeVar("Value")


@dataclass(frozen=True)
class FilesLayer(Layer):
    """Files, symbolic links (path → target) and folders; folders above them are made as needed.

    Paths start at the root, with or without a slash. *modes*, *mtimes* (seconds since the epoch) and *owners* (user and
    group id, as seen inside) are for whichever paths need them: else 644 for files, 755 for folders (as usual for
    /tmp, /var/tmp and /root), root, and a fixed day in 2024. In a *fresh* layer all without a time of their own get
    each session's start, or are older by *ages* (whole seconds). `key` raises UserError for a path that leads out or
    names nothing, and for an age that cannot be kept.
    """

    files: Mapping[str, bytes | str] = field(default_factory=dict)
    _: KW_ONLY
    links: Mapping[str, str] = field(default_factory=dict)
    directories: tuple[str, ...] = ()
    modes: Mapping[str, int] = field(default_factory=dict)
    mtimes: Mapping[str, float] = field(default_factory=dict)
    owners: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    ages: Mapping[str, int] = field(default_factory=dict)
    fresh: bool = False
    title: str = ""

    def __str__(self) -> str:
        return self.title or f"{pluralize(len(self.files), 'file')}"

    @cached_property
    def key(self) -> str:
        """Of the content, names and attributes."""
        return recipe_key("files", self._archive, self.fresh)

    def build(self, target: Path, layer_builder: LayerBuilder, below: tuple[Layer, ...]) -> None:
        """Unpack them from an archive: only the layer builder can give files to the sandbox's users."""
        archive = target.parent / "files.tar"
        archive.write_bytes(self._archive)
        layer_builder.unpack(archive, target)

    @cached_property
    def _archive(self) -> bytes:
        return pack(self._items())

    def _items(self) -> Iterator[TarMember]:
        """All there is, each folder before what is in it and with nothing else between, as `tar` needs for times."""
        files, links = _by_path(self.files), _by_path(self.links)
        folders = {"", *(_path(folder) for folder in self.directories)}
        folders.update(parent for path in (*files, *links, *folders) if path for parent in parents(path))
        modes, mtimes, owners = _by_path(self.modes), _by_path(self.mtimes), _by_path(self.owners)
        ages = _by_path(self.ages)
        _refuse_conflicts(files.keys(), links.keys(), folders, {*modes, *mtimes, *owners, *ages})
        _refuse_ages(ages, mtimes, is_fresh=self.fresh)
        for path in sorted({*files, *links, *folders}, key=lambda path: path.split("/")):
            content = files.get(path)
            yield TarMember(
                path,
                modes.get(path, 0o644 if path in files else MODES.get(path, 0o755)),
                mtimes.get(path, UNSET_TIME + ages.get(path, 0) if self.fresh else CREATED),
                content.encode() if isinstance(content, str) else content,
                links.get(path),
                owners.get(path, (0, 0)),
            )


def _path(path: str) -> str:
    if ".." in path.split("/") or "\0" in path:
        raise UserError(f"{path!r} cannot be a path in a layer: write it without `..` and NUL")
    return clean(path)


def _by_path(values: Mapping[str, Value]) -> dict[str, Value]:
    return {_path(path): value for path, value in values.items()}


def _refuse_ages(ages: Mapping[str, int], mtimes: Mapping[str, float], *, is_fresh: bool) -> None:
    for path, age in ages.items():
        if not is_fresh:
            raise UserError(f"{path} has an age: it is kept in a layer with `fresh=True` alone")
        if path in mtimes or not 0 <= age <= LONGEST_AGE:
            raise UserError(f"{path}: give an age of 0 to {LONGEST_AGE} seconds or a time, not both")
    for path, when in mtimes.items():
        if is_fresh and age_of(int(when * 10**9)) is not None:
            raise UserError(f"{path}: in a fresh layer a time in the first three years since 1970 stands for an age")


def _refuse_conflicts(files: Set[str], links: Set[str], folders: Set[str], described: Set[str]) -> None:
    twice = (files & links) | (files & folders) | (links & folders)
    if twice:
        raise UserError(f"two files of the layer have the same path: {', '.join(sorted(twice))}")
    unknown = described - files - links - folders
    if unknown:
        raise UserError(f"a mode, time or owner is given for missing files: {', '.join(sorted(unknown))}")
