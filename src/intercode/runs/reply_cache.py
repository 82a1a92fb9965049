"""Replies that are kept, so that a question which was put before costs nothing: for work on agents, and for reruns.

One file of SQLite, which any number of threads and processes use at once. Keys and headers never come near it.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import msgspec

from intercode.errors import MachineError
from intercode.models.base import ChatModel, prepare
from intercode.types.conversation import Message, Reply, Tool
from intercode.util.decoding import ready

PATIENCE = 30.0
"""Seconds to wait for others that write."""

TABLE = "CREATE TABLE IF NOT EXISTS replies (question BLOB PRIMARY KEY, reply TEXT NOT NULL) WITHOUT ROWID"

NO_MATTER = frozenset({"timeout", "tries", "wait", "requests_per_minute", "tokens_per_minute", "key_env"})
"""Options that no answer depends on."""


class ReplyCache(ChatModel):
    """Asks *model* what the file at *path* has no answer to, and keeps the answer there.

    Two questions are the same if the model's *name*, its *options*, the messages, the tools and the seed are.

    Raises:
        MachineError: If the file cannot be used.
    """

    def __init__(self, model: ChatModel, path: Path, name: str, options: Mapping[str, str]) -> None:
        self._model, self._path = model, path
        self._asked = [name, *sorted(pair for pair in options.items() if pair[0] not in NO_MATTER)]
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))  # conversations are nobody else's business
        except OSError as error:
            raise MachineError(f"cannot keep replies in {path}: {error.strerror}") from error
        with self._connect() as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(TABLE)

    def prepare(self) -> None:
        prepare(self._model)

    def complete(self, messages: Sequence[Message], *, tools: Sequence[Tool] = (), seed: int | None = None) -> Reply:
        """See `Model.complete`. A reply that was kept has `tries` 0."""
        question = self._digest(messages, tools, seed)
        with self._connect() as connection:
            row = connection.execute("SELECT reply FROM replies WHERE question = ?", (question,)).fetchone()
        if row is not None:
            return _free(msgspec.convert(json.loads(row[0]), ready(Reply)))
        reply = self._model.complete(messages, tools=tools, seed=seed)
        with self._connect() as connection:
            text = json.dumps(msgspec.to_builtins(reply))  # of msgspec's JSON half a surrogate pair is no part
            connection.execute("INSERT OR IGNORE INTO replies VALUES (?, ?)", (question, text))
        return reply

    def _digest(self, messages: Sequence[Message], tools: Sequence[Tool], seed: int | None) -> bytes:
        """Return the question's name in the file."""
        question = msgspec.to_builtins([self._asked, [message.as_dict() for message in messages], tools, seed])
        return sha256(repr(question).encode("utf-8", "backslashreplace")).digest()

    @contextmanager
    def _connect(self) -> Iterator[sqlite3.Connection]:
        """Provide a connection for one statement: opening it is quick, and no other thread or process has it."""
        try:
            with closing(sqlite3.connect(self._path, timeout=PATIENCE)) as connection, connection:
                yield connection
        except sqlite3.Error as error:
            raise MachineError(f"cannot use the replies in {self._path}: {error}") from error


def _free(reply: Reply) -> Reply:
    """Return *reply* as one that nobody was asked for."""
    usage = replace(reply.usage, cost=0.0, from_cache=reply.usage.tokens)
    return replace(reply, usage=usage, seconds=0.0, tries=0)
