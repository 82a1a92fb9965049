"""Images: recipes for the file systems that sessions start from, and the cache that they are built into."""

from intercode.sandboxes.images.base import Image, Layer, LayerBuilder, Mount

__all__ = ["Image", "Layer", "LayerBuilder", "Mount", "find"]


def find(name: str) -> Image:
    """The image called `host`, `ctf`, `debian`, `debian:SUITE`, `ubuntu`, `ubuntu:SUITE`, `docker:NAME@sha256:…`, or
    that of a folder (with a Dockerfile, or a root file system) or of a tar file.

    Nothing is built or fetched. Raises UnknownNameError, listing what there is.
    """
    from intercode.sandboxes.images import catalog

    return catalog.find(name)
