"""Python's container images, made from archives: what their tags mean, and that such a Python works."""

from __future__ import annotations

import platform
import shutil
import subprocess
from pathlib import Path

import pytest
from local_layer_builder import LocalLayerBuilder

from intercode_sandbox.errors import ImageError
from intercode_sandbox.images import find
from intercode_sandbox.images.distribution import DistributionLayer
from intercode_sandbox.images.python_layer import LIBC_FILE, RELEASES, PythonLayer

OUT_OF_REACH = ("Could not resolve", "Failed to fetch", "Could not connect")

HERE = platform.freedesktop_os_release().get("VERSION_CODENAME", "")
"""The release of this machine."""

CHECK = """
import bz2, ctypes, curses, hashlib, lzma, readline, sqlite3, ssl, subprocess, sys, sysconfig, zlib
import pip
assert sysconfig.get_path("purelib").endswith("/site-packages")
command = [sys.executable, "-c", "import sys; print(sys.version_info[:2])"]
again = subprocess.run(command, capture_output=True, text=True)
print(again.stdout, sys.executable)
"""


@pytest.mark.parametrize(
    ("tag", "version", "suite", "slim"),
    [
        ("3.13-slim-bookworm", "3.13", "bookworm", True),
        ("3.11-slim", "3.11", "trixie", True),
        ("3.10.14-slim-bullseye", "3.10", "bullseye", True),
        ("3.12.3", "3.12", "trixie", False),
        ("3.12-bookworm", "3.12", "bookworm", False),
        ("slim", max(RELEASES, key=lambda name: int(name[2:])), "trixie", True),
        ("3", max(RELEASES, key=lambda name: int(name[2:])), "trixie", False),
        ("", max(RELEASES, key=lambda name: int(name[2:])), "trixie", False),
    ],
)
def test_a_tag_of_pythons_image_means_a_version_on_a_suite(tag: str, version: str, suite: str, slim: bool) -> None:
    base, _, python = find(f"python:{tag}" if tag else "python").layers
    assert isinstance(python, PythonLayer)
    assert isinstance(base, DistributionLayer)
    assert (python.version, base.suite, "gcc" not in base.packages) == (version, suite, slim)


@pytest.mark.parametrize("tag", ["3.13-alpine", "2.7-slim", "3.6", "3.13-windowsservercore"])
def test_a_tag_that_no_archive_can_stand_in_for_is_refused_with_what_there_is(tag: str) -> None:
    with pytest.raises(ImageError, match=r"no archive has .*3\.11.*3\.13"):
        find(f"python:{tag}")


@pytest.mark.parametrize(
    ("version", "base", "is_own"),
    [
        ("3.11", "trixie", False),
        ("3.12", "trixie", False),
        ("3.11", "bookworm", False),
        ("3.13", "bookworm", True),
        ("3.13", "noble", True),
        ("3.11", "", True),
        ("3.11", "bullseye", True),
    ],
)
def test_the_c_library_is_the_newer_one_of_both_releases(version: str, base: str, is_own: bool) -> None:
    """Libraries of a newer base, such as that of C++, do not run with the older C library of a Python."""
    layer, alone = PythonLayer(version, base=base), PythonLayer(version)
    assert (layer.key == alone.key) == is_own
    programs = ("ld-linux-x86-64.so.2", "libc.so.6", "libm.so.6", "libgcc_s.so.1", "libnss_files.so.2")
    assert all(LIBC_FILE.fullmatch(name) for name in programs)
    assert not any(map(LIBC_FILE.fullmatch, ("libcrypt.so.1", "libcrypto.so.3", "libmd.so.0", "libmenuw.so.6")))


def test_pythons_image_knows_its_base() -> None:
    python = find("python:3.11-slim").layers[-1]
    assert isinstance(python, PythonLayer)
    assert python.base == "trixie"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("mmdebstrap") is None, reason="mmdebstrap is not installed")
@pytest.mark.parametrize(("version", "base"), [("3.11", ""), ("3.11", HERE), ("3.13", "")])
def test_a_python_of_another_release_runs_on_this_base(version: str, base: str, tmp_path: Path) -> None:
    """Needs Debian's archive, and is skipped where it is out of reach. Its place is a folder of this machine."""
    place, target = tmp_path / "python", tmp_path / "layer" / "root"
    target.mkdir(parents=True)
    try:
        PythonLayer(version, prefix=str(place), base=base).build(target, LocalLayerBuilder(), ())
    except ImageError as error:
        if any(sign in str(error) for sign in OUT_OF_REACH):
            pytest.skip(f"no Debian archive to be reached: {error}")
        raise
    (target / place.relative_to("/")).rename(place)
    said = subprocess.run([place / "bin/python3", "-c", CHECK], capture_output=True, text=True, check=False)
    assert said.stdout.split("\n") == [f"({version.replace('.', ', ')})", f" {place}/bin/python3", ""], said.stderr
    script = tmp_path / "script"
    script.write_text(f"#!{place}/bin/python\nimport sys\nprint(sys.argv[1:])\n")
    script.chmod(0o755)
    assert subprocess.run([script, "a", "b c"], capture_output=True, text=True, check=True).stdout == "['a', 'b c']\n"
    subprocess.run([place / "bin/python", "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    inside = [str(tmp_path / "venv/bin/python"), "-c", "import sys; print(sys.prefix, sys.base_prefix)"]
    assert subprocess.run(inside, capture_output=True, text=True, check=True).stdout == f"{tmp_path}/venv {place}\n"
    assert "pip" in subprocess.run([place / "bin/pip", "--version"], capture_output=True, text=True, check=True).stdout
