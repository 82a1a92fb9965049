"""Stands before a service, in its sandbox: takes what connects in the agent's, and hands it to the service.

    python3 -I -S relay.py MODE PORT LOG PROGRAM ARGUMENT…

Standard input is the socket that listens in the agent's network. Says `ready` when the service can be reached.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from typing import BinaryIO

MOST = 64
"""Connections at a time; more are refused."""

PATIENCE = 8.0
"""Seconds that a server may take to come up."""


def main(mode: str, port: int, log: str, argv: list[str]) -> int:
    """Serve until killed. 1 when the service does not come up."""
    listener = socket.socket(fileno=0)
    room = threading.Semaphore(MOST)
    with open(log, "wb") as said:
        if mode == "server":
            server = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
            if not _comes_up(server, port):
                return 1
        print("ready", flush=True)
        while True:
            connection, _ = listener.accept()
            if room.acquire(blocking=False):
                threading.Thread(target=_serve, args=(connection, room, mode, port, argv, said), daemon=True).start()
            else:
                connection.close()


def _comes_up(server: subprocess.Popen[bytes], port: int) -> bool:
    """Return whether the server listens in time."""
    end = time.monotonic() + PATIENCE
    while server.poll() is None and time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return True
        except OSError:
            time.sleep(0.01)
    return False


def _serve(
    connection: socket.socket, room: threading.Semaphore, mode: str, port: int, argv: list[str], said: BinaryIO
) -> None:
    """One connection, from its beginning to its end."""
    try:
        with connection:
            if mode == "server":
                with socket.create_connection(("127.0.0.1", port), 5) as server:
                    back = threading.Thread(target=_pump, args=(server, connection), daemon=True)
                    back.start()
                    _pump(connection, server)
                    back.join()
            else:
                subprocess.run(argv, stdin=connection.fileno(), stdout=connection.fileno(), stderr=said, check=False)
    except OSError:
        pass  # one side has gone
    finally:
        room.release()


def _pump(source: socket.socket, target: socket.socket) -> None:
    """Carry bytes one way until that way is closed."""
    try:
        while block := source.recv(65536):
            target.sendall(block)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # one side has gone


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:]))
