"""The published images of NL2Bash and of what was made of it, on a base of one's choice.

What the benchmark's Dockerfile and its first reset leave behind: the file tree of one of four set-up scripts, the
script itself and a `.gitignore` at `/`, a git repository at `/` whose one commit holds all that is not ignored, and no
empty folder anywhere outside what is ignored (`git clean` took them: `/tmp` and `/mnt`, too). Files to which a script
gave a time keep it; all others get the start of each session.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path

from intercode.datasets.sources import SOURCES
from intercode_sandbox.images import Image
from intercode_sandbox.images.files_layer import FilesLayer
from intercode_sandbox.images.root_layers import TarLayer
from intercode_sandbox.images.script_layer import ScriptLayer

FILE_SYSTEMS = (1, 2, 3, 4)

UNSET_AFTER = 1685577600
"""2023-06-01 00:00 UTC: the scripts set no later time than the second before."""

EMPTY = (
    "testbed/dir1/subdir2",
    "testbed/dir2/subdir2/subsubdir1",
    "system/folder3/backup_dbg/backup",
    "system/folder3/temp/temp1/temp",
    "system/folder3/temp/temp1/temp_1",
    "workspace/test",
)
"""Folders that the scripts make and `git clean` removes, for there is no file in them."""

IGNORED = (
    *("bin", "boot", "dev", "etc", "home", "lib", "media", "opt", "proc", "root", "run", "sbin", "srv", "sys", "usr"),
    *("var", ".dockerenv"),
)
"""Names that the repository does not look at, at any depth."""

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

_BUILD = {
    "HOME": "/root",
    "PATH": PATH,
    "TZ": "UTC0",
    "TAR_OPTIONS": "--sort=name --mtime=2023-06-01T00:00:00Z",
    "GIT_AUTHOR_DATE": "2023-06-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2023-06-01T00:00:00Z",
}
"""What builds run with: archives and the commit do not tell when, so they are the same on every machine."""

_CLEAN = b"""
for tree in /testbed /system /workspace /backup; do
    if [ -d $tree ]; then find $tree -mindepth 1 -type d -empty -delete; fi
done
"""

_REPOSITORY = """
set -e
cd /
if command -v git >/dev/null; then
    git config --global user.email intercode@pnlp.org
    git config --global user.name intercode
    git -c init.defaultBranch=master init -q
    git add -A
    git commit -q -m 'initial commit'
    git clean -fdq
else
    rmdir /tmp /mnt 2>/dev/null || true
fi
"""


_UBUNTU_ONLY = ("lib32", "libx32")
"""What stands in `/` of Ubuntu's container image on x86-64 beside what Debian has, and shows in every `ls /`."""


_BASE_LOGS = ("var/log/bootstrap.log", "var/log/wtmp", "var/log/btmp")
_LOGS = (
    *_BASE_LOGS,
    *("var/log/alternatives.log", "var/log/dpkg.log", "var/log/fontconfig.log", "var/log/faillog", "var/log/lastlog"),
    *("var/log/apt/eipp.log.xz", "var/log/apt/history.log", "var/log/apt/term.log"),
)
"""What the recordings saw in /var/log, all of it empty here; `find -mtime` found those of the base image only."""

_BASE_MADE = 1682431560
"""2023-04-25 14:06 UTC: the time of Ubuntu's container image, as recorded listings show it."""


class FileSystemImages:
    """The images of a data set's file systems, made by *make* when first wanted: the same object for equal bases."""

    def __init__(self, make: Callable[[int, Image], Image]) -> None:
        self._make = make
        self._made: list[tuple[int, Image, Image]] = []

    def of(self, file_system: int, base: Image) -> Image:
        """Return that file system on *base*."""
        for known, below, image in self._made:
            if known == file_system and below == base:
                return image
        image = self._make(file_system, base)
        self._made.append((file_system, base, image))
        return image


def script_name(file_system: int) -> str:
    """Return what the published set-up script of that file system is called."""
    return f"setup_nl2b_fs_{file_system}.sh"


def published_image(
    base: Image,
    file_system: int,
    folder: Path,
    *,
    name: str = "nl2bash",
    env: Mapping[str, str] | None = None,
    planted: FilesLayer | None = None,
) -> Image:
    """Return *base* with that file system on top, made from what *folder* holds.

    Its tree as a tar, else its set-up script.

    *name* is the data set's, and *env* what its Dockerfile sets (None: what NL2Bash's does). *planted* files are there
    before the repository is made, so they are committed like all others.
    """
    archive, script = folder / f"fs_{file_system}.tar.gz", folder / script_name(file_system)
    text = script.read_bytes() if script.is_file() else b""
    hostname = sha256(script.name.encode()).hexdigest()[:12]
    tree = TarLayer(archive, unset_after=UNSET_AFTER, remove=EMPTY) if archive.is_file() else _script_layer(text)
    return Image(
        name=f"{base.name}+{name}{'-verified' if planted else ''}-fs{file_system}",
        layers=(
            *base.layers,
            tree,
            _files(script.name, text or _stand_in(script.name), hostname),
            *([planted] if planted else ()),
            ScriptLayer(_REPOSITORY, env=_BUILD, title="the git repository at /"),
            *([_empty(planted)] if planted and planted.directories else ()),
        ),
        env={
            "HOME": "/root",
            "PATH": PATH,
            "HOSTNAME": hostname,
            **({"file_system_version": str(file_system), "script": script.name} if env is None else env),
        },
        hostname=hostname,
        reproducible=base.reproducible,
    )


def _empty(planted: FilesLayer) -> FilesLayer:
    """Return the planted folders once more: making the repository takes those away that are empty."""
    return FilesLayer(directories=planted.directories, fresh=True, title="planted folders")


def _script_layer(script: bytes) -> ScriptLayer:
    return ScriptLayer(b"cd /\n%b\n%b" % (script, _CLEAN), env=_BUILD, fresh=True, title="the published set-up script")


def _files(script: str, text: bytes, hostname: str) -> FilesLayer:
    """Return what the Dockerfile copies to `/`, and what Docker writes into a container's /etc."""
    return FilesLayer(
        {
            script: text,
            ".dockerenv": "",
            ".gitignore": "".join(f"{name}\n" for name in IGNORED),
            "etc/hostname": f"{hostname}\n",
            "etc/hosts": f"127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n172.17.0.2\t{hostname}\n",
            **dict.fromkeys(_LOGS, ""),
        },
        links={name: f"usr/{name}" for name in _UBUNTU_ONLY},
        directories=tuple(f"usr/{name}" for name in _UBUNTU_ONLY),
        modes={script: 0o755, ".dockerenv": 0o755},
        mtimes={name: _BASE_MADE for name in _LOGS if name in _BASE_LOGS},
        fresh=True,
        title=f"{script} and what Docker adds",
    )


def _stand_in(script: str) -> bytes:
    """Return a file of the published script's size, for whoever has the tree alone.

    Globs in `/` find it, and `ls -l`.
    """
    size = next(file.size for file in SOURCES["nl2bash"].files if file.name == script)
    return b"#!/bin/bash\n# stands in for the real one\n".ljust(size - 1, b"#") + b"\n"
