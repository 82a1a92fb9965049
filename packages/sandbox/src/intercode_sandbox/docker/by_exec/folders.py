"""Folders that go into a container and come out of it as tar archives, which the engine unpacks and packs.

What comes out was named by hostile code: names that lead elsewhere, links and devices are left out, and all of it has
an end. Nothing is followed on this side, which may be a system without Linux's ways to open files.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tarfile
from collections.abc import Iterator
from pathlib import Path

from intercode_sandbox.results import FileType, FolderEntry
from intercode_sandbox.util.folders import DEPTH_LIMIT
from intercode_sandbox.util.operating_system import system_name

_BLOCK = 1 << 16
_ODD_LETTERS = '/\\:*?"<>|'
_DEVICES = {"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"} | {
    f"{port}{number}" for port in ("COM", "LPT") for number in "0123456789¹²³"
}
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def pack_file(path: str, data: bytes, mode: int, mtime: float) -> bytes:
    """Return a tar archive with one file, root's."""
    info = _header(path, mode, mtime)
    info.size = len(data)
    return info.tobuf(tarfile.PAX_FORMAT, errors="surrogateescape") + _padded(data) + bytes(2 * tarfile.BLOCKSIZE)


def pack_folder(source: Path, path: str, mtime: float, left_out: list[str]) -> Iterator[bytes]:
    """Yield a tar archive of the folder *source*, to be unpacked as *path*.

    What is neither file nor folder is left out.
    """
    if not source.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(source))
    for place, folders, files in os.walk(source):
        relative = Path(place).relative_to(source).as_posix()
        target = path if relative == "." else f"{path}/{relative}"
        if not folders and not files:  # others are made for what is in them, and keep their modes if they are there
            yield _directory(target, mtime)
        left_out += [_join(relative, name) for name in folders if _kind(Path(place, name)) != stat.S_IFDIR]
        for name in files:
            if _kind(Path(place, name)) == stat.S_IFREG:
                yield from _blocks(Path(place, name), f"{target}/{name}", mtime)
            else:
                left_out.append(_join(relative, name))
    yield bytes(2 * tarfile.BLOCKSIZE)


def unpack(archive: tarfile.TarFile, path: str, target: Path, *, limit: int, files: int) -> list[str]:
    """Write the folder that *archive* begins with to *target*; what was left out. See `Session.download`."""
    members = iter(archive)
    top = "" if path == "/" else _top(members, path)
    target.mkdir(parents=True, exist_ok=True)
    unpacker = _Unpacker(archive, target, path, limit, files)
    for member in members:
        unpacker.take(member, member.name.removeprefix(top), top)
    return sorted(unpacker.left_out)


def entries(archive: tarfile.TarFile, path: str) -> list[FolderEntry]:
    """Return what lies in the folder that *archive* begins with, and not what lies below. See `Session.list_folder`."""
    members = iter(archive)
    top = "" if path == "/" else _top(members, path)
    found: dict[str, FolderEntry] = {}
    for member in members:
        name = member.name.removeprefix(top).strip("/")
        if name and "/" not in name:
            found[name] = FolderEntry(name, _type(member), member.mode & 0o7777, member.size, int(member.mtime * 1e9))
    return [found[name] for name in sorted(found)]


def _type(member: tarfile.TarInfo) -> FileType:
    if member.isreg() or member.islnk():
        return "file"
    return "directory" if member.isdir() else "symlink" if member.issym() else "fifo" if member.isfifo() else "device"


def _top(members: Iterator[tarfile.TarInfo], path: str) -> str:
    """Return how the names of all that is in the folder begin. Raises NotADirectoryError where it is none."""
    first = next(members, None)
    if first is None or not first.isdir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
    return f"{first.name.strip('/')}/"


class _Unpacker:
    """What may still come out of one archive, and what was left out."""

    def __init__(self, archive: tarfile.TarFile, target: Path, path: str, limit: int, files: int) -> None:
        self.archive, self.target, self.path = archive, target, path
        self.room, self.entries = limit, files
        self.left_out: list[str] = []

    def take(self, member: tarfile.TarInfo, name: str, top: str) -> None:
        """Write one member, if it is of a kind that comes out."""
        parts = name.removesuffix("/").split("/")
        is_file, depth = member.isreg() or member.islnk(), len(parts) - 1
        if depth > DEPTH_LIMIT:  # the folder at that depth has been left out
            return
        self.entries -= 1
        if self.entries < 0:
            raise OSError(errno.EFBIG, "too many files and folders", self.path)
        is_cut = member.isdir() and depth == DEPTH_LIMIT
        if is_cut or not (is_file or member.isdir()) or not all(map(_is_name, parts)):
            self.left_out.append(name)
        elif member.isdir():
            _make_folder(self.target, parts)
        elif member.islnk():
            self._copy(member, parts, member.linkname.removeprefix(top))
        else:
            self._write(member, parts)

    def _write(self, member: tarfile.TarInfo, parts: list[str]) -> None:
        content = self.archive.extractfile(member)
        assert content is not None
        self._count(member.size)
        with os.fdopen(os.open(_place(self.target, parts), _NEW_FILE, _mode(member)), "wb") as file:
            shutil.copyfileobj(content, file, _BLOCK)

    def _copy(self, member: tarfile.TarInfo, parts: list[str], source: str) -> None:
        """A second name of a file that has come out already, or was left out as it should."""
        names = source.split("/")
        origin = self.target.joinpath(*names) if all(map(_is_name, names)) else None
        if origin is None or _kind(origin) != stat.S_IFREG:
            self.left_out.append("/".join(parts))
            return
        self._count(origin.stat().st_size)
        copy = os.open(_place(self.target, parts), _NEW_FILE, _mode(member))
        with os.fdopen(copy, "wb") as file, origin.open("rb") as content:
            shutil.copyfileobj(content, file, _BLOCK)

    def _count(self, size: int) -> None:
        self.room -= size
        if self.room < 0:
            raise OSError(errno.EFBIG, "more bytes than allowed", self.path)


def _make_folder(target: Path, parts: list[str]) -> None:
    """Make a folder below *target*; raises OSError where a link or a file is in the way."""
    place = target
    for part in parts:
        place /= part
        if _kind(place) != stat.S_IFDIR:
            place.mkdir()


def _place(target: Path, parts: list[str]) -> Path:
    """Return where a file goes: below folders that are none of them links."""
    _make_folder(target, parts[:-1])
    return target.joinpath(*parts)


def _is_name(part: str) -> bool:
    """Return whether a name is one on this side too, and that of a file there."""
    return part not in ("", ".", "..") and (system_name() != "Windows" or _is_windows_name(part))


def _is_windows_name(part: str) -> bool:
    """Windows sees drives and streams in some names, devices in others, and drops blanks and dots at the end."""
    device = part.partition(".")[0].rstrip(" ").upper()
    has_odd_letters = any(letter in _ODD_LETTERS or letter < " " for letter in part)
    return not has_odd_letters and not part.endswith((".", " ")) and device not in _DEVICES


def _kind(path: Path) -> int:
    """Return what is there itself; 0 for nothing."""
    try:
        return stat.S_IFMT(path.lstat().st_mode)
    except FileNotFoundError:
        return 0


def _blocks(file: Path, path: str, mtime: float) -> Iterator[bytes]:
    """Yield one file of this machine as a member; raises OSError where it becomes another while it is read."""
    with os.fdopen(os.open(file, _READ), "rb") as content:
        about = os.fstat(content.fileno())
        info = _header(path, 0o755 if about.st_mode & 0o100 else 0o644, mtime)
        info.size = about.st_size
        yield info.tobuf(tarfile.PAX_FORMAT, errors="surrogateescape")
        left = info.size
        while left and (block := content.read(min(_BLOCK, left))):
            left -= len(block)
            yield block
        if left or not stat.S_ISREG(about.st_mode):
            raise OSError(errno.EIO, "changed while it was read", str(file))
        yield bytes(-info.size % tarfile.BLOCKSIZE)


def _directory(path: str, mtime: float) -> bytes:
    info = _header(path, 0o755, mtime)
    info.type = tarfile.DIRTYPE
    return info.tobuf(tarfile.PAX_FORMAT, errors="surrogateescape")


def _header(path: str, mode: int, mtime: float) -> tarfile.TarInfo:
    info = tarfile.TarInfo(path.lstrip("/"))
    info.mode, info.mtime = mode, int(mtime)
    return info


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % tarfile.BLOCKSIZE)


def _mode(member: tarfile.TarInfo) -> int:
    return 0o755 if member.mode & 0o100 else 0o644


def _join(folder: str, name: str) -> str:
    return name if folder == "." else f"{folder}/{name}"
