"""An image that behaves as the official one of MySQL does, made of this machine's own server: no registry is needed."""

from __future__ import annotations

import io
import re
import subprocess
import tarfile
from pathlib import Path
from shutil import which
from typing import Any

from intercode.worlds.sql.databases.mysql.server_program import ServerProgram
from intercode.worlds.sql.databases.mysql.template import empty

ENTRYPOINT = r"""#!/bin/sh
# Like the official image: a first server, which nobody reaches from outside, to set the password; then the real one.
set -e
tar -xf /empty.tar -C /var/lib/mysql
printf "ALTER USER root@localhost IDENTIFIED BY '%s';\n" "$MYSQL_ROOT_PASSWORD" > /tmp/first.sql
server="SERVER --no-defaults --user=root --datadir=/var/lib/mysql --socket=/var/run/mysqld/mysqld.sock"
$server --skip-networking --init-file=/tmp/first.sql --pid-file=/tmp/first.pid &
while ! [ -s /tmp/first.pid ]; do sleep 0.1; done
sleep 2
kill $!
wait $! || true
exec $server --pid-file=/tmp/second.pid "$@"
"""

FOLDERS = (
    "dev",
    "etc",
    "proc",
    "sys",
    "tmp",
    "usr/bin",
    "usr/lib",
    "usr/lib64",
    "usr/share",
    "var/lib/mysql",
    "var/run/mysqld",
)
LINKS = {"bin": "usr/bin", "sbin": "usr/bin", "lib": "usr/lib", "lib64": "usr/lib64"}


def archive(program: ServerProgram, folder: Path) -> bytes:
    """A root file system with the server *program*, as a tar; *folder* is for what is made meanwhile."""
    empty(program, folder / "empty.tar")
    server = Path(program.path).resolve()
    programs = {name: Path(which(name) or f"/bin/{name}").resolve() for name in ("sh", "sleep", "tar")}
    programs[server.name] = server
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as packed:
        for name in FOLDERS:
            _add(packed, name, tarfile.DIRTYPE, mode=0o777)
        for name, target in LINKS.items():
            _add(packed, name, tarfile.SYMTYPE, target=target)
        _add(packed, "etc/passwd", content=b"root:x:0:0:root:/root:/bin/sh\n")
        _add(packed, "entrypoint", content=ENTRYPOINT.replace("SERVER", server.name).encode(), mode=0o755)
        packed.add(folder / "empty.tar", "empty.tar")
        packed.add("/usr/share/mysql", "usr/share/mysql")
        for name, path in programs.items():
            packed.add(path, f"usr/bin/{name}")
        for name in _libraries(list(programs.values())):
            packed.add(Path(name).resolve(), name.lstrip("/") if name.startswith("/usr/") else f"usr{name}")
    return buffer.getvalue()


def _add(packed: tarfile.TarFile, name: str, kind: bytes = tarfile.REGTYPE, **content: Any) -> None:
    """An entry of *kind*, with `content`, `target` or `mode`."""
    entry = tarfile.TarInfo(name)
    data = content.get("content", b"")
    entry.type, entry.size, entry.linkname = kind, len(data), content.get("target", "")
    entry.mode = content.get("mode", 0o644)
    packed.addfile(entry, io.BytesIO(data))


def _libraries(programs: list[Path]) -> set[str]:
    said = subprocess.run(["ldd", *map(str, programs)], capture_output=True, text=True, check=False).stdout
    return set(re.findall(r"(/\S+) \(0x", said))
