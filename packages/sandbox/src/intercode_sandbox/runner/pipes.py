"""What an order to execute takes along: pipes, and a file for what is too long for a message."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager


def make_pipe(owner: int | None) -> tuple[int, int]:
    """Return both ends of a new pipe, which host user *owner* may open anew; None: everybody may."""
    ends = os.pipe2(os.O_CLOEXEC)
    if owner is None:
        os.fchmod(ends[0], 0o666)
    elif owner != os.geteuid():
        try:
            os.fchown(ends[0], owner, owner)
        except PermissionError:  # a container's root is somebody whom we may not give anything
            os.fchmod(ends[0], 0o666)
    return ends


@contextmanager
def file_of(data: bytes) -> Iterator[int]:
    """Provide a descriptor of a nameless file that holds *data*."""
    descriptor = os.memfd_create("intercode-arguments")
    try:
        with os.fdopen(descriptor, "wb", closefd=False) as file:
            file.write(data)
        yield descriptor
    finally:
        os.close(descriptor)
