"""Images: recipes for the file systems that sessions start from, and the cache that they are built into."""

from os import PathLike, fspath

from intercode_sandbox.images.image import Image, Layer, LayerBuilder, Mount

__all__ = ["Image", "Layer", "LayerBuilder", "Mount", "find"]


def find(name: str | PathLike[str]) -> Image:
    """Find an image. Nothing is built or fetched.

    Args:
        name: `host`, `ctf`, `debian`, `debian:SUITE`, `ubuntu`, `ubuntu:SUITE`, `docker:NAME@sha256:…`, a folder (with
            a Dockerfile, or a root file system), or a tar file.

    Raises:
        UnknownNameError: If there is no such image; the message lists those that exist.
    """
    from intercode_sandbox.images import catalog

    return catalog.find(fspath(name))
