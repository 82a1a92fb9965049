"""Ask systemd for a transient scope: a control group whose inside is ours, with given processes in it.

This is what `systemd-run --scope -p Delegate=yes` does. A scope ends, and all groups in it are removed, when its last
process has ended, however that came about: nothing is left for anybody to clean up.
"""

from __future__ import annotations

import os
import secrets
import socket
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from intercode_sandbox.embedded.control_groups.groups import ControlGroupError

SECONDS = 15.0
"""How long systemd may take. It takes 10 ms on a quiet machine."""

_UNLIMITED = 2**64 - 1
_MANAGER = "/org/freedesktop/systemd1"


def is_running() -> bool:
    """Return whether systemd runs this machine (or this container)."""
    return Path("/run/systemd/system").is_dir()


def start_scope(processes: Sequence[int]) -> str:
    """Put *processes* in a new scope; its name.

    Asked are the system's systemd by root, the user's own by anybody else: over the bus or, where there is none (no
    `dbus-user-session`), over systemd's private socket.

    Raises:
        ControlGroupError: If nobody makes one. Says what was tried.
    """
    name = f"intercode-{os.getpid()}-{secrets.token_hex(4)}.scope"
    failures = []
    for path, is_bus in _sockets():
        try:
            _start(path, name, processes, is_bus=is_bus)
        except (OSError, ValueError, _RefusedError) as error:
            failures.append(f"{path}: {error}")
        else:
            _wait_for(name, processes)
            return name
    raise ControlGroupError(f"systemd makes no scope ({'; '.join(failures)})", _way_out())


def _sockets() -> Iterator[tuple[Path, bool]]:
    """Yield where systemd listens, and whether that is a bus."""
    if os.geteuid() == 0:
        yield from ((Path("/run/dbus/system_bus_socket"), True), (Path("/run/systemd/private"), False))
        return
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.geteuid()}")  # `su` and `sudo` do not set it
    yield from ((runtime / "bus", True), (runtime / "systemd/private", False))


def _way_out() -> str:
    if os.geteuid() == 0:
        return "is dbus installed and running? systemctl status dbus"
    return f"log in by ssh or a terminal instead of su, or: sudo loginctl enable-linger {os.geteuid()}"


class _RefusedError(Exception):
    """Systemd's own words."""


def _start(path: Path, name: str, processes: Sequence[int], *, is_bus: bool) -> None:
    """Call StartTransientUnit. Raises OSError, ValueError (who are you?) or _RefusedError."""
    from jeepney import DBusAddress, MessageType, new_method_call
    from jeepney.io.blocking import prep_socket

    address = DBusAddress(_MANAGER, "org.freedesktop.systemd1", "org.freedesktop.systemd1.Manager")
    properties = [
        ("Description", ("s", f"InterCode sandboxes of process {os.getpid()}")),
        ("PIDs", ("au", list(processes))),
        ("Delegate", ("b", True)),
        ("TasksMax", ("t", _UNLIMITED)),  # sessions have limits of their own
        ("CollectMode", ("s", "inactive-or-failed")),
    ]
    call = new_method_call(address, "StartTransientUnit", "ssa(sv)a(sa(sv))", (name, "fail", properties, []))
    with prep_socket(str(path), timeout=SECONDS) as connection:
        connection.settimeout(SECONDS)
        if is_bus:
            bus = DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")
            connection.sendall(new_method_call(bus, "Hello").serialise(serial=1))
        connection.sendall(call.serialise(serial=2))
        answer = _answer(connection, to=2)
    if answer.header.message_type is MessageType.error:
        raise _RefusedError(str(answer.body[0] if answer.body else answer.header))


def _answer(connection: socket.socket, to: int) -> Any:
    """Return the answer to our message number *to*; signals and other answers are passed over."""
    from jeepney import HeaderFields, Parser

    parser, until = Parser(), time.monotonic() + SECONDS
    while True:
        message = parser.get_next_message()
        if message is not None:
            if message.header.fields.get(HeaderFields.reply_serial) == to:
                return message
            continue
        connection.settimeout(max(until - time.monotonic(), 0.001))
        data = connection.recv(1 << 16)
        if not data:
            raise ConnectionResetError("systemd hung up")
        parser.add_data(data)


def _wait_for(name: str, processes: Sequence[int]) -> None:
    """Wait until all are in the scope: the answer only says that the work has begun, and they are moved one by one."""
    until, pause = time.monotonic() + SECONDS, 0.001
    while not all(_is_in(name, process) for process in processes):
        if time.monotonic() > until:
            raise ControlGroupError(
                f"systemd began to make {name} and did not finish", f"look at: journalctl -u {name}, and --user"
            )
        time.sleep(pause)
        pause = min(2 * pause, 0.05)


def _is_in(name: str, process: int) -> bool:
    try:
        groups = Path(f"/proc/{process}/cgroup").read_text().splitlines()
    except OSError:  # it has died
        return False
    return any(line.startswith("0::") and line.endswith(f"/{name}") for line in groups)
