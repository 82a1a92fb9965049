"""The outer end of a terminal on which one program, such as Bash, is typed to, and on which all others find no input.

While a program edits a line it has the terminal give it each byte (VMIN is 1). Before and after that the terminal is as
it was made: whoever reads finds the end of the input (VMIN is 0). So what is typed reaches the line editor alone, and
the modes say from outside whether it waits. A change of modes wakes who waits here (packet mode, with EXTPROC).
"""

from __future__ import annotations

import fcntl
import os
import struct
import termios
import time
from contextlib import suppress

from intercode_sandbox.util.polling import readable_of

_UNLOCK, _PEER, _SIGNAL = 0x40045431, 0x5441, 0x40045436
"""TIOCSPTLCK, TIOCGPTPEER and TIOCSIG."""

_EXTPROC, _CHARACTERS = 0x10000, 17
"""A local mode that Python has no name for; where `struct termios` of the kernel has the special characters."""

_ROOM = 1 << 16
_PATIENCE = 10.0


class OuterTerminal:
    """Made of the outer end, which it closes in the end; `inner` is the other end, for the program, to be closed."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        fcntl.ioctl(descriptor, _UNLOCK, struct.pack("i", 0))
        self.inner: int = fcntl.ioctl(descriptor, _PEER, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
        modes = termios.tcgetattr(self.inner)
        modes[0] = modes[1] = 0
        modes[3] = _EXTPROC
        modes[6][termios.VMIN] = modes[6][termios.VTIME] = 0
        termios.tcsetattr(self.inner, termios.TCSANOW, modes)
        fcntl.ioctl(descriptor, termios.TIOCPKT, struct.pack("i", 1))
        os.set_blocking(descriptor, False)
        self.is_left = False
        """Whether every program has closed the inner end."""

        self._printed, self._is_unread = b"", False
        """What was printed to the terminal; whether the modes are as they were when something was typed."""

        self._program = 0
        """The process group that first edited a line."""

    def type(self, data: bytes) -> None:
        """Type *data*.

        Raises:
            BrokenPipeError: If nobody takes it.
        """
        until = time.monotonic() + _PATIENCE
        self._read()
        self._is_unread = True
        while data:
            try:
                data = data[os.write(self.descriptor, data) :]
            except BlockingIOError:
                if time.monotonic() > until:
                    raise BrokenPipeError("nobody reads what is typed") from None
                time.sleep(0.001)
            except OSError as error:
                raise BrokenPipeError("the terminal has been left") from error

    def _read(self) -> None:
        """Take in what was printed to the terminal itself, or that its modes have changed."""
        try:
            packet = os.read(self.descriptor, _ROOM)
        except BlockingIOError:
            return
        except OSError:
            self.is_left = True
            return
        if packet[0]:
            self._is_unread = False
        else:
            self._printed += packet[1:]

    def receive(self, output: int, timeout: float) -> tuple[bytes, bool]:
        """Wait until something is printed, to the terminal or to the pipe *output*, or the modes change.

        Returns:
            What was printed to the terminal, and whether *output* can be read.
        """
        ready = readable_of((output,) if self.is_left else (output, self.descriptor), timeout)
        if self.descriptor in ready:
            self._read()
        printed, self._printed = self._printed, b""
        return printed, output in ready

    @property
    def is_editing(self) -> bool:
        """Whether the program edits a line, has taken what was typed, and none that it has started has the terminal."""
        if self._is_unread:
            return False
        try:
            modes = fcntl.ioctl(self.descriptor, termios.TCGETS, bytes(64))
            if struct.unpack_from("4I", modes)[3] & termios.ICANON or modes[_CHARACTERS + termios.VMIN] != 1:
                return False
            group = os.tcgetpgrp(self.descriptor)
            if group == self._program and modes[_CHARACTERS + termios.VLNEXT]:  # which line editors switch off
                os.write(self.descriptor, b"\n")  # it wants a key, as Bash does for `read -n`
                return False
        except OSError:
            return False
        self._program = self._program or group
        return group == self._program

    def signal(self, number: int) -> None:
        """Send SIGINT or SIGQUIT to the process group that has the terminal."""
        with suppress(OSError):
            fcntl.ioctl(self.descriptor, _SIGNAL, number)

    def close(self) -> None:
        """Hang up."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1
