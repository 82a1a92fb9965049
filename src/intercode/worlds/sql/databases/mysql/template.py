"""A data directory with a source's databases in it, made once, kept as an archive, from which servers start."""

from __future__ import annotations

import hashlib
import json
import tarfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from intercode.errors import BadDataError, DatabaseError
from intercode.types.databases import DatabaseSource, Progress
from intercode.worlds.sql.databases.dialect.tokenizer import quote
from intercode.worlds.sql.databases.dumps.cached import cached_folder
from intercode.worlds.sql.databases.dumps.script import ScriptStatement, lines
from intercode.worlds.sql.databases.mysql.connection import Connection
from intercode.worlds.sql.databases.mysql.driver import ConnectionLostError
from intercode.worlds.sql.databases.mysql.dump_statements import DumpStatements
from intercode.worlds.sql.databases.mysql.introspection import SYSTEM_DATABASES
from intercode.worlds.sql.databases.mysql.server_directory import DirectoryProcess, ServerDirectory
from intercode.worlds.sql.databases.mysql.server_options import VERSION, options
from intercode.worlds.sql.databases.mysql.server_process import ServerProcess
from intercode.worlds.sql.databases.mysql.server_program import ServerProgram
from intercode.worlds.sql.databases.mysql.session_pool import AGENT, WRITING, create_account

ARCHIVE = "data.tar"
NAMES = "names.json"

NOT_KEPT = ("ib_buffer_pool", "ibtmp", "bin.", "pid", "auto.cnf", "binlog.", "undo_001.trunc")
"""Files of a data directory that each server makes anew."""


class Template:
    """The databases `names`, in the archive `archive`; on this machine `key` names no other."""

    def __init__(self, folder: Path) -> None:
        self.key = folder.name
        self.archive = folder / ARCHIVE
        self.names: list[str] = json.loads((folder / NAMES).read_text())


def template(program: ServerProgram, source: DatabaseSource, progress: Progress) -> Template:
    """Return the template of *source*, made where it is not there yet.

    Raises:
        BadDataError: If the source's files are missing or malformed.
        DatabaseError: If a server for making it cannot be had.
    """
    identity = f"{VERSION} {program.title} {options(program, Path('-'))} {source.checksum} {source.name}"
    key = hashlib.sha256(identity.encode()).hexdigest()[:32]

    def make(folder: Path) -> None:
        progress(f"loading {source.name} into {program.title}")
        _make(program, source, folder)

    return Template(cached_folder("mysql", key, make, lambda: progress(f"waiting for {source.name}")))


def _make(program: ServerProgram, source: DatabaseSource, folder: Path) -> None:
    script = list(lines(source))
    names = sorted({line.database for line in script})
    fresh = folder / "empty.tar"
    empty(program, fresh)
    server = ServerProcess(program, template=fresh, extra=("--skip-log-bin",))
    try:
        load(server.admin, script)
        _settle(server.admin, program, names)
        create_account(server.admin, AGENT, WRITING, names)
        _stop(server)
        _pack(server.process.directory.folder / "data", folder / ARCHIVE)
    except ConnectionLostError as error:
        raise DatabaseError(f"{program.title} died while {source.name} was loaded: {error}") from error
    finally:
        server.close()
        fresh.unlink()
    (folder / NAMES).write_text(json.dumps(names))


def empty(program: ServerProgram, archive: Path) -> None:
    """Write an empty data directory to *archive*.

    Raises:
        DatabaseError: If the server program cannot make one.
    """
    directory = ServerDirectory()
    data = directory.folder / "data"
    if program.flavour == "mysql":
        argv = [*options(program, directory.folder), "--initialize-insecure"]
    else:
        argv = [
            program.installer, "--no-defaults", f"--datadir={data}", "--auth-root-authentication-method=normal",
            "--skip-test-db", "--skip-name-resolve", "--lower-case-table-names=1", "--innodb-use-native-aio=0",
        ]  # fmt: skip
    process = DirectoryProcess(directory, ["sh", "-c", '"$@" && : >"$0/done"', str(directory.folder), *argv])
    try:
        process.wait(300)
        if not (directory.folder / "done").exists():
            raise DatabaseError(f"{argv[0]} made no data directory; it said: {directory.log()}")
        _pack(data, archive)
    finally:
        process.close()


def load(admin: Connection, script: Iterable[ScriptStatement]) -> None:
    """Run *script*, each statement in its database.

    Raises:
        BadDataError: If a statement fails, or is for the server's own databases. Names file and line.
        ConnectionLostError: If the server is gone.
    """
    current, statements = "", DumpStatements(admin)
    for line in script:
        if line.database != current:
            current = line.database
            if current in SYSTEM_DATABASES:  # whoever may change it may do anything to the server
                raise BadDataError(f"{line.place}: {current!r} is a database of the server's own: choose another name")
            admin.rows("COMMIT")  # a dump may have turned autocommit off
            admin.rows(
                f"CREATE DATABASE IF NOT EXISTS {quote(current)} CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"
            )
            admin.reset(current)
        statements.run(line)
    admin.rows("COMMIT")
    admin.reset()


def _settle(admin: Connection, program: ServerProgram, names: list[str]) -> None:
    """Have plans depend on nothing that differs from one start to the next."""
    if program.flavour == "mysql":
        admin.rows("UPDATE mysql.engine_cost SET cost_value = 0.25 WHERE cost_name = 'io_block_read_cost'")
    for name in names:
        tables = admin.rows(f"SHOW FULL TABLES FROM {quote(name)} WHERE Table_type = 'BASE TABLE'")
        for table, _ in tables:
            admin.rows(f"ANALYZE TABLE {quote(name)}.{quote(table)}")


def _stop(server: ServerProcess) -> None:
    """A clean end, so that the next start has nothing to mend."""
    with suppress(ConnectionLostError):  # it may hang up before it answers
        server.admin.rows("SHUTDOWN")
    if not server.process.wait(60):
        raise DatabaseError(f"{server.program.title} did not stop")


def _pack(data: Path, archive: Path) -> None:
    """All files of a data directory that are worth keeping."""
    with tarfile.open(archive, "w") as tar:
        for path in sorted(data.iterdir()):
            if not path.name.startswith(NOT_KEPT) and not path.is_socket():
                tar.add(path, arcname=path.name)
