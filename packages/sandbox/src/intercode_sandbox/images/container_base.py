"""What `FROM` means to a Dockerfile: a distribution as small as its container image, on which `apt-get` installs more.

It is made once for each suite, whatever is put on top. The images `debian` and `ubuntu` are others: they hold what the
published benchmark's image has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from intercode_sandbox.images.container_layers import distribution_image
from intercode_sandbox.images.defaults import ENV, HOSTNAME
from intercode_sandbox.images.distribution import archive_of
from intercode_sandbox.images.files_layer import FilesLayer
from intercode_sandbox.images.image import Image, Layer
from intercode_sandbox.util.operating_system import is_linux

PACKAGES: Mapping[str, tuple[str, ...]] = {
    "debian": ("apt",),
    "ubuntu": ("apt", "e2fsprogs", "hostname", "mount", "ncurses-bin", "procps", "ubuntu-keyring"),
}
"""What the container images hold beside the essential packages."""

COMPONENTS = {"debian": ("main",), "ubuntu": ("main", "restricted", "universe", "multiverse")}

APT = """APT::Install-Recommends "true";
APT::Update::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb /var/cache/apt/*.bin || true"; };
DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb /var/cache/apt/*.bin || true"; };
Acquire::GzipIndexes "true";
Acquire::Languages "none";
Acquire::Retries "3";
"""

SETTINGS = FilesLayer(
    {"etc/apt/apt.conf.d/container": APT, "usr/sbin/policy-rc.d": "#!/bin/sh\nexit 101\n"},
    modes={"usr/sbin/policy-rc.d": 0o755},
    title="apt's settings in container images",
)
"""As container images have them: no service is started by its installation, and nothing is kept that a layer need not.

By its name the file is read after that of the tool that makes the base.
"""


def container_base(kind: str, suite: str) -> Image:
    """Return the base of *suite* of *kind*, `debian` or `ubuntu`; where this is no Linux, the registry's image."""
    name = f"{kind}:{suite}"
    if not is_linux():
        return distribution_image(name, name, ())
    return Image(name, base_layers(kind, suite), ENV, HOSTNAME)


def base_layers(kind: str, suite: str, packages: tuple[str, ...] = ()) -> tuple[Layer, ...]:
    """Return the layers of the base of *suite*, with *packages* more, as its container images are made of them."""
    wanted = tuple(dict.fromkeys([*PACKAGES[kind], *packages]))
    layer = archive_of(kind, suite, packages=wanted, recommends=False)
    return replace(layer, components=COMPONENTS[kind]), SETTINGS
