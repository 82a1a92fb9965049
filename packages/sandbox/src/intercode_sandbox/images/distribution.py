"""Debian and Ubuntu, from their archives: what `mmdebstrap` makes of a suite and a list of packages.

Where this is no Linux, the container engine installs the same packages on the images that the registry has of them.

As root it works as it is; an ordinary user needs a range of subordinate user ids (see `intercode doctor`).
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import tarfile
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from intercode_sandbox.errors import ImageError
from intercode_sandbox.images.container_layers import distribution_image
from intercode_sandbox.images.defaults import ENV, HOSTNAME, HOSTS
from intercode_sandbox.images.digests import recipe_key
from intercode_sandbox.images.files_layer import FilesLayer
from intercode_sandbox.images.image import Image, Layer, LayerBuilder
from intercode_sandbox.util import child_process, paths
from intercode_sandbox.util.operating_system import is_linux
from intercode_sandbox.util.system_packages import install_command
from intercode_sandbox.util.text import pluralize

PACKAGES = (
    *("bash", "python3", "psmisc", "bsdmainutils", "cron", "imagemagick", "dnsutils", "git", "tree", "net-tools"),
    *("iputils-ping", "coreutils", "curl", "cpio", "jq"),
    *("procps", "bzip2", "e2fsprogs", "hostname", "ncurses-bin", "mount"),
    "bash-completion-",
)
"""What the published benchmark's image has on top of its base; `mmdebstrap` adds what they depend on and recommend.
Then what Ubuntu's container image holds itself and a minimal Debian lacks (`ps`, `w`, `free`), and, with a minus, what
only Debian recommends."""

DEBIAN_KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
UBUNTU_KEYRING = "/usr/share/keyrings/ubuntu-archive-keyring.gpg"

INSTALL = {
    DEBIAN_KEYRING: "sudo apt-get install debian-archive-keyring, or ",
    UBUNTU_KEYRING: "sudo apt-get install ubuntu-keyring, or ",
}

DPKG_OPTIONS = (
    *("path-exclude=/usr/share/man/*", "path-exclude=/usr/share/locale/*/LC_MESSAGES/*.mo"),
    *("path-exclude=/usr/share/doc/*", "path-include=/usr/share/doc/*/copyright"),
    *("path-include=/usr/share/doc/*/changelog.*", "force-unsafe-io"),
)
"""What Ubuntu's container images, the benchmark's base, leave out; and no waiting for the disk after every package."""

HOOKS = (
    f'printf %s "{HOSTNAME}\n" > "$1/etc/hostname"; chmod 644 "$1/etc/hostname"',
    f'printf %s "{HOSTS}" > "$1/etc/hosts"',
    'rm -f "$1/etc/resolv.conf"; : > "$1/etc/resolv.conf"; chmod 644 "$1/etc/resolv.conf"',
    f'cd "$1/etc"; [ ! -f mailname ] || echo {HOSTNAME} > mailname',
    f'cd "$1/etc/exim4" || exit 0; sed -i "s/^dc_other_hostnames=.*/dc_other_hostnames={HOSTNAME}/" *.conf.conf',
    'find "$1/var/log" -type f -name "*.log" -delete',
)
"""Shell lines run on the finished tree, $1: else this machine's name and name servers would be in it.

The mail server that has that name too is there because cron recommends one.
"""

SUITES = {
    "debian": {"11": "bullseye", "12": "bookworm", "13": "trixie", **dict.fromkeys(("", "latest", "stable"), "trixie")},
    "ubuntu": {"20.04": "focal", "22.04": "jammy", "24.04": "noble", **dict.fromkeys(("", "latest"), "noble")},
}
"""What tags of the two container images mean that are not names of suites themselves, as of November 2026."""

WITHOUT_KEYS = 'sed -i "s|://[^/@ ]*@|://|g" "$1/etc/apt/sources.list"'
"""Run where a mirror is named with a user: what builds on the tree must not find the password."""

LOG_LINES, LOG_WIDTH = 12, 240


def tag_suite(kind: str, tag: str) -> str:
    """Return the suite that the container image *kind* (`debian` or `ubuntu`) has under *tag*.

    `12-slim` means bookworm.

    A tag that is not known comes back without what follows its name.
    """
    tag = re.sub(r"-(slim|backports)$", "", tag)
    tag = re.sub(r"-?\d{8}(\.\d+)?$|(?<=\d)\.\d+$", "", tag) if kind == "debian" else tag
    return SUITES[kind].get(tag, tag)


@dataclass(frozen=True)
class DistributionLayer(Layer):
    """The base system of *suite* with *packages* on top, and with what they recommend, as `apt-get install` has it.

    *mirror* is a URL or a line for sources.list (default: the distribution's own archive, with updates and security
    fixes). *keyring* is the file of keys that the archive must be signed with. The content is that of the day it is
    built: the same key may hold newer packages on another machine.
    """

    suite: str
    packages: tuple[str, ...] = PACKAGES
    _: KW_ONLY
    components: tuple[str, ...] = ("main",)
    mirror: str = ""
    keyring: str = ""
    recommends: bool = True
    variant: str = "minbase"

    def __str__(self) -> str:
        return f"{self.suite} with {pluralize(len(self.packages), 'package')} and what they need"

    @cached_property
    def key(self) -> str:
        """Of the whole recipe and the kind of machine; not of the keyring, which only guards the way."""
        content: tuple[object, ...] = (
            *(self.suite, tuple(sorted(self.packages)), self.components, self.mirror, self.recommends),
            *(() if self.variant == "minbase" else (self.variant,)),
        )
        return recipe_key("distribution", *content, DPKG_OPTIONS, self._hooks, platform.machine())

    def build(self, target: Path, layer_builder: LayerBuilder, below: tuple[Layer, ...]) -> None:
        """Run `mmdebstrap` and unpack its archive.

        Raises:
            ImageError: If it fails. Holds the end of what it printed.
        """
        archive = target.parent / "root.tar"
        self.fetch(archive)
        layer_builder.unpack(archive, target)

    def fetch(self, archive: Path) -> None:
        """Write the tree to *archive*, a tar file.

        Raises:
            ImageError: If `mmdebstrap` fails. Holds the end of what it printed.
        """
        if self.keyring == UBUNTU_KEYRING and not os.path.exists(UBUNTU_KEYRING):
            replace(self, keyring=str(_ubuntu_keys())).fetch(archive)
            return
        _refuse_missing(self)
        log = archive.parent / "log"
        with archive.open("wb") as output, log.open("wb") as errors:
            environment = _environment(archive.parent)  # TERM: it unmounts what it has mounted, and removes its tree
            status = child_process.run(self.command(), stdout=output, stderr=errors, env=environment, signal="TERM")
        if status:
            way_out = "where its archive is what fails, INTERCODE_MIRROR names another (INTERCODE_KEYRING: its keys)"
            raise ImageError(f"mmdebstrap could not build {self.suite}:\n{_end(log)}\n{way_out}")

    def command(self) -> list[str]:
        """The command line; the archive goes to standard output, since an ordinary user's run is another user's."""
        options = [f"--mode={'root' if os.geteuid() == 0 else 'unshare'}", f"--variant={self.variant}", "--format=tar"]
        options += [f"--include={','.join(self.packages)}"] if self.packages else []
        options += [f"--components={','.join(self.components)}"]
        options += [f'--aptopt=APT::Install-Recommends "{str(self.recommends).lower()}"']
        options += [f"--dpkgopt={line}" for line in DPKG_OPTIONS]
        options += [f"--customize-hook={line}" for line in self._hooks] if self.variant == "minbase" else []
        options += [f"--keyring={self.keyring}"] if self.keyring else []
        return ["mmdebstrap", *options, "--", self.suite, "-", *self._mirrors()]

    @property
    def _hooks(self) -> tuple[str, ...]:
        return (*HOOKS, WITHOUT_KEYS) if "@" in self.mirror else HOOKS

    def _mirrors(self) -> Iterator[str]:
        if self.mirror:
            yield self.mirror


def debian(suite: str = "bullseye", *, packages: tuple[str, ...] = PACKAGES, mirror: str | None = None) -> Image:
    """Return the image `debian`.

    *mirror* defaults to the environment variable INTERCODE_MIRROR. The archive's keys are Debian's own;
    INTERCODE_KEYRING names others for a mirror, or says where they are when they are not in their usual place.
    """
    if not is_linux():
        return distribution_image(f"debian:{suite}", f"debian:{suite}", packages)
    return Image(f"debian:{suite}", (archive_of("debian", suite, packages=packages, mirror=mirror),), ENV, HOSTNAME)


def ubuntu(suite: str = "jammy", *, packages: tuple[str, ...] = PACKAGES, mirror: str | None = None) -> Image:
    """Return the image `ubuntu`, of 22.04 as the published recordings; *mirror* and the keys as in `debian`."""
    if not is_linux():
        return distribution_image(f"ubuntu:{suite}", f"ubuntu:{suite}", packages)
    return Image(f"ubuntu:{suite}", (archive_of("ubuntu", suite, packages=packages, mirror=mirror),), ENV, HOSTNAME)


def archive_of(
    kind: str, suite: str, *, packages: tuple[str, ...], mirror: str | None = None, recommends: bool = True
) -> DistributionLayer:
    """Return the layer of *suite* of *kind*, `debian` or `ubuntu`."""
    place, is_ubuntu = _mirror(mirror), kind == "ubuntu"
    keyring = _keyring(UBUNTU_KEYRING if is_ubuntu else DEBIAN_KEYRING, place)
    components = ("main", "universe") if is_ubuntu else ("main",)
    return DistributionLayer(
        suite, packages, components=components, mirror=place, keyring=keyring, recommends=recommends
    )


CTF_PACKAGES = (
    *("bash", "coreutils", "python3", "python3-pycryptodome", "python3-cryptography", "gcc", "libc6-dev", "gdb"),
    *("binutils", "file", "xxd", "bsdextrautils", "unzip", "bzip2", "xz-utils", "zip", "p7zip-full", "git", "openssl"),
    *("netcat-openbsd", "curl", "wget", "psmisc", "procps", "bsdmainutils", "sleuthkit", "libimage-exiftool-perl"),
    *("imagemagick", "tesseract-ocr", "poppler-utils", "tshark", "less", "perl", "binwalk"),
)
"""What the published image of capture the flag has, and what its tasks ask for beside that: `file`, `xxd`, `exiftool`,
`tshark`, `tesseract` and `cryptography`, which players fetched, and `binwalk`, which a set-up command did."""


def ctf(suite: str = "bookworm", *, mirror: str | None = None) -> Image:
    """Return the image `ctf`: Debian with what `CTF_PACKAGES` lists; pycryptodome is `Crypto`, as pip installs it."""
    usual_name = FilesLayer(links={"usr/lib/python3/dist-packages/Crypto": "Cryptodome"}, title="Crypto's usual name")
    if not is_linux():
        return distribution_image("ctf", f"debian:{suite}", CTF_PACKAGES, recommends=False).with_layers(usual_name)
    place = _mirror(mirror)
    keyring = _keyring(DEBIAN_KEYRING, place)
    layer = DistributionLayer(suite, CTF_PACKAGES, mirror=place, keyring=keyring, recommends=False)
    return Image("ctf", (layer, usual_name), ENV, HOSTNAME)


def _mirror(mirror: str | None) -> str:
    return os.environ.get("INTERCODE_MIRROR", "") if mirror is None else mirror


def _keyring(own: str, mirror: str) -> str:
    named = os.environ.get("INTERCODE_KEYRING", "")
    return named if named and (mirror or not os.path.exists(own)) else own


def _ubuntu_keys() -> Path:
    """Return the file of the keys of Ubuntu's archive, out of Debian's package of them where this machine lacks it.

    Raises:
        ImageError: If Debian's archive cannot be reached, or this machine lacks its keys too.
    """
    kept = paths.cache() / "keys" / Path(UBUNTU_KEYRING).name
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=kept.parent) as scratch:
            archive = Path(scratch) / "package.tar"
            source = archive_of("debian", "trixie", packages=("ubuntu-keyring",), recommends=False)
            replace(source, variant="extract").fetch(archive)
            with tarfile.open(archive) as package:
                file = package.extractfile(f".{UBUNTU_KEYRING}")
                fresh = Path(scratch) / "keys"
                fresh.write_bytes(file.read() if file else b"")
            fresh.replace(kept)
    return kept


def _refuse_missing(layer: DistributionLayer) -> None:
    packages = ["mmdebstrap", *(["uidmap"] if os.geteuid() else []), "util-linux"]
    for program in ("mmdebstrap", *child_process.PROGRAMS):
        if shutil.which(program) is None:
            raise ImageError(f"building {layer.suite} needs {program}: {install_command(*packages)}")
    if layer.keyring and not os.path.exists(layer.keyring):
        raise ImageError(
            f"building {layer.suite} needs the keys of its archive, and there is no {layer.keyring}: "
            f"{INSTALL.get(layer.keyring, '')}name the file that has them in INTERCODE_KEYRING"
        )


def _environment(scratch: Path) -> dict[str, str]:
    """Return this process's environment, with the tree made beside the archive.

    Only root's run can enter that folder.
    """
    private = {"TMPDIR": str(scratch)} if os.geteuid() == 0 else {}
    return {**os.environ, "LC_ALL": "C.UTF-8", **private}


def _end(log: Path) -> str:
    return "\n".join(line[:LOG_WIDTH] for line in log.read_text("utf-8", "replace").splitlines()[-LOG_LINES:])
