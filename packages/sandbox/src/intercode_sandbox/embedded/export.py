"""Write what a session changed as the tar archive of a layer: whiteouts and opaque marks as overlayfs wants them.

What the host may not open itself (an ordinary user's: files of the session's other users), process 1 opens for it.
"""

from __future__ import annotations

import os
import stat
import tarfile
from collections import defaultdict

from intercode_sandbox.embedded.session import EmbeddedSession
from intercode_sandbox.embedded.stager import OPAQUE
from intercode_sandbox.embedded.user_namespace import SandboxUser
from intercode_sandbox.errors import ImageError

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


def write_layer(session: EmbeddedSession, packed: tarfile.TarFile, who: SandboxUser) -> None:
    """Pack the upper layer of *session*; nothing may be writing to it.

    Raises:
        OSError: For what cannot be read.
        ImageError: For files that are longer, all together, than the session's disk.
    """
    packer = _Packer(session, packed, who)
    packer.folder("", session.open_upper(".", _FOLDER), is_doubtful=False)


class _Packer:
    def __init__(self, session: EmbeddedSession, packed: tarfile.TarFile, who: SandboxUser) -> None:
        self._session = session
        self._packed = packed
        self._who = who
        self._names: dict[int, str] = {}
        self._room = session.limits.disk
        self._gone: dict[str, set[str]] = defaultdict(set)
        for change in session.changes():
            if change.after is None:
                folder, _, name = change.path.rpartition("/")
                self._gone[folder].add(name)

    def folder(self, path: str, descriptor: int, *, is_doubtful: bool) -> None:
        """Pack what is in a folder. Where it is *doubtful* what that hides of the layers below, each name is said."""
        try:
            names = os.listdir(descriptor)
            for name in sorted(names):
                self._entry(f"{path}/{name}", name, descriptor, is_doubtful)
        finally:
            os.close(descriptor)
        for name in sorted(self._gone[path].difference(names)) if is_doubtful else ():
            self._packed.addfile(_whiteout(f"{path}/{name}"))

    def _entry(self, path: str, name: str, parent: int, is_doubtful: bool) -> None:
        found = self._stat(path, name, parent)
        if stat.S_ISSOCK(found.st_mode):
            return
        info = self._describe(path, found)
        if stat.S_ISDIR(found.st_mode):
            inside = self._open(path, name, parent, _FOLDER)
            mark = _is_opaque(inside, self._session.opaque)
            if mark:
                info.pax_headers = {f"SCHILY.xattr.{OPAQUE}": "y"}
            self._packed.addfile(info)
            self.folder(path, inside, is_doubtful=not mark and (is_doubtful or mark is None))
        elif stat.S_ISREG(found.st_mode) and info.type == tarfile.REGTYPE:
            with os.fdopen(self._open(path, name, parent, _FILE), "rb") as file:
                self._packed.addfile(info, file)
        else:
            if stat.S_ISLNK(found.st_mode):
                info.linkname = self._target(path, name, parent)
            self._packed.addfile(info)

    def _open(self, path: str, name: str, parent: int, flags: int) -> int:
        try:
            return os.open(name, flags, dir_fd=parent)
        except PermissionError:
            return self._session.open_upper(path, flags)

    def _stat(self, path: str, name: str, parent: int) -> os.stat_result:
        try:
            return os.stat(name, dir_fd=parent, follow_symlinks=False)
        except PermissionError:
            descriptor = self._session.open_upper(path, os.O_PATH | os.O_NOFOLLOW)
            try:
                return os.stat(descriptor)
            finally:
                os.close(descriptor)

    def _target(self, path: str, name: str, parent: int) -> str:
        descriptor = self._open(path, name, parent, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            return os.readlink("", dir_fd=descriptor)
        finally:
            os.close(descriptor)

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
            self._room -= info.size
            if self._room < 0:  # a tar has no holes
                most = self._session.limits.disk
                raise ImageError(
                    f"files that a set-up script made are longer than {most >> 20} MiB: {path} does not fit"
                )
        return info


def _type_of(mode: int) -> bytes:
    if stat.S_ISDIR(mode):
        return tarfile.DIRTYPE
    if stat.S_ISLNK(mode):
        return tarfile.SYMTYPE
    if stat.S_ISFIFO(mode):
        return tarfile.FIFOTYPE
    return tarfile.REGTYPE if stat.S_ISREG(mode) else tarfile.CHRTYPE  # a whiteout: device 0/0


def _whiteout(path: str) -> tarfile.TarInfo:
    info = tarfile.TarInfo(path.lstrip("/"))
    info.type = tarfile.CHRTYPE
    return info


def _is_opaque(folder: int, mark: str) -> bool | None:
    """Return whether it hides what is below; None where nobody may look."""
    try:
        return os.getxattr(folder, mark) == b"y"
    except PermissionError:
        return None
    except OSError:
        return False
