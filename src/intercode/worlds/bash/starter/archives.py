"""Archives whose bytes are the same under every version of Python and zlib: nothing is compressed for real."""

from __future__ import annotations

import struct
import tarfile
import zlib
from collections.abc import Mapping
from io import BytesIO


def tar(folder: str, members: Mapping[str, bytes], mtime: int) -> bytes:
    """Return a tar archive with a *folder* of files, sorted, root's, all of it from the same second."""
    buffer = BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        head = tarfile.TarInfo(folder)
        head.type, head.mode, head.mtime = tarfile.DIRTYPE, 0o755, mtime
        archive.addfile(head)
        for name in sorted(members):
            member = tarfile.TarInfo(f"{folder}/{name}")
            member.size, member.mtime = len(members[name]), mtime
            archive.addfile(member, BytesIO(members[name]))
    return buffer.getvalue()


def gzip(data: bytes) -> bytes:
    """Return a gzip file (RFC 1952) that holds *data*, up to 64 KiB, as one stored block.

    Compressed for real, the bytes and so an image's digest would depend on this machine's version of zlib.
    """
    header = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
    block = struct.pack("<BHH", 1, len(data), len(data) ^ 0xFFFF) + data
    return header + block + struct.pack("<II", zlib.crc32(data), len(data))
