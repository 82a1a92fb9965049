"""Images by the names that Docker's users give them, and Dockerfiles: made by an engine, or without one."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Literal

from intercode.datasets.dockerfiles.dockerfile import BASES, read_dockerfile
from intercode.datasets.dockerfiles.image import Build, simple_image
from intercode.datasets.dockerfiles.steps import Dockerfile
from intercode.errors import ImageError
from intercode_sandbox import images
from intercode_sandbox.images import Image
from intercode_sandbox.images.builders import Builder, builder
from intercode_sandbox.images.container_layers import docker_image
from intercode_sandbox.images.distribution import SUITES, tag_suite
from intercode_sandbox.images.files_layer import FilesLayer
from intercode_sandbox.images.host_image import FILES, HostLayer

NAMES = ("host", "ctf", "docker", *SUITES)
"""What images of ours are called, before a colon."""

ACCOUNT_FILES = {
    "etc/skel/.profile": "",
    "etc/pam.d/chfn": "auth sufficient pam_rootok.so\naccount required pam_permit.so\n",
    "etc/shadow": "root:*:19000:0:99999:7:::\n",
    "etc/group": FILES["etc/group"] + "users:*:100:\n",
}
"""What `adduser` needs, which the image `host` has not."""


def with_accounts(image: Image) -> Image:
    """Return *image*, where it stands on this machine's programs, as one to which users can be added."""
    first, *others = image.layers
    if not isinstance(first, HostLayer):
        return image
    return replace(image, layers=(first, FilesLayer(ACCOUNT_FILES, title="files for accounts"), *others))


def find_image(name: str, build: Build | Literal[""] = "") -> Image:
    """Return the image that *name* means to Docker, or to us: a name, or a folder with a Dockerfile.

    *build* says how it is made. Unless that is given, the images `debian` and `ubuntu` come from their archives, all
    else from an engine. Where there is none, simple Dockerfiles and the image `python` are made without: on Debian or
    Ubuntu from their archives (`archive`) where they name one, on this machine's own programs (`host`) for `python`.

    Raises:
        ImageError: If it cannot be built here. Says the way out.
        BadDataError: If its Dockerfile cannot be understood. Says the way out.
    """
    kind, _, tag = name.removeprefix("docker.io/").removeprefix("library/").partition(":")
    if kind in SUITES and "@" not in name and build in ("", "archive"):
        return images.find(f"{kind}:{tag_suite(kind, tag)}")
    folder = Path(name).expanduser()
    has_recipe = (folder / "Dockerfile").is_file() and not (folder / "usr").exists()
    if name in ("host", "ctf") or name.startswith("docker:") or (folder.exists() and not has_recipe):
        return images.find(name)
    engine = _engine() if build in ("", "engine") else None
    if engine is None and build != "engine" and (has_recipe or (kind in BASES and "@" not in name)):
        recipe = read_dockerfile(folder) if has_recipe else Dockerfile(Path(name), kind, tag, (), {}, "/")
        image = simple_image(recipe, images.find("host"), build or _without_engine(recipe), recipe.kind)
        return replace(image, workdir=recipe.workdir) if recipe.workdir != "/" else image
    if has_recipe:
        return images.find(name)
    programs = engine or builder()
    if not programs.has(name):
        programs.pull(name)
    return docker_image(programs.id(name))


def _engine() -> Builder | None:
    try:
        return builder()
    except ImageError:
        return None


def _without_engine(recipe: Dockerfile) -> Build:
    if recipe.kind != "python":
        return "archive"
    _warn(f"{recipe.kind}:{recipe.tag}")
    return "host"


@cache
def _warn(name: str) -> None:
    """Once for each image: the figures depend on this machine."""
    logging.getLogger(__name__).warning("no engine works here: programs of this machine stand in for %s", name)
