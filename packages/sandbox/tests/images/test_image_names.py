from __future__ import annotations

import platform
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from intercode_sandbox.errors import UnknownNameError
from intercode_sandbox.images import find
from intercode_sandbox.images.container_layers import RecipeLayer
from intercode_sandbox.images.distribution import DistributionLayer
from intercode_sandbox.images.host_image import HostLayer
from intercode_sandbox.images.root_layers import DirectoryLayer, TarLayer


def test_host_is_this_machine_and_says_that_it_is_not_reproducible() -> None:
    image = find("host")
    assert isinstance(image.layers[0], HostLayer)
    assert not image.reproducible


@pytest.mark.parametrize(
    ("name", "full", "suite"),
    [
        ("debian", "debian:bullseye", "bullseye"),
        ("debian:trixie", "debian:trixie", "trixie"),
        ("ubuntu", "ubuntu:jammy", "jammy"),
        ("ubuntu:noble", "ubuntu:noble", "noble"),
    ],
)
def test_distributions_have_a_suite(name: str, full: str, suite: str) -> None:
    image = find(name)
    (layer,) = image.layers
    assert isinstance(layer, DistributionLayer)
    assert (image.name, layer.suite, image.reproducible) == (full, suite, True)


@pytest.mark.parametrize("system", ["Darwin", "Windows"])
@pytest.mark.parametrize(
    ("name", "base", "package"),
    [
        ("host", "debian:bookworm", "python3"),
        ("debian", "debian:bullseye", "imagemagick"),
        ("debian:trixie", "debian:trixie", "jq"),
        ("ubuntu", "ubuntu:jammy", "git"),
        ("ctf", "debian:bookworm", "gdb"),
    ],
)
def test_where_this_is_no_linux_an_engine_builds_them(
    monkeypatch: pytest.MonkeyPatch, system: str, name: str, base: str, package: str
) -> None:
    here = find(name)
    monkeypatch.setattr(platform, "system", lambda: system)
    image = find(name)
    layer = image.layers[0]
    assert isinstance(layer, RecipeLayer)
    assert layer.text.startswith(f"FROM {base}\nRUN apt-get update")
    assert package in layer.text.split()
    assert (image.env, image.hostname, image.reproducible) == (here.env, here.hostname, False)
    assert image.digest != here.digest


def test_commands_get_a_path_and_roots_home() -> None:
    assert dict(find("debian").env) == {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": "/root",
    }


def test_a_folder_is_an_image_that_depends_on_the_machine(tmp_path: Path) -> None:
    image = find(str(tmp_path))
    assert image.layers == (DirectoryLayer(tmp_path),)
    assert not image.reproducible


def test_a_tar_file_is_an_image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Named from here, it is found from elsewhere."""
    with tarfile.open(tmp_path / "root.tar", "w"):
        pass
    monkeypatch.chdir(tmp_path)
    image = find("root.tar")
    monkeypatch.chdir("/")
    assert image.layers == (TarLayer(tmp_path / "root.tar"),)
    assert image.digest


@pytest.mark.parametrize("name", ["", "fedora", "debian:", "debian:--help", "ubuntu:a b", "/no/such/folder", "Host"])
def test_an_unknown_name_lists_the_known_ones(name: str) -> None:
    with pytest.raises(
        UnknownNameError,
        match=r"there are: host, ctf, debian, debian:SUITE, ubuntu, ubuntu:SUITE, python:TAG, docker:.*, or the path",
    ):
        find(name)


def test_importing_images_loads_nothing_heavy() -> None:
    code = "import sys, intercode_sandbox.images as _; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-S", "-c", with_paths(code)], capture_output=True, text=True, check=True)
    assert not {"tarfile", "subprocess", "shutil", "tempfile", "json", "platformdirs"} & set(loaded.stdout.split())


def with_paths(code: str) -> str:
    """*code* for a Python without `site`, which would load things of its own."""
    return f"import sys; sys.path[:] = {sys.path!r}; {code}"
