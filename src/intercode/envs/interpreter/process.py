"""The host's side of an interpreter: start it, give it orders, read what it did, end it."""

from __future__ import annotations

import marshal
import signal
import time
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from intercode.envs.core.fresh import new_word
from intercode.envs.core.stream import Stream, read
from intercode.envs.interpreter import inside
from intercode.errors import ImageError, SandboxError
from intercode.sandboxes.base import Process, Result, Session

PYTHON = "python3"
"""The program; the image's own."""

GRACE = 1.0
"""Seconds that code has to end once it is interrupted."""

BOOT = """\
import marshal, os, sys
size, code = int.from_bytes(os.read(0, 4), "big"), b""
while len(code) < size:
    code += os.read(0, size - len(code))
sys.path[:], parts = marshal.loads(code)
for name, part in parts:
    module = sys.modules[name] = type(os)(name)
    exec(part, vars(module))
module.begin(int(sys.argv[1]), sys.argv[2])
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
class Reply:
    """What became of an order: `end` is the program's word for it, `result` what was printed and how long it took.

    `fate` says what was done to it: "" for nothing, "interrupted", "killed" (the interpreter with it), or "died", where
    the interpreter ended by itself, now or since the last order, with the exit code that the result has. After the
    last two its state is gone.
    """

    result: Result
    end: str = ""
    fate: str = ""

    @property
    def text(self) -> str:
        """What was printed; bytes that are not UTF-8 become U+FFFD."""
        return self.result.text

    @property
    def is_lost(self) -> bool:
        """Whether all that the interpreter knew is gone."""
        return self.fate in ("killed", "died")


def compile_program(session: Session) -> bytes:
    """The program as the Python in *session* compiles it. Raises ImageError where there is none."""
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
    """One Python in *session*, which executes *program*: started with the first order, and anew once it has died."""

    def __init__(self, session: Session, program: bytes) -> None:
        self.session = session
        self._program = program
        self._process: Process | None = None
        self._number = self._generation = 0
        self._word = b""

    def warm(self) -> None:
        """Start it, and wait until it is ready. Raises SandboxError where it does not come up."""
        reply = self.order("reset", seconds=self.session.limits.seconds)
        if reply.fate:
            raise SandboxError(f"{PYTHON} does not start in a session of image {self.session.image.name}: {reply.text}")

    def order(self, name: str, *arguments: Any, seconds: float, limit: int | None = None) -> Reply:
        """Have it done, for *seconds* at most; of what it prints *limit* bytes are kept (None: the session's)."""
        if self._process is not None and (code := self._process.exit_code) is not None:
            self.close()
            return Reply(Result(code, b""), fate="died")
        process = self._process = self._process or self._start()
        self._number += 1
        stream = Stream(self.session.limits.output if limit is None else limit, self._word, self._is_mine)
        began = time.monotonic()
        _send(process, marshal.dumps((self._number, self._generation, name, *arguments), MARSHAL))
        fate = self._wait(process, stream, seconds)
        return self._reply(process, stream, fate, time.monotonic() - began)

    def close(self) -> None:
        """Kill it and what it started."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def _is_mine(self, end: str) -> bool:
        """Whether an end is about the order given last, or about the whole interpreter (0)."""
        return end.partition(" ")[0] in (str(self._number), "0")

    def _start(self) -> Process:
        """Without `site`, whose work takes a third of the time and is the same in every session: see `begin`."""
        self._word, self._generation = new_word().encode(), 0
        argv = [PYTHON, "-S", "-c", BOOT, str(self.session.limits.memory), self._word.decode()]
        process = self.session.open(argv, env={**self.session.image.env, **ENV})
        _send(process, self._program)
        return process

    def _wait(self, process: Process, stream: Stream, seconds: float) -> str:
        """Read until the order is done; "" if so, else what was done to it."""
        if read(process, stream, seconds):
            return ""
        process.signal(signal.SIGINT)
        return "interrupted" if read(process, stream, GRACE) and stream.is_complete else "killed"

    def _reply(self, process: Process, stream: Stream, fate: str, seconds: float) -> Reply:
        number, _, end = stream.end.partition(" ")
        if stream.is_complete and number != "0" and end != "stale":
            return Reply(stream.result(0, fate, seconds), end, fate)
        if stream.is_complete and end != "stale":
            self._generation += 1
            code = _number(end.rpartition(" ")[2])
        else:
            code = process.exit_code or 0  # or somebody has forged an end, and nothing fits any more
            self.close()
        return Reply(stream.result(code, fate, seconds), fate=fate if fate == "killed" else "died")


def _send(process: Process, data: bytes) -> None:
    with suppress(BrokenPipeError):  # it has just ended: whoever reads will see that
        process.send(len(data).to_bytes(4, "big") + data)


def _number(text: str) -> int:
    """An exit code; 0 for what no program of ours says."""
    return int(text) if text.isdecimal() and len(text) < 4 else 0
