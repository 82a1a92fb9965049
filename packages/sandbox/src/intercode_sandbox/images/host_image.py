"""The machine's own programs, without its settings: /usr as it is, read-only, and around it an /etc that we made up.

Nothing has to be fetched, and it shows the tools of the machine it runs on: good for play and for our own tasks, never
for figures to publish. **Not guarded:** everything below /usr, /usr/local with it, can be read in the sandbox.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from intercode_sandbox.errors import ImageError
from intercode_sandbox.images.defaults import ENV, HOSTNAME, HOSTS
from intercode_sandbox.images.digests import recipe_key
from intercode_sandbox.images.files_layer import FilesLayer
from intercode_sandbox.images.image import Image, Layer, LayerBuilder
from intercode_sandbox.util.operating_system import is_linux

MERGED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
"""What is a link into /usr on most machines of today, and a folder beside it on others."""

PROGRAMS = ("usr/bin", "usr/sbin", "usr/lib", "usr/local/bin", "bin", "lib")
"""Folders whose times tell that programs were installed, updated or removed."""

DIRECTORIES = (
    *("dev", "etc", "home/user", "media", "mnt", "opt", "proc", "root", "run/lock", "srv", "sys", "tmp", "usr"),
    *("var/cache", "var/lib", "var/log", "var/mail", "var/spool", "var/tmp"),
)

FILES = {
    "etc/passwd": "root:*:0:0:root:/root:/bin/bash\nuser:*:1000:1000:user:/home/user:/bin/bash\n"
    "nobody:*:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
    "etc/group": "root:*:0:\ntty:*:5:\nuser:*:1000:\nnogroup:*:65534:\n",
    "etc/hostname": f"{HOSTNAME}\n",
    "etc/hosts": HOSTS,
    "etc/resolv.conf": "",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nshadow: files\nhosts: files\n",
    "etc/shells": "/bin/sh\n/bin/bash\n",
    "etc/profile": f"export PATH={ENV['PATH']}\n",
}

LINKS = {"var/run": "/run", "var/lock": "/run/lock", "etc/mtab": "/proc/self/mounts"}


@dataclass(frozen=True)
class HostLayer(Layer):
    """What is made up; *machine* is the root of the machine (another folder in tests)."""

    machine: Path = Path("/")

    def __str__(self) -> str:
        return "this machine's /usr with a made-up /etc"

    @cached_property
    def key(self) -> str:
        """Of the release, of what is made up, and of when programs were last changed.

        Raises:
            ImageError: If this machine's files cannot be read.
        """
        try:
            times = tuple((place, _modified_ns(self.machine / place)) for place in PROGRAMS)
            return recipe_key("host", _text(self.machine / "usr/lib/os-release"), self._files.key, times)
        except OSError as error:
            raise ImageError(f"cannot read this machine's settings for the image `host`: {error}") from error

    def build(self, target: Path, layer_builder: LayerBuilder, below: tuple[Layer, ...]) -> None:
        """Unpack the made-up files."""
        self._files.build(target, layer_builder, below)

    def binds(self) -> Mapping[str, str]:
        """/usr, and those of /bin, /lib and so on that are folders of their own."""
        folders = ("usr", *(name for name in MERGED if _is_folder(self.machine / name)))
        return {str(self.machine / name): f"/{name}" for name in folders}

    @cached_property
    def _files(self) -> FilesLayer:
        folders = tuple(path.lstrip("/") for path in self.binds().values())
        return FilesLayer(
            {**FILES, **dict(_loader_files(self.machine))},
            links={**LINKS, **dict(_links(self.machine))},
            directories=(*DIRECTORIES, *folders),
            owners={"home/user": (1000, 1000)},
        )


def host() -> Image:
    """Return the image `host`.

    Its results depend on the machine, and are labelled so. Elsewhere than on Linux: Debian.
    """
    if not is_linux():
        from intercode_sandbox.images.container_layers import distribution_image
        from intercode_sandbox.images.distribution import PACKAGES

        return distribution_image("host", "debian:bookworm", PACKAGES, recommends=False)
    return Image("host", (HostLayer(),), ENV, HOSTNAME, reproducible=False)


def _loader_files(machine: Path) -> Iterator[tuple[str, bytes]]:
    """Yield where the dynamic loader finds libraries.

    Without its cache, programs with libraries in odd places do not run.
    """
    etc = machine / "etc"
    for path in (etc / "ld.so.cache", etc / "ld.so.conf", *sorted(etc.glob("ld.so.conf.d/*.conf"))):
        if path.is_file():
            yield str(path.relative_to(machine)), path.read_bytes()


def _links(machine: Path) -> Iterator[tuple[str, str]]:
    """/bin → usr/bin and its like, and /etc/alternatives, which /usr/bin/awk and others point into."""
    for path in (*(machine / name for name in MERGED), *sorted(machine.glob("etc/alternatives/*"))):
        if path.is_symlink():
            yield str(path.relative_to(machine)), os.readlink(path)
    if (machine / "usr/lib/os-release").exists():
        yield "etc/os-release", "../usr/lib/os-release"


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _modified_ns(folder: Path) -> int:
    return folder.stat().st_mtime_ns if folder.exists() else 0


def _text(path: Path) -> str:
    return path.read_text("utf-8", "replace") if path.exists() else ""
