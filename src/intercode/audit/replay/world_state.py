"""What a world holds besides what it began with, in words that people can compare: files, tables, variables."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from intercode.env.env import Env
from intercode.env.state_hash import substance
from intercode.types.databases import DatabaseSession, TableState
from intercode.worlds.bash import BashEnv
from intercode.worlds.python import PythonEnv
from intercode.worlds.sql import SqlEnv
from intercode_sandbox.sandbox import Entry, Session

Kind = Literal["file", "table", "variable", "shell"]

LARGEST = 256 << 10
"""Bytes of a file, and characters of a table, that are shown whole."""

MOST = 1000
"""Files, tables or variables that are looked at."""


@dataclass(frozen=True, slots=True)
class StateItem:
    """A thing that a world holds, at one moment. `text` is None where there is none to show; `about` says the rest."""

    text: str | None
    about: str = ""


Values = Mapping[str, Any]
"""By name what can be compared; None for what is gone."""


class StateReader(Protocol):
    """Reads one kind of things that a world holds. It stands from the beginning of an episode to its end."""

    kind: Kind

    def read(self) -> Values:
        """Return all that differs, or may differ, from the beginning."""

    def original(self, name: str) -> Any:
        """Return the value of *name* at the beginning; None where it was not there."""

    def items(self, before: Any, after: Any) -> tuple[StateItem | None, StateItem | None]:
        """Two values of one name, for people."""

    def close(self) -> None:
        """Give up what reading took."""


def readers(env: Env) -> list[StateReader]:
    """Return those for the episode that has just begun in *env*."""
    found: list[StateReader] = []
    if isinstance(env, PythonEnv):
        found.append(VariableReader(env))
    if isinstance(env, SqlEnv):
        assert env.connection is not None
        found.append(TableReader(env.connection))
    if env.session is not None:
        found.append(FileReader(env))
    if isinstance(env, BashEnv):
        found.append(ShellReader(env))
    return found


@dataclass(frozen=True, slots=True)
class FileValue:
    """A file as compared: what makes a state of it, and its content where that can be shown."""

    entry: tuple[Any, ...]
    item: StateItem


class FileReader:
    """The files of a session, read from outside. What the image has is read in a session of its own."""

    kind: Kind = "file"

    def __init__(self, env: Env) -> None:
        self._env = env
        self._last: dict[str, FileValue | None] = {}
        self._before: dict[str, Entry | None] = {}
        self._pristine: Session | None = None
        self._first = dict(self.read())

    def read(self) -> dict[str, FileValue | None]:
        """See `StateReader`."""
        session = self._env.current_session
        found: dict[str, FileValue | None] = {}
        for change in session.changes():
            if substance(change.before) != substance(change.after) and len(found) < MOST:
                found[change.path] = self._value(session, change.path, change.after)
                self._before[change.path] = change.before
        self._last = found
        return found

    def original(self, name: str) -> FileValue | None:
        """See `StateReader`."""
        if name in self._first:
            return self._first[name]
        entry = self._before.get(name)
        if entry is None:
            return None
        if self._pristine is None:
            limits = self._env.current_session.limits.offline()
            self._pristine = self._env.sandbox.start(self._env.image, started_at=self._env.started_at, limits=limits)
        return FileValue(substance(entry), _read(self._pristine, name, entry))

    def items(self, before: FileValue | None, after: FileValue | None) -> tuple[StateItem | None, StateItem | None]:
        """See `StateReader`."""
        return (None if before is None else before.item), (None if after is None else after.item)

    def close(self) -> None:
        """End the session of its own."""
        if self._pristine is not None:
            self._pristine.close()

    def _value(self, session: Session, path: str, entry: Entry | None) -> FileValue | None:
        if entry is None:
            return None
        known = self._last.get(path)
        if known is not None and known.entry == substance(entry):
            return known
        return FileValue(substance(entry), _read(session, path, entry))


def _read(session: Session, path: str, entry: Entry) -> StateItem:
    about = f"{entry.type}, mode {entry.mode & 0o7777:o}, owner {entry.uid}:{entry.gid}"
    if entry.type != "file":
        return StateItem(None, about)
    try:
        item = _file_item(session.read(path, limit=LARGEST + 1), entry.size)
    except OSError:
        return StateItem(None, f"{about}, cannot be read")
    return StateItem(item.text, f"{about}, {item.about}")


def _file_item(content: bytes, size: int) -> StateItem:
    if len(content) > LARGEST:
        return StateItem(None, f"{size} bytes: too large to be shown")
    try:
        return StateItem(content.decode(), f"{size} bytes")
    except UnicodeDecodeError:
        return StateItem(None, f"{size} bytes that are no text")


class TableReader:
    """The tables of a database, as committed."""

    kind: Kind = "table"

    def __init__(self, session: DatabaseSession) -> None:
        self._session = session
        self._first: Mapping[str, TableState] | None = session.state()

    def read(self) -> Values:
        """See `StateReader`."""
        first = self._first or {}
        if not self._session.changed():
            return {}
        now = self._session.state()
        gone: dict[str, TableState | None] = dict.fromkeys(first.keys() - now.keys())
        return gone | {name: table for name, table in now.items() if first.get(name) != table}

    def original(self, name: str) -> TableState | None:
        """See `StateReader`."""
        return (self._first or {}).get(name)

    def items(self, before: TableState | None, after: TableState | None) -> tuple[StateItem | None, StateItem | None]:
        """See `StateReader`. Of large tables only the rows that one has more often than the other."""
        texts = [None if table is None else _table_text(table.create, table.rows) for table in (before, after)]
        about = ["" if table is None else f"{len(table.rows)} rows" for table in (before, after)]
        if before and after and any(len(text or "") > LARGEST for text in texts):
            rows = [Counter(map(repr, table.rows)) for table in (before, after)]
            only = [sorted((rows[0] - rows[1]).elements()), sorted((rows[1] - rows[0]).elements())]
            texts = [_table_text(table.create, each) for table, each in zip((before, after), only, strict=True)]
            about = [f"{each}, those that are equal left out" for each in about]
        shown = [None if text is None else _text_item(text, each) for text, each in zip(texts, about, strict=True)]
        return shown[0], shown[1]

    def close(self) -> None:
        """It holds nothing."""


def _table_text(create: str, rows: Any) -> str:
    return "\n".join([create, "", *(row if isinstance(row, str) else repr(row) for row in rows)])


def _text_item(text: str, about: str) -> StateItem:
    return StateItem(text, about) if len(text) <= LARGEST else StateItem(None, f"{about}: too large to be shown")


DESCRIBE = """exec('''
import json, re
def shown(value):
    code = getattr(value, "__code__", None)
    if code is not None and getattr(code, "co_filename", "").startswith("<action "):
        return [type(value).__name__, "defined in %s, line %d" % (code.co_filename, code.co_firstlineno)]
    try:
        text = re.sub(" at 0x[0-9a-f]+", "", repr(value))
    except BaseException as error:
        text = "its repr raises %s" % type(error).__name__
    left = len(text) - 4000
    return [type(value).__name__, text[:4000] + (" and %d more characters" % left if left > 0 else "")]
names = [name for name in space if not name.startswith("__")][:500]
print(json.dumps({name: shown(space[name]) for name in names}))
''', {"space": globals()})"""
"""Told to the agent's interpreter: print its variables, and leave none behind."""

SECONDS = 5.0
"""That an interpreter may take to tell its variables."""


class VariableReader:
    """The variables of an interpreter, as it tells them itself: for people to look at, nothing is judged by them."""

    kind: Kind = "variable"

    def __init__(self, env: PythonEnv) -> None:
        self._env = env
        self._last: dict[str, tuple[str, str]] = {}
        self._first = dict(self.read())

    def read(self) -> Values:
        """See `StateReader`. Once the episode is over its interpreter is gone, and what was last known stands."""
        interpreter = self._env.interpreter
        if interpreter is None or self._env.status is not None:
            return self._last
        reply = interpreter.order("run", DESCRIBE, 0, seconds=SECONDS)
        try:
            found = json.loads(reply.text)
            self._last = {name: (str(kind), str(text)) for name, (kind, text) in found.items()}
        except (ValueError, RecursionError, AttributeError, TypeError):  # the agent's code stands in the way
            return self._last
        return self._last

    def original(self, name: str) -> tuple[str, str] | None:
        """See `StateReader`."""
        return self._first.get(name)

    def items(
        self, before: tuple[str, str] | None, after: tuple[str, str] | None
    ) -> tuple[StateItem | None, StateItem | None]:
        """See `StateReader`."""
        return before and StateItem(before[1], before[0]), after and StateItem(after[1], after[0])

    def close(self) -> None:
        """It holds nothing."""


class ShellReader:
    """Where a shell stands."""

    kind: Kind = "shell"

    def __init__(self, env: BashEnv) -> None:
        self._env = env
        self._first = env.cwd

    def read(self) -> Values:
        """See `StateReader`."""
        return {"working directory": self._env.cwd}

    def original(self, name: str) -> str:
        """See `StateReader`."""
        return self._first

    def items(self, before: str, after: str) -> tuple[StateItem | None, StateItem | None]:
        """See `StateReader`."""
        return StateItem(None, before), StateItem(None, after)

    def close(self) -> None:
        """It holds nothing."""
