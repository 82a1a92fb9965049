"""The docker sandbox beyond the contract: what it leaves, what is ready ahead, what is watched, and what it says."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from docker_command import needs_command

from intercode_sandbox import images
from intercode_sandbox.docker import DockerSandbox
from intercode_sandbox.docker.engine import Engine, connect
from intercode_sandbox.docker.session import DockerSession
from intercode_sandbox.engine.cleanup import owned
from intercode_sandbox.engine.owner import is_dead, this_process
from intercode_sandbox.errors import SandboxError, SandboxGoneError, SessionLostError
from intercode_sandbox.images import Image
from intercode_sandbox.images.digests import recipe_key
from intercode_sandbox.images.engine_store import REPOSITORY
from intercode_sandbox.images.files_layer import FilesLayer
from intercode_sandbox.sandbox import Limits
from intercode_sandbox.testing.docker_engine import DockerEngine, NoDockerEngine
from intercode_sandbox.testing.fixtures import contract_image, disappears, mark, sh

MEBIBYTE = 1 << 20


@pytest.fixture
def engine(docker_url: str) -> Iterator[Engine]:
    engine = connect(docker_url)
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def sandbox(docker_url: str) -> Iterator[DockerSandbox]:
    with DockerSandbox(engine=docker_url, ahead=0) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def world() -> Image:
    return contract_image(images.find("host"))


def becomes(condition: object, seconds: float = 60.0) -> bool:
    end = time.monotonic() + seconds
    assert callable(condition)
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def ours(engine: Engine, kind: str = "container") -> list[str]:
    """What this very process has there."""
    return [each.id for each in owned(engine) if (each.kind, each.owner) == (kind, this_process())]


def test_a_session_that_the_engine_ends_is_not_to_blame(engine: Engine, sandbox: DockerSandbox, world: Image) -> None:
    """A session that dies of what runs in it is judged; this one is the machine's error."""
    with sandbox.start(world) as session:
        assert isinstance(session, DockerSession)
        engine.remove(session.container.id)
        with pytest.raises(SandboxGoneError) as raised:
            session.run(["/bin/true"])
        assert not isinstance(raised.value, SessionLostError)


def test_nothing_is_left_at_the_engine(docker_url: str, engine: Engine, world: Image) -> None:
    """Of sessions, snapshots, branches and what was ready ahead, closed or forgotten."""
    before, images_before = set(ours(engine)), set(ours(engine, "image"))
    with DockerSandbox(engine=docker_url, ahead=2) as sandbox:
        session = sandbox.start(world)
        snapshot = session.snapshot()
        branch = sandbox.start(world, snapshot=snapshot)
        snapshot.close()
        session.snapshot()
        assert sh(branch, "echo hi").text == "hi\n"
        assert len(set(ours(engine)) - before) >= 2
    assert becomes(lambda: set(ours(engine)) <= before)
    assert set(ours(engine, "image")) <= images_before


def test_nothing_is_left_of_sessions_that_start_while_the_sandbox_closes(
    docker_url: str, engine: Engine, world: Image
) -> None:
    before = set(ours(engine))
    sandbox = DockerSandbox(engine=docker_url, ahead=0)
    sandbox.start(world)

    def start_until_closed() -> None:
        with suppress(SandboxError):
            while True:
                sandbox.start(world)

    threads = [threading.Thread(target=start_until_closed) for _ in range(2)]
    for thread in threads:
        thread.start()
    assert becomes(lambda: len(set(ours(engine)) - before) >= 3)
    sandbox.close()
    for thread in threads:
        thread.join(60)
    assert becomes(lambda: set(ours(engine)) <= before), "the engine may be at it still"


def test_a_container_is_ready_before_it_is_asked_for(docker_url: str, engine: Engine, world: Image) -> None:
    """Soon after the first session began; the engine is the first to know, we hear of it a moment later."""
    with DockerSandbox(engine=docker_url, ahead=1) as sandbox, sandbox.start(world):

        def was_there() -> bool:
            before = set(ours(engine))
            with sandbox.start(world) as session:
                return session.container.id in before and session.changes() == []

        assert becomes(was_there)


def test_a_killed_program_leaves_no_container(docker_url: str, engine: Engine) -> None:
    """Not even by `kill -9`: process 1 sees its host go, and the engine removes what has ended."""
    sleeping = mark()
    script = f"""
        import sys
        from intercode_sandbox import images
        from intercode_sandbox.docker import DockerSandbox
        session = DockerSandbox(engine={docker_url!r}).start(images.find("host"))
        session.run(["/bin/bash", "-c", "sleep {sleeping} & sleep {sleeping} &"])
        print(session.container.id, flush=True)
        sys.stdin.read()
    """
    lines = "\n".join(line.strip() for line in script.splitlines())
    with subprocess.Popen([sys.executable, "-c", lines], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        container = program.stdout.readline().decode().strip()
        assert container in {each.id for each in owned(engine)}
        program.kill()
    assert disappears(sleeping)
    assert becomes(lambda: container not in {each.id for each in owned(engine)})


def test_what_a_killed_build_left_goes_with_the_next(
    docker_url: str, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INTERCODE_CACHE", str(tmp_path))
    layer = FilesLayer({"made": "here\n"})
    tag = recipe_key("engine", layer.key)[:40]
    (tmp_path / "engine" / f"layer-{tag}" / "root").mkdir(parents=True)
    with DockerSandbox(engine=docker_url, ahead=0) as sandbox, sandbox.start(Image("one file", (layer,))) as session:
        assert session.read("/made") == b"here\n"
        assert list((tmp_path / "engine").iterdir()) == []
    assert becomes(lambda: engine.remove_image(f"{REPOSITORY}:{tag}"))


def test_an_owner_is_known_to_be_dead_only_when_it_is() -> None:
    own = this_process()
    machine, process = own.split("/")
    boot, namespace, pid, started = process.split(":")
    assert not is_dead(own)
    assert is_dead(f"{machine}/{boot}:{namespace}:{pid}:{int(started) - 1}")
    assert is_dead(f"{machine}/other-boot:{namespace}:{pid}:{started}")
    assert not is_dead(f"{machine}/{boot}:1:{2**22 + 1}:1"), "a process of another namespace may well live"
    assert not is_dead(f"another-{machine}/{boot}:{namespace}:{pid}:{int(started) - 1}")
    assert not is_dead("")


def test_who_writes_too_much_in_many_files_is_stopped(sandbox: DockerSandbox, world: Image) -> None:
    with sandbox.start(world, limits=Limits(disk=8 * MEBIBYTE, seconds=30)) as session:
        result = sh(session, "for i in $(seq 1000); do head -c 1M /dev/zero > f$i; sleep 0.1; done")
        assert (result.exit_code, result.timed_out) == (137, False)
        assert 7 < sum(change.path.startswith("/data/f") for change in session.changes()) < 60
        assert sh(session, "rm -f f[0-9]*; echo fine").text == "fine\n"


@pytest.mark.parametrize("way", ["for ((i = 0; ; i++)); do : > f$i; done", "while mkdir d && cd d; do :; done"])
def test_who_makes_too_many_files_or_hides_them_deep_is_stopped(sandbox: DockerSandbox, world: Image, way: str) -> None:
    with sandbox.start(world, limits=Limits(inodes=300, seconds=30)) as session:
        result = sh(session, way)
        assert (result.exit_code, result.timed_out) == (137, False)


def test_the_files_that_the_engine_gives_are_the_images(sandbox: DockerSandbox, world: Image) -> None:
    """And what an agent does to them is seen, in a branch too."""
    with sandbox.start(world) as session:
        assert session.read("/etc/hostname") == b"intercode\n"
        assert b"127.0.1.1\tintercode" in session.read("/etc/hosts")
        assert session.read("/etc/resolv.conf") == b""
        sh(session, "echo more >> /etc/hosts; echo other > /etc/hostname")
        paths = [change.path for change in session.changes()]
        assert paths == ["/etc/hostname", "/etc/hosts"]
        with session.snapshot() as snapshot, sandbox.start(world, snapshot=snapshot) as branch:
            assert branch.read("/etc/hostname") == b"other\n"
            assert branch.read("/etc/hosts").endswith(b"ip6-loopback\nmore\n")
            assert [change.path for change in branch.changes()] == paths


def test_the_files_that_the_engine_gives_are_the_images_in_a_branch_of_a_branch(
    sandbox: DockerSandbox, world: Image
) -> None:
    """An engine lays empty ones over every container, whatever the image that it was made of has."""
    with sandbox.start(world) as session, session.snapshot() as first:
        hosts = session.read("/etc/hosts")
        assert hosts
        with sandbox.start(world, snapshot=first) as branch, branch.snapshot() as second:
            assert (branch.read("/etc/hosts"), branch.changes()) == (hosts, [])
            with sandbox.start(world, snapshot=second) as another:
                assert (another.read("/etc/hosts"), another.changes()) == (hosts, [])


def test_what_was_deleted_of_them_is_deleted_in_a_branch(sandbox: DockerSandbox, world: Image) -> None:
    with sandbox.start(world) as session:
        if sh(session, "rm /etc/hosts").exit_code:
            pytest.skip("this engine lays the file over every container as a mount, which cannot be deleted")
        with session.snapshot() as snapshot, sandbox.start(world, snapshot=snapshot) as branch:
            assert branch.changes() == session.changes()
            assert sh(branch, "test -e /etc/hosts").exit_code == 1


def test_marks_of_the_embedded_overlay_fool_nobody_here(sandbox: DockerSandbox, world: Image) -> None:
    """Every container may set attributes that begin with `user.`: they must not hide what is below a folder."""
    mark_it = "import os; os.setxattr('/data/folder', 'user.overlay.opaque', b'y')"
    with sandbox.start(world) as session:
        assert session.run(["/usr/bin/python3", "-c", mark_it]).exit_code == 0
        assert session.changes() == []


def test_a_file_of_many_names_is_counted_once(sandbox: DockerSandbox, world: Image) -> None:
    with sandbox.start(world, limits=Limits(disk=8 * MEBIBYTE)) as session:
        result = sh(session, "head -c 4M /dev/zero > f; for i in $(seq 20); do ln f f$i; done; sleep 0.7")
        assert result.exit_code == 0


@needs_command
def test_no_engine_is_told_with_the_ways_out(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match=r"start Docker .*DOCKER_HOST.*--sandbox embedded"):
        DockerSandbox(engine=f"unix://{tmp_path}/none").start(images.find("host"))


def folders_for_sockets() -> set[Path]:
    """Those of this very process."""
    return set(Path(tempfile.gettempdir()).glob(f"intercode-containers-{os.getpid()}-*"))


def test_an_engine_that_dies_in_the_middle_is_the_machines_failure(world: Image) -> None:
    """Of what goes on, and of what begins; and nobody waits for it, or trips over what cannot be removed any more."""
    before = folders_for_sockets()
    try:
        with DockerEngine() as engine:
            if not engine.private:
                pytest.skip("the engine that runs here is somebody's, and is not to die")
            sandbox = DockerSandbox(engine=engine.url, ahead=0)
            session = sandbox.start(world)
            snapshot = session.snapshot()
    except NoDockerEngine as error:
        pytest.skip(str(error))
    with pytest.raises(SandboxError):
        session.run(["/bin/true"])
    with pytest.raises(SandboxError, match="the container engine does not answer"):
        sandbox.start(world)
    with pytest.raises(SandboxError, match="the container engine does not answer"):
        sandbox.start(world, snapshot=snapshot)
    session.close()
    sandbox.close()
    assert folders_for_sockets() <= before


@needs_command
def test_who_may_not_speak_to_the_engine_is_told_how_to_get_there(tmp_path: Path) -> None:
    """Its socket is there, and somebody listens: nothing needs to be started."""
    closed = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(closed))
        door.listen()
        closed.chmod(0)
        powerless = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
        command = [*powerless, sys.executable, "-m", "intercode.cli.main", "run", "--sandbox", "docker"]
        environment = {**os.environ, "DOCKER_HOST": f"unix://{closed}"}
        done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert re.search(rf"no permission to use the container engine .*{closed}.*--groups docker", done.stderr)


@needs_command
@pytest.mark.parametrize("address", ["nonsense", "tcp://127.0.0.1:99999", f"unix:///{'x' * 200}"])
def test_an_address_that_is_none_is_told_like_an_engine_that_is_not_there(address: str) -> None:
    with pytest.raises(SandboxError, match=r"no container engine answers .*DOCKER_HOST"):
        DockerSandbox(engine=address).start(images.find("host"))


def test_only_the_three_streams_and_no_socket_are_inside(sandbox: DockerSandbox, world: Image) -> None:
    """The folder through which the runner came is empty once it runs."""
    with sandbox.start(world) as session:
        assert sh(session, "ls -A /dev/mqueue; grep -c SOCK /proc/net/unix").text == "0\n"
        assert sh(session, "touch /dev/mqueue/x").exit_code != 0
        assert os.listdir(f"/proc/{os.getpid()}/fd")
