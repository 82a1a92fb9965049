"""Images by name: `host`, `ctf`, `debian[:SUITE]`, `ubuntu[:SUITE]`, `python[:TAG]`, paths of folders and tar files."""

from __future__ import annotations

import re
from pathlib import Path

from intercode_sandbox.errors import UnknownNameError
from intercode_sandbox.images.defaults import ENV, HOSTNAME
from intercode_sandbox.images.image import Image

NAMES = ("host", "ctf", "debian", "debian:SUITE", "ubuntu", "ubuntu:SUITE", "python:TAG", "docker:NAME@sha256:…")
TAG = re.compile(r"[a-z0-9][a-z0-9.+-]*\Z")


def find(name: str) -> Image:
    """Return the image of that name; nothing is built. What is not one of `NAMES` is a path.

    It is that of a root file system (a folder or a tar archive), or of a folder with a Dockerfile.

    Raises:
        UnknownNameError: If there is none. Lists what there is.
    """
    kind, colon, suite = name.partition(":")
    if name == "host":
        from intercode_sandbox.images.host_image import host

        return host()
    if name == "ctf":
        from intercode_sandbox.images.distribution import ctf

        return ctf()
    if kind in ("debian", "ubuntu") and (TAG.match(suite) or not colon):
        from intercode_sandbox.images import distribution

        recipe = distribution.debian if kind == "debian" else distribution.ubuntu
        return recipe(distribution.tag_suite(kind, suite)) if suite else recipe()
    if kind == "python" and (TAG.match(suite) or not colon):
        from intercode_sandbox.images.python_images import python

        return python(suite)
    if kind == "docker" and colon:
        from intercode_sandbox.images.container_layers import docker_image

        return docker_image(suite)
    return _image_at_path(name)


def _image_at_path(name: str) -> Image:
    from intercode_sandbox.images.root_layers import DirectoryLayer, TarLayer

    path = Path(name).expanduser()
    folder = path.parent if path.name == "Dockerfile" else path
    if name and (folder / "Dockerfile").is_file() and not (folder / "usr").exists():
        from intercode_sandbox.images.container_layers import dockerfile

        return dockerfile(folder)
    if name and path.is_dir() and path.samefile("/"):
        raise UnknownNameError(
            f"{name!r} would give agents all of this machine, its users' files too: use the image `host`, "
            "which has its programs"
        )
    if name and path.is_dir():
        return Image(name, (DirectoryLayer(path.resolve()),), ENV, HOSTNAME, reproducible=False)
    if name and path.is_file():
        return Image(name, (TarLayer(path.resolve()),), ENV, HOSTNAME)
    raise UnknownNameError(
        f"no image called {name!r}; there are: {', '.join(NAMES)}, or the path of a folder (a Dockerfile's, "
        "or a root file system) or of a tar file"
    )
