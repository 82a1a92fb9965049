"""How our own servers are started."""

from __future__ import annotations

import os
from pathlib import Path

from intercode.worlds.sql.databases.mysql.server_directory import identity
from intercode.worlds.sql.databases.mysql.server_program import ServerProgram

VERSION = 2
"""To be raised whenever what is in a template changes: it is part of the name under which it is kept."""

BOTH = (
    "--skip-networking",
    "--skip-name-resolve",
    "--lower-case-table-names=1",
    "--character-set-server=utf8mb4",
    "--collation-server=utf8mb4_general_ci",
    "--local-infile=0",
    "--max-connections=400",
    "--server-id=1",
    "--sync-binlog=0",
    "--innodb-flush-log-at-trx-commit=0",
    "--innodb-doublewrite=0",
    "--innodb-use-native-aio=0",
    "--innodb-buffer-pool-load-at-startup=0",
    "--innodb-buffer-pool-dump-at-shutdown=0",
    "--innodb-stats-auto-recalc=0",
    "--innodb-autoextend-increment=1",
    "--log-bin-trust-function-creators=1",
)
"""Nothing is to survive a crash, everything is to be the same at each start.

`innodb-use-native-aio`: all servers share the kernel's places for it (fs.aio-max-nr); where many run, the next would
not start.
"""

FLAVOURS = {
    "mariadb": (
        "--tmp-memory-table-size=0",
        "--innodb-log-file-size=8M",
        "--innodb-fast-shutdown=0",
        "--aria-log-file-size=8M",
        "--performance-schema=0",
        "--max-session-mem-used=512M",
        "--tmp-disk-table-size=1G",
        "--innodb-temp-data-file-path=ibtmp1:1M:autoextend",
    ),
    "mysql": (
        "--mysqlx=OFF",
        "--secure-file-priv=NULL",
        "--innodb-redo-log-capacity=8M",
        "--performance-schema=0",
    ),
}  # fmt: skip
"""What each needs beside.

`tmp-memory-table-size` makes MariaDB answer in the same order after each start. `max-session-mem-used` bounds what a
session's sorts, joins and tables in memory take, not its variables.
"""


def options(program: ServerProgram, folder: Path) -> list[str]:
    """Return the command line of a server whose home is *folder*."""
    places = [f"--datadir={folder}/data", f"--socket={folder}/s", f"--pid-file={folder}/pid", f"--tmpdir={folder}"]
    user = ["--user=root"] if os.geteuid() == 0 and identity() is None else []
    return [program.path, *_first(program.path), *BOTH, *FLAVOURS[program.flavour], *places, *user]


def _first(path: str) -> list[str]:
    """Return the option that keeps this machine's settings out, which must come first, unless a script says it."""
    with open(path, "rb") as file:
        script = file.read(4096)
    return [] if script[:2] == b"#!" and b"--no-defaults" in script else ["--no-defaults"]
