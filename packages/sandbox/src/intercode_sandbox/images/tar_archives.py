"""Tar archives, written and rewritten: what every layer is unpacked from, so that owners and modes come out right."""

from __future__ import annotations

import os
import tarfile
import zlib
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from lzma import LZMAError
from pathlib import Path, PurePosixPath
from typing import IO, cast

from intercode_sandbox.errors import ImageError
from intercode_sandbox.images.image import UNSET_TIME

BLOCK = 1 << 20
"""Bytes of an archive that are handled at once."""

_UNREADABLE = (tarfile.TarError, EOFError, OSError, zlib.error, LZMAError)

MODES = {"tmp": 0o1777, "var/tmp": 0o1777, "root": 0o700}
"""Of folders that nobody gave a mode; all others get 755. A layer's folder decides over those below it in the stack."""


@dataclass(frozen=True, slots=True)
class TarMember:
    """One member: a file if it has *content*, a symbolic link if it has a *target*, else a folder."""

    path: str
    mode: int
    mtime: float
    content: bytes | None = None
    target: str | None = None
    owner: tuple[int, int] = (0, 0)

    def header(self) -> tarfile.TarInfo:
        """The tar header; whatever is not said here is the same at all times, so equal items make equal bytes."""
        info = tarfile.TarInfo("./" + self.path if self.path else ".")
        info.type = tarfile.DIRTYPE
        if self.content is not None:
            info.type, info.size = tarfile.REGTYPE, len(self.content)
        elif self.target is not None:
            info.type, info.linkname = tarfile.SYMTYPE, self.target
        info.mode, info.mtime, (info.uid, info.gid) = self.mode, self.mtime, self.owner
        return info


def pack(items: Iterable[TarMember]) -> bytes:
    """Return a tar archive of *items*, in their order."""
    buffer = BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for item in items:
            archive.addfile(item.header(), BytesIO(item.content or b""))
    return buffer.getvalue()


def parents(path: str) -> Iterator[str]:
    """Yield the folders above a relative path, innermost first; the root, as an empty string, last."""
    for parent in PurePosixPath(path).parents:
        yield "" if str(parent) == "." else str(parent)


def rewrite(source: Path, target: Path, *, unset_after: float | None = None, remove: Collection[str] = ()) -> None:
    """Copy a tar archive, without the paths *remove* and all below them.

    With *unset_after*, members whose time is that or later get UNSET_TIME, and so do folders that the archive implies
    but does not have.

    Raises:
        ImageError: If *source* is no archive or is cut off.
    """
    try:
        with tarfile.open(source) as old, tarfile.open(target, "w", format=tarfile.PAX_FORMAT) as new:
            missing, seen = {""}, set()
            for member in old:
                path = clean(member.name)
                if path in remove or any(parent in remove for parent in parents(path)):
                    continue
                seen.add(path)
                missing.update(parents(path))
                content = old.extractfile(member) if member.isreg() else None
                new.addfile(_normalize_member(member, unset_after), content)
            _refuse_unless_at_end(old)
            for path in sorted(missing - seen) if unset_after is not None else ():
                new.addfile(TarMember(path, MODES.get(path, 0o755), UNSET_TIME).header())
    except (tarfile.TarError, EOFError, zlib.error, LZMAError) as error:
        raise ImageError(f"{source} is not a tar archive, or is cut off: {error}") from error


def clean(path: str) -> str:
    """Return a path inside an archive without `./`, doubled and leading slashes; the root is an empty string."""
    return "/".join(part for part in path.split("/") if part not in ("", "."))


def _normalize_member(member: tarfile.TarInfo, unset_after: float | None) -> tarfile.TarInfo:
    """Its header as it is to be. What the extended headers repeat goes: they would win over the fields themselves."""
    dropped = {"path", "linkpath", "size"}
    if unset_after is not None and member.mtime >= unset_after:
        member.mtime = UNSET_TIME
        dropped.add("mtime")
    if member.issparse():  # it is read out in full
        member.type = tarfile.REGTYPE
    member.pax_headers = {
        name: text for name, text in member.pax_headers.items() if name not in dropped and "sparse" not in name
    }
    return member


def _refuse_unless_at_end(archive: tarfile.TarFile) -> None:
    """Python takes a broken or missing header for the end; a real end is a block of zeros."""
    if archive.fileobj is not None:
        archive.fileobj.seek(archive.offset)
        if archive.fileobj.read(tarfile.BLOCKSIZE) != bytes(tarfile.BLOCKSIZE):
            raise tarfile.ReadError("it has no end")


def up_to_its_end(path: Path) -> Iterator[bytes]:
    """Yield an archive in blocks, uncompressed: without what follows its end, zeros by habit.

    Whoever unpacks it may be gone by then: Podman's helper is, and Podman calls the rest that it cannot hand over a
    failure. An archive that cannot be read here (damaged, or compressed by `zstd`) is given as it is.
    """
    with path.open("rb") as file, ExitStack() as stack:
        stream: IO[bytes] = file
        left = path.stat().st_size
        with suppress(*_UNREADABLE):
            archive = stack.enter_context(tarfile.open(fileobj=file))
            plain = cast(IO[bytes], archive.fileobj)
            deque(archive, maxlen=0)
            deque(iter(partial(plain.read, BLOCK), b""), maxlen=0)  # what is damaged further on is damaged
            stream, left = plain, archive.offset + 2 * tarfile.BLOCKSIZE
        stream.seek(0)
        while block := stream.read(min(BLOCK, left)):
            left -= len(block)
            yield block


def refuse_cut_off(path: Path) -> None:
    """Raise ImageError for an uncompressed archive without an end, which `tar` would take for a whole one."""
    with path.open("rb") as file:
        plain = file.read(tarfile.BLOCKSIZE)[257:262] == b"ustar"
        file.seek(-min(tarfile.BLOCKSIZE, path.stat().st_size), os.SEEK_END)
        if plain and file.read() != bytes(tarfile.BLOCKSIZE):
            raise ImageError(f"{path} is cut off: a tar archive ends with zeros")
