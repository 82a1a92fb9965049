"""Write what a session changed as the tar archive of a layer: whiteouts and opaque marks as overlayfs wants them."""

from __future__ import annotations

import os
import stat
import tarfile

from intercode.sandboxes.bubblewrap.identity import Identity

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_OPAQUE = "user.overlay.opaque"


def write_layer(upper: int, packed: tarfile.TarFile, who: Identity) -> None:
    """Pack the upper layer open as *upper*; nothing may be writing to it. Raises OSError for what cannot be read."""
    _Packer(packed, who).folder("", os.open(".", _FOLDER, dir_fd=upper))


class _Packer:
    def __init__(self, packed: tarfile.TarFile, who: Identity) -> None:
        self._packed = packed
        self._who = who
        self._names: dict[int, str] = {}

    def folder(self, path: str, descriptor: int) -> None:
        try:
            for name in sorted(os.listdir(descriptor)):
                self._entry(f"{path}/{name}", name, descriptor)
        finally:
            os.close(descriptor)

    def _entry(self, path: str, name: str, parent: int) -> None:
        found = os.stat(name, dir_fd=parent, follow_symlinks=False)
        if stat.S_ISSOCK(found.st_mode):
            return
        info = self._describe(path, found)
        if stat.S_ISDIR(found.st_mode):
            inside = os.open(name, _FOLDER, dir_fd=parent)
            if _is_opaque(inside):
                info.pax_headers = {f"SCHILY.xattr.{_OPAQUE}": "y"}
            self._packed.addfile(info)
            self.folder(path, inside)
        elif stat.S_ISREG(found.st_mode) and info.type == tarfile.REGTYPE:
            with os.fdopen(os.open(name, _FILE, dir_fd=parent), "rb") as file:
                self._packed.addfile(info, file)
        else:
            if stat.S_ISLNK(found.st_mode):
                info.linkname = os.readlink(name, dir_fd=parent)
            self._packed.addfile(info)

    def _describe(self, path: str, found: os.stat_result) -> tarfile.TarInfo:
        info = tarfile.TarInfo(path.lstrip("/"))
        info.mode = stat.S_IMODE(found.st_mode)
        info.uid, info.gid = self._who.user_inside(found.st_uid), self._who.group_inside(found.st_gid)
        info.mtime = found.st_mtime_ns // 1_000_000_000
        info.type = _type_of(found.st_mode)
        if info.type == tarfile.REGTYPE:
            info.size = found.st_size
            if found.st_nlink > 1 and found.st_ino in self._names:
                info.type, info.linkname, info.size = tarfile.LNKTYPE, self._names[found.st_ino], 0
            self._names.setdefault(found.st_ino, info.name)
        return info


def _type_of(mode: int) -> bytes:
    if stat.S_ISDIR(mode):
        return tarfile.DIRTYPE
    if stat.S_ISLNK(mode):
        return tarfile.SYMTYPE
    if stat.S_ISFIFO(mode):
        return tarfile.FIFOTYPE
    return tarfile.REGTYPE if stat.S_ISREG(mode) else tarfile.CHRTYPE  # a whiteout: device 0/0


def _is_opaque(folder: int) -> bool:
    try:
        return os.getxattr(folder, _OPAQUE) == b"y"
    except OSError:
        return False
