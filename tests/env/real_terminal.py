"""A real interactive Bash on a real terminal: what the persistent shell is measured against."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import subprocess
import termios
import time
from dataclasses import dataclass

BOX = (
    "bwrap --ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --unshare-pid --unshare-ipc --die-with-parent "
    "--chdir / /bin/bash --norc --noprofile -i"
)
SECONDS = 8.0
SET_UP = "bind 'set enable-bracketed-paste off'; PS1= PS2=; set +o history +H; X=kept; cd /tmp; builtin printf ready"
BEGIN, END = "\n<the input ended with ", ">, says the test\n"
"""Around the status and `X`: no input prints that, whose output comes in pieces."""

DONE = 'builtin printf \'\\n<the input ended with %s %s>, says the test\\n\' "$?" "$X"'
INTERRUPT = b"\x03"


@dataclass(frozen=True)
class Seen:
    """What came of an input: what Bash printed, its exit status, and whether it lives on with its variables."""

    text: str
    status: int | None
    lives: bool


def on_terminal(command: str, *, is_cut_off: bool = False) -> Seen:
    """Type *command*; with ^C behind it where it *is_cut_off*, for Bash would wait for the rest."""
    outer, inner = pty.openpty()
    modes = termios.tcgetattr(inner)
    modes[1] &= ~termios.OPOST
    modes[3] &= ~termios.ECHO
    termios.tcsetattr(inner, termios.TCSANOW, modes)
    environment = {"PATH": os.environ["PATH"], "TERM": "dumb", "HOME": "/root", "HOSTNAME": "intercode"}
    process = subprocess.Popen(
        BOX.split(), stdin=inner, stdout=inner, stderr=inner, env=environment, start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )  # fmt: skip
    os.close(inner)
    try:
        _write(outer, SET_UP + "\n")
        _read(outer, "ready")
        _await_editor(outer)
        _write(outer, command + "\n")
        if is_cut_off:
            time.sleep(0.05)
            os.write(outer, INTERRUPT)
            time.sleep(0.05)
        _write(outer, DONE + "\n")
        said = _read(outer, END)
    finally:
        process.kill()
        process.wait()
        os.close(outer)
    text, mark, end = said.rpartition(BEGIN)
    if not mark:
        return Seen(said, None, lives=False)
    status, _, kept = end.partition(" ")
    return Seen(text, int(status), lives=kept.startswith("kept"))


def _write(terminal: int, text: str) -> None:
    data = text.encode()
    while data:
        data = data[os.write(terminal, data[:1024]) :]


def _await_editor(terminal: int) -> None:
    """Wait until Bash reads keys: before that the terminal itself takes a line, and 4,095 bytes of it at most."""
    until = time.monotonic() + SECONDS
    while termios.tcgetattr(terminal)[3] & termios.ICANON and time.monotonic() < until:
        time.sleep(0.001)


def _read(terminal: int, end: str) -> str:
    output, until = b"", time.monotonic() + SECONDS

    def is_more() -> bool:
        return bool(select.select([terminal], [], [], max(0.0, until - time.monotonic()))[0])

    while not output.endswith(end.encode()) and is_more():
        try:
            block = os.read(terminal, 65536)
        except OSError:
            break
        if not block:
            break
        output += block
    return output.decode("utf-8", "replace")
