"""The host's side of an interpreter: start it, give it orders, read what it did, end it."""

from __future__ import annotations

import marshal
import signal
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any

from intercode.env.command_output import CommandOutput, new_end_marker, read
from intercode.errors import ImageError, SandboxError
from intercode.worlds.python import inside
from intercode_sandbox.deadline import Deadline
from intercode_sandbox.sandbox import Process, Result, Session

PYTHON = "python3"
"""The program; the image's own."""

GRACE = 1.0
"""Seconds that code has to end once it is interrupted."""

START = 10.0
"""Seconds that Python has to start."""

BOOT = """\
import marshal, os, sys
size, code = int.from_bytes(os.read(0, 4), "big"), b""
while len(code) < size:
    code += os.read(0, size - len(code))
sys.path[:], parts = marshal.loads(code)
for name, part in parts:
    module = sys.modules[name] = type(os)(name)
    exec(part, vars(module))
module.begin()
"""
"""What Python is told to do: read the program, compiled, from its standard input, and begin."""

COMPILE = """\
import marshal, sys
texts = sys.stdin.read().split("\\0")
parts = [(name, compile(text, name, "exec")) for name, text in zip(texts[::2], texts[1::2])]
print(marshal.dumps((sys.path, parts)).hex())
"""
"""How it is compiled: by the Python that runs it, which tells besides where it looks for modules."""

ENV = {"PYTHONHASHSEED": "0", "PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1"}
"""So that an action does the same in every episode."""

MARSHAL = 2
"""The format of orders: every Python of today reads it."""


@dataclass(frozen=True, slots=True)
class InterpreterReply:
    """What became of an order: `end` is the program's word for it, `result` what was printed and how long it took.

    `fate` says what was done to it: "" for nothing, "interrupted", "killed" (the interpreter with it), "died", where
    the interpreter ended by itself, now or since the last order, with the exit code that the result has, "forged",
    where somebody has answered in its place, and all that ran in the session was killed, or "absent", where Python
    does not even start when nothing else runs in the session. After the last four its state is gone.
    """

    result: Result
    end: str = ""
    fate: str = ""

    @property
    def text(self) -> str:
        """Return what was printed; bytes that are not UTF-8 become U+FFFD."""
        return self.result.text

    @property
    def is_lost(self) -> bool:
        """Return whether all that the interpreter knew is gone."""
        return self.fate in ("killed", "died", "forged", "absent")


def compile_program(session: Session) -> bytes:
    """Return the program as the Python in *session* compiles it.

    Raises:
        ImageError: If there is none.
    """
    folder = files(inside)
    texts = [(f"{inside.__name__}.{name}", folder.joinpath(f"{name}.py").read_text("utf-8")) for name in inside.MODULES]
    source = "\0".join(["\0".join(pair) for pair in [(inside.__name__, ""), *texts]]).encode()
    done = session.run([PYTHON, "-c", COMPILE], stdin=source, env={**session.image.env, **ENV})
    if done.exit_code in (126, 127):
        raise ImageError(f"the image {session.image.name} has no {PYTHON}, which this world needs: {done.text.strip()}")
    if done.exit_code:
        raise ImageError(f"the {PYTHON} of image {session.image.name} does not run: {done.text.strip()[-300:]}")
    return bytes.fromhex(done.text)


class Interpreter:
    """One Python in *session*, which executes *program*: started with the first order, and anew once it has died.

    Each order brings a word of its own, which its answer must begin with. So nobody can answer an order before it is
    given; and once any other answer is seen, whoever wrote it and whatever it wrote are gone before the next order.
    """

    def __init__(self, session: Session, program: bytes) -> None:
        self.session = session
        self._program = program
        self._process: Process | None = None
        self.untold: InterpreterReply | None = None
        """What became of it when nobody could be told: the next order's reply."""

        self.modules: tuple[str, ...] = ()
        """What it had imported before it was given anything to run."""

        self._word = b""

    def warm(self, modules: tuple[str, ...] = ()) -> None:
        """Start it, have it import *modules*, and wait until it is ready.

        Raises:
            SandboxError: If that fails.
        """
        where = f"in a session of image {self.session.image.name}"
        if (reply := self._start()).fate:
            raise SandboxError(f"{PYTHON} does not start {where}: {reply.text}")
        if modules and (reply := self._ask("get_ahead", list(modules), seconds=START)).end != "done":
            raise SandboxError(f"{PYTHON} does not import {', '.join(modules)} {where}: {reply.end or reply.fate}")
        self.modules = modules

    def order(
        self, name: str, *arguments: Any, seconds: float, limit: int | None = None, judging: bool = False
    ) -> InterpreterReply:
        """Have it done, for *seconds* at most; of what it prints *limit* bytes are kept (None: the session's).

        *judging*: the seconds are of time that others cannot slow, whoever's session it is (see `Session.deadline`).
        """
        if (untold := self.untold) is not None:
            self.untold = None
            return untold
        if self._process is not None and (code := self._process.exit_code) is not None:
            self.close()
            return InterpreterReply(Result(code, b""), fate="died")
        if self._process is None and self._start().fate:
            self.session.kill()  # what its predecessor has left behind may take up all there is
            if (started := self._start()).fate:
                return replace(started, fate="absent")
        return self._ask(name, *arguments, seconds=seconds, limit=limit, judging=judging)

    @property
    def process(self) -> Process | None:
        """The one that it is at the moment; None before the first order, and where it has to be started again."""
        return self._process

    @property
    def is_alive(self) -> bool:
        """Return whether its process runs."""
        try:
            return self._process is not None and self._process.exit_code is None
        except SandboxError:  # nor does its session
            return False

    def close(self) -> None:
        """Kill it and what it started."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def _start(self) -> InterpreterReply:
        """Without `site`, whose work takes a third of the time and is the same in every session: see `begin`."""
        self._word, self.modules = new_end_marker().encode(), ()
        self._process = self.session.open([PYTHON, "-S", "-c", BOOT], env={**self.session.image.env, **ENV})
        _send(self._process, self._program)
        _send(self._process, marshal.dumps((self.session.limits.memory, self._word), MARSHAL))
        return self._ask("reset", seconds=START)

    def _ask(
        self, name: str, *arguments: Any, seconds: float, limit: int | None = None, judging: bool = False
    ) -> InterpreterReply:
        assert self._process is not None
        key, began = new_end_marker(), time.monotonic()
        stream = CommandOutput(self.session.limits.output if limit is None else limit, self._word)
        _send(self._process, marshal.dumps((key, name, *arguments), MARSHAL))
        try:
            fate = self._wait(self._process, stream, self.session.deadline(seconds, judging=judging))
        except KeyboardInterrupt:
            self._abandon(self._process, stream, key)
            raise
        return self._reply(self._process, stream, fate, key, time.monotonic() - began)

    def _wait(self, process: Process, stream: CommandOutput, deadline: Deadline) -> str:
        """Read until the order is done; "" if so, else what was done to it."""
        if read(process, stream, deadline):
            return ""
        return self._stop(process, stream)

    def _stop(self, process: Process, stream: CommandOutput) -> str:
        """Interrupt what runs; "killed" says that it does not heed that."""
        process.signal(signal.SIGINT)
        return "interrupted" if read(process, stream, GRACE) and stream.is_complete else "killed"

    def _abandon(self, process: Process, stream: CommandOutput, key: str) -> None:
        """End an order for which nobody waits any more; that all is lost, if it is, the next one is told."""
        reply = self._reply(process, stream, self._stop(process, stream), key, 0.0)
        if reply.is_lost:
            self.untold = reply

    def _reply(self, process: Process, stream: CommandOutput, fate: str, key: str, seconds: float) -> InterpreterReply:
        answered, _, end = stream.end.partition(" ")
        if stream.is_complete and answered == key and b"\0" + self._word not in stream.data:
            return InterpreterReply(stream.result(0, fate, seconds), end, fate)
        code = process.exit_code or 0
        self.close()
        if not stream.is_complete:
            return InterpreterReply(stream.result(code, fate, seconds), fate=fate or "died")
        self.session.kill()  # whoever has forged it may have left somebody behind
        return InterpreterReply(stream.result(0, "", seconds), fate="forged")


def _send(process: Process, data: bytes) -> None:
    with suppress(BrokenPipeError):  # it has just ended: whoever reads will see that
        process.send(len(data).to_bytes(4, "big") + data)
