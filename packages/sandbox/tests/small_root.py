"""A small root file system made of this machine's own programs: what test images of containers are FROM."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

PROGRAMS = (
    *("bash", "cat", "chmod", "chown", "cp", "date", "env", "find", "git", "grep", "head", "id", "ln", "ls", "md5sum"),
    *("mkdir", "mkfifo", "mv", "printf", "rm", "rmdir", "sed", "seq", "sleep", "sort", "stat", "tail", "tar", "touch"),
    *("tr", "true", "truncate", "uniq", "wc", "xargs"),
)
FOLDERS = ("dev", "etc", "home", "mnt", "opt", "proc", "root", "run", "srv", "sys", "tmp", "usr/bin", "var/lib")
LINKS = {"bin": "usr/bin", "sbin": "usr/bin", "lib": "usr/lib", "lib64": "usr/lib64", "usr/bin/sh": "bash"}
FILES = {"etc/passwd": "root:x:0:0:root:/root:/bin/bash\n", "etc/group": "root:x:0:\n"}


def archive() -> bytes:
    """As a tar archive: the programs, the libraries they need, and the folders that every machine has."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as packed:
        for folder in FOLDERS:
            packed.addfile(_folder(folder))
        for name, target in LINKS.items():
            link = tarfile.TarInfo(name)
            link.type, link.linkname = tarfile.SYMTYPE, target
            packed.addfile(link)
        for name, text in FILES.items():
            file = tarfile.TarInfo(name)
            file.size = len(text)
            packed.addfile(file, io.BytesIO(text.encode()))
        programs = {f"usr/bin/{name}": Path(shutil.which(name) or f"/usr/bin/{name}").resolve() for name in PROGRAMS}
        for name, path in {**programs, **_libraries(list(programs.values()))}.items():
            packed.add(path, name, recursive=False)
    return buffer.getvalue()


def _folder(name: str) -> tarfile.TarInfo:
    folder = tarfile.TarInfo(name)
    folder.type, folder.mode = tarfile.DIRTYPE, 0o1777 if name == "tmp" else 0o755
    return folder


def _libraries(programs: list[Path]) -> dict[str, Path]:
    """Places in the root file system → files of this machine."""
    said = subprocess.run(["ldd", *map(str, programs)], capture_output=True, text=True, check=False).stdout
    found = set(re.findall(r"(/\S+) \(0x", said))
    return {_merged(path): Path(path).resolve() for path in found}


def _merged(path: str) -> str:
    """/lib is a link to usr/lib in the archive, whatever it is here."""
    return path.lstrip("/") if path.startswith("/usr/") else f"usr{path}"
