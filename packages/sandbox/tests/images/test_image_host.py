from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from local_layer_builder import LocalLayerBuilder

from intercode_sandbox.images import Image, Mount, find
from intercode_sandbox.images.host_image import HostLayer
from intercode_sandbox.images.store import ImageStore


def build(tmp_path: Path, machine: Path = Path("/")) -> Mount:
    (mount,) = ImageStore(tmp_path / "cache", layer_builder=LocalLayerBuilder()).mounts(
        Image("host", (HostLayer(machine),))
    )
    return mount


def make_machine(folder: Path, *folders: str) -> Path:
    for name in ("usr/bin", "etc", *folders):
        (folder / name).mkdir(parents=True, exist_ok=True)
    return folder


def test_it_is_made_up_around_this_machines_usr(tmp_path: Path) -> None:
    mount = build(tmp_path)
    assert mount.binds["/usr"] == "/usr"
    assert list((mount.path / "usr").iterdir()) == []
    assert not mount.foreign
    assert not mount.fresh


def test_no_account_of_this_machine_is_in_it(tmp_path: Path) -> None:
    root = build(tmp_path).path
    accounts = [line.split(":")[0] for line in (root / "etc/passwd").read_text().splitlines()]
    assert accounts == ["root", "user", "nobody"]
    assert sorted(os.listdir(root / "home")) == ["user"]
    assert os.listdir(root / "root") == []
    assert not (root / "etc/shadow").exists()


def test_no_name_or_name_server_of_this_machine_is_in_it(tmp_path: Path) -> None:
    root = build(tmp_path).path
    assert (root / "etc/hostname").read_text() == "intercode\n"
    assert (root / "etc/resolv.conf").read_text() == ""
    assert os.uname().nodename not in (root / "etc/hosts").read_text().split()


def test_the_usual_folders_are_there_with_the_usual_modes(tmp_path: Path) -> None:
    root = build(tmp_path).path
    found = {name: stat.S_IMODE((root / name).stat().st_mode) for name in ("", "tmp", "var/tmp", "root", "proc", "run")}
    assert found == {"": 0o755, "tmp": 0o1777, "var/tmp": 0o1777, "root": 0o700, "proc": 0o755, "run": 0o755}


def test_links_into_usr_are_as_on_the_machine(tmp_path: Path) -> None:
    machine = make_machine(tmp_path / "machine", "usr/lib64", "etc/alternatives")
    (machine / "bin").symlink_to("usr/bin")
    (machine / "lib64").symlink_to("/usr/lib64")
    (machine / "etc/alternatives/awk").symlink_to("/usr/bin/mawk")
    mount = build(tmp_path, machine)
    assert mount.binds == {str(machine / "usr"): "/usr"}
    links = {name: os.readlink(mount.path / name) for name in ("bin", "lib64", "etc/alternatives/awk")}
    assert links == {"bin": "usr/bin", "lib64": "/usr/lib64", "etc/alternatives/awk": "/usr/bin/mawk"}


def test_folders_beside_usr_are_bound_as_well(tmp_path: Path) -> None:
    """As on machines whose /bin is not a link to usr/bin."""
    machine = make_machine(tmp_path / "machine", "bin", "lib", "sbin")
    mount = build(tmp_path, machine)
    assert mount.binds == {str(machine / name): f"/{name}" for name in ("usr", "bin", "sbin", "lib")}
    assert (mount.path / "sbin").is_dir()


def test_the_loaders_files_are_copied(tmp_path: Path) -> None:
    machine = make_machine(tmp_path / "machine", "etc/ld.so.conf.d")
    (machine / "etc/ld.so.cache").write_bytes(b"\x00cache")
    (machine / "etc/ld.so.conf.d/odd.conf").write_text("/odd\n")
    root = build(tmp_path, machine).path
    assert (root / "etc/ld.so.cache").read_bytes() == b"\x00cache"
    assert (root / "etc/ld.so.conf.d/odd.conf").read_text() == "/odd\n"


@pytest.mark.parametrize("changed", ["usr/bin/new", "usr/lib/os-release", "etc/ld.so.cache"])
def test_the_key_changes_with_the_machine(tmp_path: Path, changed: str) -> None:
    machine = make_machine(tmp_path, "usr/lib")
    before = HostLayer(machine).key
    assert HostLayer(machine).key == before
    (machine / changed).write_text("changed")
    assert HostLayer(machine).key != before


def test_it_says_that_its_results_depend_on_the_machine() -> None:
    assert not find("host").reproducible
