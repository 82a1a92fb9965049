"""A socket that belongs to a session's network and is held outside of it.

Only a process in a network namespace can make a socket of it, and only its sockets reach it. So a program in the
session makes one, before an agent comes, and hands it out; it can then be handed on to another session, whose programs
accept from it what connects here. Neither session gets any other way to the other.
"""

from __future__ import annotations

import array
import socket
from collections.abc import Mapping

from intercode.errors import SandboxError
from intercode.polling import readable
from intercode.sandboxes.runner.channel import ANSWER_SECONDS, Channel
from intercode.sandboxes.runner.command import RunnerProcess

_MAKE = """
import array, errno, socket, sys, time
server = socket.socket()
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
server.bind(("127.0.0.1", int(sys.argv[1])))
server.listen(128)
given, outside = array.array("i", [server.fileno()]), socket.socket(fileno=0)
for left in reversed(range(50)):
    try:
        outside.sendmsg([b"s"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, given)])
        break
    except OSError as error:
        if error.errno != errno.ETOOMANYREFS or not left:
            raise
        time.sleep(0.1)
"""
"""It tries again where too many descriptors are under way: those of other processes of the same user count too."""


def listening_socket(channel: Channel, port: int, env: Mapping[str, str]) -> socket.socket:
    """See `Session.listen`; the caller holds the channel's lock."""
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            process = RunnerProcess(
                channel, ["python3", "-I", "-S", "-c", _MAKE, str(port)], "/", env, stdin=theirs.fileno()
            )
        try:
            descriptor = _receive(ours)
            if descriptor is None:
                raise SandboxError(f"no socket on port {port} of a session: {_last_line(process)}")
        finally:
            process.close()
    return socket.socket(fileno=descriptor)


def _receive(channel: socket.socket) -> int | None:
    """The descriptor that comes, or None where the other side has ended without sending one."""
    if not readable(channel.fileno(), ANSWER_SECONDS):
        return None
    _, ancillary, _, _ = channel.recvmsg(1, socket.CMSG_SPACE(4), socket.MSG_CMSG_CLOEXEC)
    for level, kind, content in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            return array.array("i", content[:4])[0]
    return None


def _last_line(process: RunnerProcess) -> str:
    said = b""
    while block := process.receive(0.5):
        said += block
    return said.decode("utf-8", "replace").strip().rpartition("\n")[2] or "it said nothing in time"
