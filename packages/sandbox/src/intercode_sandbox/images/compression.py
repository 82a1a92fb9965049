"""Compressed archives, read with Python's own libraries: a bare machine has no `xz`, `bzip2` or `zstd`."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import re
import shutil
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from io import BufferedIOBase
from pathlib import Path
from typing import IO

from intercode_sandbox.errors import ImageError
from intercode_sandbox.util.system_packages import install_command

BLOCK = 1 << 20
"""Bytes that are handed on at once."""

Opener = Callable[[IO[bytes]], BufferedIOBase]

_OPENERS: dict[bytes, Opener] = {
    rb"\x1f\x8b": lambda file: gzip.GzipFile(fileobj=file),
    rb"\xfd7zXZ\0": lzma.LZMAFile,
    rb"BZh[1-9](1AY&SY|\x17rE8P\x90)": bz2.BZ2File,
}
"""By what a file begins with; a plain archive begins with a name, which may be `BZh9`."""

_ZSTD = b"\x28\xb5\x2f\xfd"
_MOST_MAGIC = 10


@contextmanager
def open_uncompressed(archive: Path) -> Iterator[tuple[int, Sequence[str]]]:
    """Provide a descriptor from which `tar` can read *archive*, and the options that it needs for that.

    For zstd, which Python's library has from version 3.14 on, the option names the program.

    Raises:
        ImageError: The program for zstd is missing or, when the block ends, the archive is damaged or cut off.
        OSError: The archive cannot be opened.
    """
    with archive.open("rb", buffering=0) as file:
        magic = file.read(_MOST_MAGIC)
        file.seek(0)
        opener = next((opener for pattern, opener in _OPENERS.items() if re.match(pattern, magic)), None)
        if opener is not None:
            with _feeding(archive, opener, file) as stream:
                yield stream, ()
        elif not magic.startswith(_ZSTD):
            yield file.fileno(), ()
        elif shutil.which("zstd") is None:
            raise ImageError(f"{archive} is compressed by zstd, which is not installed: {install_command('zstd')}")
        else:
            yield file.fileno(), ("--zstd",)


@contextmanager
def _feeding(archive: Path, opener: Opener, file: IO[bytes]) -> Iterator[int]:
    """Provide the reading end of a pipe that a thread fills with what *file* holds, for as long as somebody reads."""
    reading, writing = os.pipe()
    with ThreadPoolExecutor(1, thread_name_prefix="intercode-uncompress") as feeder:
        fed = feeder.submit(_feed, opener, file, writing)
        try:
            yield reading
        finally:
            os.close(reading)
    try:
        fed.result()
    except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        raise ImageError(f"{archive} cannot be unpacked, it is damaged or cut off: {error}") from error


def _feed(opener: Opener, file: IO[bytes], writing: int) -> None:
    with suppress(BrokenPipeError), os.fdopen(writing, "wb") as pipe, opener(file) as plain:
        shutil.copyfileobj(plain, pipe, BLOCK)
