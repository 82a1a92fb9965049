"""What a release ships: wheels whose programs are there, installed where there is no compiler, play starter tasks."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import pytest

from intercode.runs import store
from intercode.sandboxes.runner import compiled, protocol, seccomp

REPOSITORY = Path(__file__).parents[1]
QEMU = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
USAGE = {"intercode-helper": "", "intercode-runner": " in a container"}
PROGRAMS = ("intercode/sandboxes/embedded/intercode-helper", "intercode/sandboxes/docker/intercode-runner")

needs_zig = pytest.mark.skipif(
    find_spec("ziglang") is None, reason="needs the compiler of releases: pip install ziglang"
)


def build(folder: Path, *, wheel: str, compiler: str = "cc", kind: str = "wheel") -> Path:
    """One file of a release, as `scripts/wheels.py` makes it."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder)]
    environment = {**os.environ, "INTERCODE_WHEEL": wheel, "CC": compiler}
    done = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (found,) = folder.iterdir()
    return found


def zig(machine: str) -> str:
    return f"{sys.executable} -m ziglang cc -target {machine}-linux-musl"


def environment(folder: Path, wheel: Path) -> Path:
    """A Python with *wheel*, and with what it depends on, which is not installed again; returns its `intercode`."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    packages = next(folder.glob("lib/python*/site-packages"))
    with ZipFile(wheel) as archive:
        for each in archive.infolist():
            archive.extract(each, packages)
            (packages / each.filename).chmod(each.external_attr >> 16 & 0o777)
    (packages / "dependencies.pth").write_text(f"{Path(pytest.__file__).parents[1]}\n")
    return folder / "bin/python"


def play(python: Path, folder: Path) -> store.StoredRun:
    """The golds of eight starter tasks, played by *python* where PATH holds no compiler."""
    bare = folder / "bin"
    bare.mkdir()
    for name in ("bwrap", "newuidmap", "newgidmap", "git"):
        if found := shutil.which(name):
            (bare / name).symlink_to(found)
    play_them: list[str | Path] = [python, "-m", "intercode", "run", "--limit", "8", "--out", folder / "run"]
    # Who unpacks layers is another user, who cannot look into this folder: so the images are made before.
    prepare: list[str | Path] = [python, "-m", "intercode", "data", "prepare", "starter", "--limit", "8"]
    for command, path in ((prepare, os.environ["PATH"]), (play_them, str(bare))):
        env = {**os.environ, "PATH": path, "CI": "1"}
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    return store.read(folder / "run")


@pytest.mark.parametrize("compiler", ["cc", pytest.param(zig("x86_64"), marks=needs_zig, id="zig")])
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the wheel is for x86-64")
def test_a_wheel_in_a_clean_environment_plays_starter_tasks(tmp_path: Path, compiler: str) -> None:
    wheel = build(tmp_path / "dist", wheel="x86_64", compiler=compiler)
    assert "manylinux_2_17_x86_64" in wheel.name
    python = environment(tmp_path / "python", wheel)
    where = subprocess.run(
        [python, "-c", "import intercode; print(intercode.__file__)"],
        capture_output=True,
        text=True,
        check=True,
        cwd="/",
    )
    assert where.stdout.startswith(str(tmp_path)), "not the package of these tests"
    episodes = play(python, tmp_path).episodes
    assert [episode.scores is not None and episode.scores["exact"].success for episode in episodes] == [True] * 8


def test_the_wheel_for_other_systems_has_no_programs_and_is_for_any(tmp_path: Path) -> None:
    wheel = build(tmp_path, wheel="any", compiler="/no/compiler")
    assert wheel.name.endswith("-py3-none-any.whl")
    with ZipFile(wheel) as archive:
        assert not set(PROGRAMS) & set(archive.namelist())


def test_the_source_archive_holds_what_a_wheel_is_built_from(tmp_path: Path) -> None:
    archive = build(tmp_path / "dist", wheel="", kind="sdist")
    (tmp_path / "source").mkdir()
    subprocess.run(["tar", "-xzf", archive, "-C", tmp_path / "source"], check=True)
    (source,) = (tmp_path / "source").iterdir()
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "wheel")]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (wheel,) = (tmp_path / "wheel").iterdir()
    with ZipFile(wheel) as built:
        mark = compiled.MARK + compiled.fingerprint().encode()
        assert all(mark in built.read(name) for name in PROGRAMS)


def test_without_a_compiler_a_clone_is_installed_and_says_what_will_not_run(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    bare = {name: text for name, text in os.environ.items() if name != "CC"} | {"PATH": "/none"}
    done = subprocess.run(command, cwd=REPOSITORY, env=bare, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "no C compiler found" in done.stdout + done.stderr
    (wheel,) = tmp_path.iterdir()
    assert wheel.name.endswith("-any.whl")


@needs_zig
@pytest.mark.skipif(QEMU is None, reason="needs qemu-user, which runs programs of other machines")
def test_the_programs_for_aarch64_run(tmp_path: Path) -> None:
    """They begin; the runner connects to its host too, and reads the filter, which qemu's system calls do not know.

    A user namespace is nothing for qemu either, so no session starts here.
    """
    assert QEMU is not None
    with ZipFile(build(tmp_path / "dist", wheel="aarch64", compiler=zig("aarch64"))) as archive:
        helper, runner = (Path(archive.extract(name, tmp_path)) for name in PROGRAMS)
    for program in (helper, runner):
        program.chmod(0o755)
        assert (compiled.MARK + compiled.fingerprint().encode()) in program.read_bytes()
        done = subprocess.run([QEMU, program], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (
            2,
            f"{program.name} is run by intercode{USAGE[program.name]}, not by hand\n",
        )
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as door:
        door.bind(str(tmp_path / "socket"))
        door.listen(1)
        door.settimeout(30)
        with subprocess.Popen([QEMU, runner, tmp_path / "socket", "1000000"]) as process:
            connection = door.accept()[0]
            protocol.send(connection, seccomp.program(tracing=False))
            reply = protocol.receive(connection)
            connection.close()
            process.wait(30)
    assert reply is not None
    assert (reply.kind, "seccomp" in reply.text) == ("F", True), reply
