"""The package manager of this machine's distribution, and what it calls the packages that InterCode asks for.

Packages go by Debian's names here. `scripts/setup.sh` runs this file by itself before anything is installed, so it
imports the standard library only.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from types import MappingProxyType

NOWHERE = ""
"""Stands for the name of a package that a distribution does not have."""


@dataclass(frozen=True, slots=True)
class PackageManager:
    """How one family of distributions installs packages.

    `install` is the command as people type it, `unattended` the options for scripts. `names` has, by Debian's name,
    what packages are called here where that differs; with a blank between them if they are several.
    """

    program: str
    install: str
    unattended: str
    distributions: tuple[str, ...]
    become_root: str = "sudo"
    names: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def command(self, packages: Sequence[str], *, unattended: bool = False) -> str:
        """Return the command that installs *packages*, without those that there are not; "" where that leaves none."""
        found = dict.fromkeys(" ".join(self.names.get(name, name) for name in packages).split())
        return " ".join([self.install, *([self.unattended] if unattended else []), *found]) if found else ""


APT = PackageManager("apt-get", "apt-get install", "-y --no-install-recommends", ("debian", "ubuntu"))
MANAGERS = (
    APT,
    PackageManager(
        "dnf",
        "dnf install",
        "-y --setopt=install_weak_deps=False",
        ("fedora", "rhel", "centos"),
        names={
            "uidmap": "shadow-utils",
            "libc6-dev": "glibc-static",
            "python3-venv": "python3",
            "mmdebstrap": NOWHERE,
            "debian-archive-keyring": NOWHERE,
            "mariadb-server-core": "mariadb-server",
            "mariadb-client-core": "mariadb",
            "docker.io": "moby-engine",
        },
    ),
    PackageManager(
        "pacman",
        "pacman -S",
        "--needed --noconfirm",
        ("arch",),
        names={
            "uidmap": "shadow",
            "libc6-dev": "glibc",
            "python3-venv": "python",
            "mmdebstrap": NOWHERE,
            "debian-archive-keyring": NOWHERE,
            "mariadb-server": "mariadb",
            "mariadb-server-core": "mariadb",
            "mariadb-client-core": "mariadb-clients",
            "docker.io": "docker",
        },
    ),
    PackageManager(
        "apk",
        "apk add",
        "--update-cache",
        ("alpine",),
        become_root="doas",
        names={
            "uidmap": "shadow-subids",
            "libc6-dev": "musl-dev",
            "python3-venv": "python3",
            "mmdebstrap": NOWHERE,
            "debian-archive-keyring": NOWHERE,
            "util-linux": "util-linux setpriv",
            "mariadb-server": "mariadb",
            "mariadb-server-core": "mariadb",
            "mariadb-client-core": "mariadb-client",
            "docker.io": "docker",
        },
    ),
)
"""Debian's and Ubuntu's is what the tests run on. The others' names are from their package lists."""

JAMMY = {name: f"{name}-10.6" for name in ("mariadb-server-core", "mariadb-client-core")}
"""Packages of Ubuntu 22.04 whose names have a version."""


def install_command(*packages: str) -> str:
    """What to type on this machine to install *packages* (by Debian's names), for messages that say what is missing."""
    manager = find()
    if manager is None:
        return f"install {' '.join(packages)} by your distribution's means"
    if not (command := manager.command(packages)):
        return f"install {' '.join(packages)} by hand: {_title()} has no package of it"
    return command if os.geteuid() == 0 else f"{manager.become_root} {command}"


@cache
def find() -> PackageManager | None:
    """Return the package manager of this machine, None where it is none of those above."""
    return choose(_os_release())


def choose(release: Mapping[str, str]) -> PackageManager | None:
    """Return the package manager of a distribution with this `os-release`.

    Of one that is not known, the first on the PATH.

    The distribution counts, not the programs that are there: Fedora and Arch package `apt` as well.
    """
    known = (release.get("ID", ""), *release.get("ID_LIKE", "").split())
    for name in known:
        for manager in MANAGERS:
            if name in manager.distributions:
                return replace(manager, names=JAMMY) if release.get("VERSION_CODENAME") == "jammy" else manager
    return next((manager for manager in MANAGERS if shutil.which(manager.program)), None)


def _os_release() -> Mapping[str, str]:
    try:
        return platform.freedesktop_os_release()
    except OSError:  # no Linux, or a bare one
        return {}


def _title() -> str:
    return _os_release().get("NAME", "this system")


def main(packages: Sequence[str]) -> int:
    """Print how to become root, then the command that installs *packages* unattended. 1 where no manager is known."""
    manager = find()
    if manager is None:
        return 1
    print(manager.become_root)
    print(manager.command(packages, unattended=True))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
