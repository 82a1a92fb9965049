"""Attacks through the network: the host's loopback, its abstract sockets, the world outside."""

from __future__ import annotations

import select
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from intercode.sandboxes.base import Session

from .conftest import Compile, Start
from .host import new_marker, outcomes, shell

CONNECT = """#include "attack.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/un.h>

/* Arguments: inet ADDRESS PORT, abstract NAME, or path NAME. */
int main(int argc, char **argv) {
    struct sockaddr_in there = {.sin_family = AF_INET};
    struct sockaddr_un local = {.sun_family = AF_UNIX};
    if (!strcmp(argv[1], "inet")) {
        there.sin_port = htons(atoi(argv[3]));
        inet_pton(AF_INET, argv[2], &there.sin_addr);
        ATTEMPT("stream", connect(socket(AF_INET, SOCK_STREAM, 0), (void *)&there, sizeof there));
        ATTEMPT("datagram", sendto(socket(AF_INET, SOCK_DGRAM, 0), "hello", 5, 0, (void *)&there, sizeof there));
    } else {
        int hidden = !strcmp(argv[1], "abstract");
        strcpy(local.sun_path + hidden, argv[2]);
        socklen_t size = offsetof(struct sockaddr_un, sun_path) + strlen(argv[2]) + hidden;
        ATTEMPT("stream", connect(socket(AF_UNIX, SOCK_STREAM, 0), (void *)&local, size));
        ATTEMPT("datagram", sendto(socket(AF_UNIX, SOCK_DGRAM, 0), "hello", 5, 0, (void *)&local, size));
    }
    return 0;
}
"""


@contextmanager
def listening(family: int, address: object) -> Iterator[socket.socket]:
    """A server of the host's."""
    with socket.socket(family, socket.SOCK_STREAM) as server:
        server.bind(address)  # type: ignore[arg-type]
        server.listen()
        yield server


def heard(server: socket.socket) -> bool:
    """Whether somebody has come, or comes within a moment."""
    return bool(select.select([server], [], [], 0.2)[0])


@pytest.mark.parametrize("bound", ["127.0.0.1", "0.0.0.0"])
def test_servers_of_the_host_cannot_be_reached(session: Session, attack: Compile, bound: str) -> None:
    with listening(socket.AF_INET, (bound, 0)) as server:
        port = server.getsockname()[1]
        for address in {"127.0.0.1", "127.0.1.1", *_addresses()}:
            found = outcomes(session, attack(CONNECT), "inet", address, str(port))
            assert found["stream"] in ("ECONNREFUSED", "ENETUNREACH"), address
        assert not heard(server)
        with closing(socket.create_connection(("127.0.0.1", port), 5)):  # the server is not at fault
            assert heard(server)


def test_abstract_sockets_of_the_host_cannot_be_reached(session: Session, attack: Compile) -> None:
    """They have no place in the file system: only another network namespace keeps them apart."""
    name = new_marker()
    with listening(socket.AF_UNIX, f"\0{name}") as server:
        found = outcomes(session, attack(CONNECT), "abstract", name)
        assert found == {"stream": "ECONNREFUSED", "datagram": "ECONNREFUSED"}
        assert name not in shell(session, "cat /proc/net/unix").text
        assert name in Path("/proc/net/unix").read_text()
        assert not heard(server)


def test_sockets_in_the_hosts_file_system_cannot_be_reached(session: Session, attack: Compile, tmp_path: Path) -> None:
    path = tmp_path / "socket"
    with listening(socket.AF_UNIX, str(path)) as server:
        found = outcomes(session, attack(CONNECT), "path", str(path))
        assert found == {"stream": "ENOENT", "datagram": "ENOENT"}
        assert not heard(server)


@pytest.mark.parametrize("address", ["192.0.2.1", "1.1.1.1", "169.254.169.254", "10.0.0.1", "255.255.255.255"])
def test_the_world_outside_cannot_be_reached(session: Session, attack: Compile, address: str) -> None:
    """Not even the address where clouds hand out credentials. No route is an error at once, not a time-out."""
    found = outcomes(session, attack(CONNECT), "inet", address, "80")
    assert set(found.values()) <= {"ENETUNREACH", "EACCES"}


def test_there_is_loopback_and_nothing_else(session: Session) -> None:
    lines = shell(session, "cat /proc/net/dev").text.splitlines()[2:]
    assert [line.split(":")[0].strip() for line in lines] == ["lo"]
    assert len(shell(session, "cat /proc/net/route").text.splitlines()) <= 1


def test_names_outside_are_not_found(session: Session) -> None:
    assert shell(session, "getent hosts example.org || timeout 5 bash -c '</dev/tcp/example.org/80'").exit_code != 0


def test_sessions_do_not_reach_each_other(start: Start, attack: Compile) -> None:
    """Each has a loopback of its own, which works inside."""
    serve = CONNECT.replace("int main(int argc, char **argv) {", "int main(int argc, char **argv) {" + """
        struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(8000)};
        int server = socket(AF_INET, SOCK_STREAM, 0);
        if (bind(server, (void *)&any, sizeof any) < 0 || listen(server, 1) < 0) return 1;
        write(1, "up", 2);
        pause();
    """)  # fmt: skip
    one, other = start(), start()
    one.write("/tmp/serve", attack(serve), mode=0o755)
    with closing(one.open(["/tmp/serve", "inet"])) as server:
        assert server.receive(5) == b"up"
        assert outcomes(one, attack(CONNECT), "inet", "127.0.0.1", "8000")["stream"] == "done"
        assert outcomes(other, attack(CONNECT), "inet", "127.0.0.1", "8000")["stream"] == "ECONNREFUSED"


def _addresses() -> set[str]:
    """The machine's own addresses, as far as its name tells."""
    try:
        return set(socket.gethostbyname_ex(socket.gethostname())[2])
    except OSError:
        return set()
