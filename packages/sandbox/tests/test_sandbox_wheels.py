"""What a release of the sandbox ships: wheels with programs that need no compiler where they are installed."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import pytest
from wheel_files import PROGRAMS, SANDBOX, build, dependencies, install, zig

from intercode_sandbox.runner import compiled, protocol, seccomp

QEMU = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
USAGE = {"intercode-helper": "", "intercode-runner": " in a container"}

needs_zig = pytest.mark.skipif(
    find_spec("ziglang") is None, reason="needs the compiler of releases: pip install ziglang"
)


@pytest.mark.parametrize("compiler", ["cc", pytest.param(zig("x86_64"), marks=needs_zig, id="zig")])
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the wheel is for x86-64")
def test_alone_in_a_clean_environment_a_wheel_plays_its_readme(tmp_path: Path, compiler: str) -> None:
    wheel = build(tmp_path / "dist", wheel="x86_64", compiler=compiler)
    assert "manylinux_2_17_x86_64" in wheel.name
    tmp_path.chmod(0o755)  # images are made by another user
    python = install(tmp_path / "python", wheel)
    for absent in ("intercode", "gymnasium", "numpy", "pytest"):
        assert subprocess.run([python, "-c", f"import {absent}"], capture_output=True, check=False).returncode == 1
    (block,) = re.findall(r"^```python\n(.*?)^```$", (SANDBOX / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    program = f"{block}\nimport intercode_sandbox; print(intercode_sandbox.__file__)\n"
    done = subprocess.run([python, "-W", "error", "-c", program], capture_output=True, text=True, cwd="/", check=False)
    assert done.returncode == 0, done.stderr
    *said, place = done.stdout.splitlines()
    assert said == ["note", "", "b'one\\n'", "['/work', '/work/note']", "b'one\\n' b'two\\n'"]
    assert place.startswith(str(tmp_path)), "not the package of these tests"


def test_it_depends_on_at_most_five_packages_and_none_of_intercode() -> None:
    needed = dependencies("intercode-sandbox")
    assert len(needed) <= 5
    assert not [name for name in needed if name.startswith("intercode") or name in ("gymnasium", "numpy")]


def test_the_wheel_for_other_systems_has_no_programs_and_is_for_any(tmp_path: Path) -> None:
    wheel = build(tmp_path, wheel="any", compiler="/no/compiler")
    assert wheel.name.endswith("-py3-none-any.whl")
    with ZipFile(wheel) as archive:
        assert not set(PROGRAMS) & set(archive.namelist())


def test_the_source_archive_holds_what_a_wheel_is_built_from(tmp_path: Path) -> None:
    archive = build(tmp_path / "dist", kind="sdist")
    (tmp_path / "source").mkdir()
    subprocess.run(["tar", "-xzf", archive, "-C", tmp_path / "source"], check=True)
    (source,) = (tmp_path / "source").iterdir()
    with ZipFile(build(tmp_path / "wheel", project=source)) as built:
        mark = compiled.MARK + compiled.fingerprint().encode()
        assert all(mark in built.read(name) for name in PROGRAMS)


def test_without_a_compiler_a_clone_is_installed_and_says_what_will_not_run(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    bare = {name: text for name, text in os.environ.items() if name != "CC"} | {"PATH": "/none"}
    done = subprocess.run(command, cwd=SANDBOX, env=bare, capture_output=True, text=True, check=False)
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
