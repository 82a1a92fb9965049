"""A sandbox of another process keeps the whole contract; its socket is this user's alone."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from intercode_sandbox import images
from intercode_sandbox.embedded import EmbeddedSandbox, scratch
from intercode_sandbox.embedded.user_namespace import find_user
from intercode_sandbox.errors import SandboxError, UserError
from intercode_sandbox.images import Image
from intercode_sandbox.remote import RemoteSandbox, SandboxServer, messages
from intercode_sandbox.sandbox import Sandbox, Session
from intercode_sandbox.testing.contract import SandboxContract
from intercode_sandbox.testing.fixtures import contract_image

HOST = images.find("host")


@contextmanager
def serving(path: Path) -> Iterator[SandboxServer]:
    known = {"host": HOST, "contract": contract_image(HOST)}
    with SandboxServer(EmbeddedSandbox(), path, find=known.__getitem__) as server:
        thread = threading.Thread(target=server.serve)
        thread.start()
        yield server
        server.close()
        thread.join()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    path = tmp_path_factory.mktemp("server") / "socket"
    with serving(path):
        yield path


@pytest.fixture
def session(place: Path) -> Iterator[Session]:
    with RemoteSandbox(place) as sandbox, sandbox.start(HOST) as session:
        yield session


class TestRemoteSandbox(SandboxContract):
    no_count = no_order = "" if scratch.tmpfs_suffices() else "what sessions write is on a disk here"
    no_owners = no_users = (
        "" if find_user().kind != "single" else "a user without a range in /etc/subuid has one id to give"
    )

    @pytest.fixture
    def sandbox(self, place: Path) -> Iterator[Sandbox]:
        with RemoteSandbox(place) as sandbox:
            yield sandbox

    @pytest.fixture
    def image(self) -> Image:
        return HOST


def test_another_process_attaches_to_a_session_and_finds_it_as_it_was_left(tmp_path: Path) -> None:
    """Though whoever started it has gone; the server is a process of its own, and its end is that of all sessions."""
    path = tmp_path / "socket"
    command = [sys.executable, "-m", "intercode_sandbox", "serve", "--socket", str(path), "--image", "host"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            assert server.stdout.readline() == f"serving at {path}\n"
            with RemoteSandbox(path) as first:
                session = first.start(HOST)
                session.write("/work/note", b"left here")
                name = first.detach(session)
            with RemoteSandbox(path) as second, second.attach(name) as again:
                assert (again.image.name, again.read("/work/note")) == ("host", b"left here")
                with pytest.raises(UserError, match="is served; there are: host"):
                    second.start(images.find("debian"))
        finally:
            server.terminate()
    assert server.returncode == 0
    assert not path.exists()


def test_closing_a_client_ends_what_it_started_and_nothing_else(place: Path) -> None:
    with RemoteSandbox(place) as other, other.start(HOST) as others:
        with RemoteSandbox(place) as sandbox:
            ours = sandbox.start(HOST)
            attached = sandbox.attach(others.name)
        with pytest.raises(SandboxError, match="not here"):
            other.attach(ours.name)
        assert attached.name == others.name
        assert others.run(["/bin/echo", "on"]).text == "on\n"


def test_what_a_killed_client_started_ends_with_it(place: Path) -> None:
    """But for what it has detached."""
    program = f"""
import os, signal
from intercode_sandbox import images
from intercode_sandbox.remote import RemoteSandbox

sandbox = RemoteSandbox({str(place)!r})
left, kept = sandbox.start(images.find("host")), sandbox.start(images.find("host"))
sandbox.detach(kept)
print(left.name, kept.name, left.snapshot().name, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=False)
    left, kept, snapshot = done.stdout.split()
    assert done.returncode == -9
    with RemoteSandbox(place) as sandbox:
        for name in (left, snapshot):
            assert _disappears(sandbox, name)
        with sandbox.attach(kept) as session:
            assert session.run(["/bin/echo", "on"]).text == "on\n"


def _disappears(sandbox: RemoteSandbox, name: str) -> bool:
    for _ in range(200):
        try:
            sandbox.attach(name)
        except SandboxError:
            return True
        except UserError:  # a snapshot, which nobody can attach to, is still there
            pass
        time.sleep(0.05)
    return False


def test_the_socket_is_this_users_alone(place: Path) -> None:
    assert place.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "said",
    [
        {"method": "__init__"},
        {"method": "close"},
        {"method": "start", "arguments": {"image": 5}},
        {"method": "start", "arguments": {"image": "host", "more": 1}},
        {"method": "hello", "of": "nobody"},
        {"method": "_sandbox"},
        ["start"],
        None,
    ],
)
def test_what_is_no_call_is_refused_and_the_connection_goes_on(place: Path, said: object) -> None:
    with closing(socket.socket(socket.AF_UNIX)) as client:
        client.connect(str(place))
        for _ in range(2):
            messages.send(client, said)
            answer = messages.receive(client)
            assert answer is not None
            assert answer[0]["error"][0] in ("UserError", "SandboxError", "TypeError")
        messages.send(client, {"method": "hello"})
        answer = messages.receive(client)
        assert answer is not None
        assert answer[0]["value"]["isolated"] is True


def test_a_server_takes_the_place_of_one_that_has_died_and_of_nobody_else(tmp_path: Path) -> None:
    path = tmp_path / "socket"
    with closing(socket.socket(socket.AF_UNIX)) as dead:
        dead.bind(str(path))
    with serving(path), ExitStack() as stack, pytest.raises(UserError, match="another server"):
        stack.enter_context(serving(path))
    path.write_text("a file")
    with pytest.raises(UserError, match="in use"), serving(path):
        pass
    assert path.read_text() == "a file"


def test_a_client_that_goes_away_while_it_listens_ends_the_command(place: Path, session: Session) -> None:
    def stop(chunk: bytes) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        session.run(["/bin/bash", "-c", "while :; do echo on; sleep 0.05; done"], on_output=stop, timeout=60)
    for _ in range(100):
        if session.is_quiet():
            break
        session.run(["/bin/sleep", "0.1"])
    assert session.is_quiet()


def test_nobody_at_the_socket_is_said_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="intercode_sandbox serve --socket"):
        RemoteSandbox(tmp_path / "none")


def test_descriptors_cross(session: Session) -> None:
    file = session.open_path("/made", os.O_WRONLY | os.O_CREAT, mode=0o644)
    os.write(file, b"by descriptor")
    os.close(file)
    assert session.read("/made") == b"by descriptor"
