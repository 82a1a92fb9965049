"""A Python of any version on any base: Debian's or Ubuntu's build of it, with a C library that it can run with.

A distribution has one Python. What asks for another (`FROM python:3.13-slim-bookworm`, `uvx -p 3.13`) gets that of the
release that has it, started by that release's own loader where the base's C library is older.
"""

from __future__ import annotations

import io
import re
import tarfile
import zipfile
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from posixpath import normpath

from intercode_sandbox.errors import ImageError
from intercode_sandbox.images.digests import recipe_key
from intercode_sandbox.images.distribution import DistributionLayer, archive_of
from intercode_sandbox.images.image import Layer, LayerBuilder

RELEASES = {
    "3.10": ("ubuntu", "jammy"),
    "3.11": ("debian", "bookworm"),
    "3.12": ("ubuntu", "noble"),
    "3.13": ("debian", "trixie"),
    "3.14": ("ubuntu", "resolute"),
}
"""The release of a distribution whose Python has that version."""

LIBC = {"focal": 31, "bullseye": 31, "jammy": 35, "bookworm": 36, "noble": 39, "trixie": 41, "resolute": 43}
"""The C library of a release, 2.…: programs run with a newer one than they were built for, and with no older one."""

RECIPE = 1
"""To be raised whenever what is made here changes: it is part of the key."""

LIBRARY = re.compile(r"(?:usr/)?lib/[^/]+-linux-[^/]+/([^/]+\.so(?:\.[^/]*)?)")
LIBC_FILE = re.compile(
    r"(ld-linux.*|ld-2.*|lib(c|m|mvec|pthread|dl|rt|resolv|util|nsl|nss_\w+|anl|thread_db|gcc_s|c_malloc_debug))\.so.*|"
    r"lib(BrokenLocale|memusage|pcprofile)\.so.*"
)
WHEEL = re.compile(r"usr/share/python-wheels/[^/]+\.whl")
DEBIANS_OWN = ("sitecustomize.py", "EXTERNALLY-MANAGED")
"""Files of Debian's library that a Python of python.org has not."""

RESTORED = {
    "sysconfig.py": ((b"'posix_local'\n", b"'posix_prefix'\n"),),
    "sysconfig/__init__.py": ((b"'posix_local'\n", b"'posix_prefix'\n"),),
}
"""Replacements by which packages are installed into `site-packages` again. Debian's `site`, which is compiled in, looks
for them in `dist-packages`: a link to it."""

LAUNCHER = """#!/bin/sh
exec {loader} --argv0 "$0" --library-path {libraries} {libraries}/{name} "$@"
"""

PIP = """#!{python}
import sys
from pip._internal.cli.main import main
sys.exit(main())
"""


@dataclass(frozen=True)
class PythonLayer(Layer):
    """Python *version* (`3.13`) below *prefix*, with pip; `prefix/bin` has `python`, `python3`, `python3.13`, `pip`.

    *base* is the release that it lies on, if that is known. Where its C library is not older than that of the release
    which this Python is from, Python runs with it: libraries of the base, which modules ask for, need it.

    Raises:
        ImageError: For a version that no release in `RELEASES` has.
    """

    version: str
    _: KW_ONLY
    prefix: str = "/usr/local"
    base: str = ""
    source: DistributionLayer = field(init=False)

    def __post_init__(self) -> None:
        if self.version not in RELEASES:
            raise ImageError(f"no archive has Python {self.version}; there are: {', '.join(RELEASES)}")
        name = f"python{self.version}"
        packages = [
            name,
            f"lib{name}-stdlib",
            f"{name}-venv",
            f"lib{name}-dev",
            "python3-pip-whl",
            "python3-setuptools-whl",
        ]
        if self.version in ("3.10", "3.11"):
            packages.append("python3-distutils")
        source = archive_of(*RELEASES[self.version], packages=tuple(packages), recommends=False)
        object.__setattr__(self, "source", replace(source, variant="extract"))

    def __str__(self) -> str:
        return f"Python {self.version}"

    @cached_property
    def key(self) -> str:
        """Of the packages that it is made of, and its place."""
        own = () if self._has_own_libc else ("the base's C library",)
        return recipe_key("python", RECIPE, self.source.key, self.prefix, *own)

    @property
    def _has_own_libc(self) -> bool:
        return LIBC.get(self.base, 0) < LIBC[self.source.suite]

    def build(self, target: Path, layer_builder: LayerBuilder, below: tuple[Layer, ...]) -> None:
        """Fetch the packages and put their files where *prefix* says.

        Raises:
            ImageError: If they cannot be had. Holds the end of what `mmdebstrap` printed.
        """
        archive, made = target.parent / "packages.tar", target.parent / "python.tar"
        self.source.fetch(archive)
        with tarfile.open(archive) as packages, tarfile.open(made, "w") as output:
            loader = self._copy(packages, output)
            self._add_programs(output, loader)
        layer_builder.unpack(made, target)

    @property
    def _libraries(self) -> str:
        return f"{self.prefix}/lib/python{self.version}-libraries"

    def _copy(self, packages: tarfile.TarFile, output: tarfile.TarFile) -> str:
        """Write the files of *packages* that are Python's to *output*. Return the name of the loader."""
        loader, folders = "", set[str]()
        for member in packages:
            name = member.name.removeprefix("./").rstrip("/")
            place = self._place(name)
            if place and re.match(r"ld-linux|ld-\d", Path(place).name):
                loader = max(loader, Path(place).name)
            if place and not self._has_own_libc and LIBC_FILE.fullmatch(Path(place).name):
                continue
            if WHEEL.fullmatch(name) and "/pip-" in name:
                self._unpack_pip(_content(packages, member), output)
            if place is None or member.isdir():
                continue
            for parent in reversed(Path(place).parents):
                _add_folder(output, str(parent), folders)
            entry = _entry(place, member.mode)
            entry.mtime = member.mtime
            if member.issym():
                entry.type, entry.linkname = tarfile.SYMTYPE, member.linkname.rpartition("/")[2]
                output.addfile(entry)
            else:
                data = _content(packages, member)
                for old, new in RESTORED.get(name.removeprefix(f"usr/lib/python{self.version}/"), ()):
                    data = data.replace(old, new)
                entry.size = len(data)
                output.addfile(entry, io.BytesIO(data))
        if not loader:
            raise ImageError(f"{self}: {self.source} has no loader in it")
        return loader

    def _place(self, name: str) -> str | None:
        """Return where a file of the packages comes to lie; None for what Python does not need."""
        own = f"python{self.version}"
        if name == f"usr/bin/{own}":
            return f"{self._libraries}/{own}"
        if name.startswith(f"usr/lib/{own}/"):
            is_unwanted = name.endswith(DEBIANS_OWN) or f"/config-{self.version}" in name
            return None if is_unwanted else f"{self.prefix}/lib/{name.removeprefix('usr/lib/')}"
        if re.match(rf"usr/include/([^/]+-linux-[^/]+/)?{own}/", name):
            return f"{self.prefix}/{name.removeprefix('usr/')}"
        if WHEEL.fullmatch(name):  # from which `python -m venv` takes pip
            return f"/{name}"
        found = LIBRARY.fullmatch(name)
        return f"{self._libraries}/{found[1]}" if found else None

    def _unpack_pip(self, wheel: bytes, output: tarfile.TarFile) -> None:
        with zipfile.ZipFile(io.BytesIO(wheel)) as files:
            for name in files.namelist():
                if not name.endswith("/"):
                    place = f"{self.prefix}/lib/python{self.version}/site-packages/{name}"
                    _add_file(output, place, files.read(name), 0o644)

    def _add_programs(self, output: tarfile.TarFile, loader: str) -> None:
        own, programs = f"python{self.version}", f"{self.prefix}/bin"
        folder = self._libraries if self._has_own_libc else "/lib64" if "x86-64" in loader else "/lib"
        launcher = LAUNCHER.format(libraries=self._libraries, loader=f"{folder}/{loader}", name=own)
        _add_file(output, f"{programs}/{own}", launcher.encode(), 0o755)
        _add_file(output, f"{programs}/pip{self.version}", PIP.format(python=f"{programs}/{own}").encode(), 0o755)
        links = {"python3": own, "python": own, "pip3": f"pip{self.version}", "pip": "pip3"}
        links[f"../lib/{own}/dist-packages"] = "site-packages"
        for link, name in links.items():
            entry = _entry(normpath(f"{programs}/{link}"), 0o777)
            entry.type, entry.linkname = tarfile.SYMTYPE, name
            output.addfile(entry)


def _content(packages: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = packages.extractfile(member)
    return file.read() if file else b""


def _entry(place: str, mode: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(place.lstrip("/"))
    entry.mode, entry.mtime = mode, 1
    return entry


def _add_folder(output: tarfile.TarFile, place: str, known: set[str]) -> None:
    if place not in (".", "/") and place not in known:
        known.add(place)
        entry = _entry(place, 0o755)
        entry.type = tarfile.DIRTYPE
        output.addfile(entry)


def _add_file(output: tarfile.TarFile, place: str, data: bytes, mode: int) -> None:
    entry = _entry(place, mode)
    entry.size = len(data)
    output.addfile(entry, io.BytesIO(data))
