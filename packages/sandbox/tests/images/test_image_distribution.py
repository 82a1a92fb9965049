from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from local_layer_builder import LocalLayerBuilder

from intercode_sandbox.errors import ImageError
from intercode_sandbox.images import Image
from intercode_sandbox.images.defaults import HOSTS
from intercode_sandbox.images.distribution import PACKAGES, DistributionLayer, debian, tag_suite, ubuntu
from intercode_sandbox.images.store import ImageStore


def layer_of(image: Image) -> DistributionLayer:
    (layer,) = image.layers
    assert isinstance(layer, DistributionLayer)
    return layer


def build(tmp_path: Path, layer: DistributionLayer) -> Path:
    return ImageStore(tmp_path / "cache", layer_builder=LocalLayerBuilder()).mounts(Image("test", (layer,)))[0].path


def test_the_default_packages_are_those_of_the_published_image() -> None:
    assert layer_of(debian()).packages == layer_of(ubuntu()).packages == PACKAGES
    assert {"bash", "python3", "imagemagick", "git", "jq"} < set(PACKAGES)


@pytest.mark.parametrize(
    ("image", "suite"),
    [
        ("debian:12-slim", "bookworm"),
        ("debian:bookworm-20250811-slim", "bookworm"),
        ("debian:12.11", "bookworm"),
        ("debian:", "trixie"),
        ("debian:bullseye-backports", "bullseye"),
        ("ubuntu:24.04", "noble"),
        ("ubuntu:jammy", "jammy"),
        ("ubuntu:latest", "noble"),
        ("ubuntu:9.99", "9.99"),
    ],
)
def test_a_tag_of_a_container_image_means_a_suite(image: str, suite: str) -> None:
    assert tag_suite(*image.split(":")) == suite


def test_the_key_is_of_the_recipe_and_not_of_the_way_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("INTERCODE_MIRROR", raising=False)
    keys = {
        layer.key
        for layer in (
            DistributionLayer("bookworm"),
            DistributionLayer("trixie"),
            DistributionLayer("bookworm", ("git",)),
            DistributionLayer("bookworm", mirror="http://mirror.example/debian"),
            DistributionLayer("bookworm", recommends=False),
            DistributionLayer("bookworm", components=("main", "contrib")),
        )
    }
    assert len(keys) == 6
    assert DistributionLayer("bookworm", keyring="/keys").key == DistributionLayer("bookworm").key
    assert DistributionLayer("bookworm", ("b", "a")).key == DistributionLayer("bookworm", ("a", "b")).key


def test_a_mirror_is_named_by_parameter_or_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INTERCODE_MIRROR", "http://mirror.example/debian")
    assert layer_of(debian()).command()[-2:] == ["-", "http://mirror.example/debian"]
    assert layer_of(debian(mirror="http://other.example/")).command()[-1] == "http://other.example/"
    assert layer_of(debian(mirror="")).command()[-1] == "-"


def test_other_keys_count_for_a_mirror_or_where_the_usual_ones_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INTERCODE_KEYRING", "/my/keys.gpg")
    assert layer_of(debian(mirror="http://mirror.example/debian")).keyring == "/my/keys.gpg"
    own = layer_of(ubuntu(mirror=""))
    assert own.keyring == "/my/keys.gpg" or Path(own.keyring).exists()


def test_missing_mmdebstrap_is_told_with_the_line_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ImageError, match=r"needs mmdebstrap: .*install.* mmdebstrap"):
        build(tmp_path, DistributionLayer("bookworm"))


@pytest.mark.skipif(shutil.which("mmdebstrap") is None, reason="mmdebstrap is not installed")
def test_missing_keys_are_told_with_the_way_to_them(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match=r"no /no/keys\.gpg: name the file that has them in INTERCODE_KEYRING"):
        build(tmp_path, DistributionLayer("jammy", keyring="/no/keys.gpg"))


@pytest.mark.skipif(shutil.which("mmdebstrap") is None, reason="mmdebstrap is not installed")
def test_what_mmdebstrap_says_is_told(tmp_path: Path) -> None:
    """Its mirror is an empty folder: no archive."""
    with pytest.raises(ImageError, match=r"mmdebstrap could not build bookworm:\n(.*\n)*E: (.*\n)+.*INTERCODE_MIRROR"):
        build(tmp_path, DistributionLayer("bookworm", (), mirror=f"file://{tmp_path}/empty"))
    assert list((tmp_path / "cache").iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("mmdebstrap") is None, reason="mmdebstrap is not installed")
def test_a_small_debian_is_built_without_traces_of_this_machine(tmp_path: Path) -> None:
    """Needs Debian's archive, and is skipped where it is out of reach."""
    try:
        root = build(tmp_path, DistributionLayer("bookworm", ("tree",), recommends=False))
    except ImageError as error:
        if any(sign in str(error) for sign in ("Could not resolve", "Failed to fetch", "Could not connect")):
            pytest.skip(f"no Debian archive to be reached: {error}")
        raise
    assert (root / "usr/bin/tree").is_file()
    assert os.readlink(root / "bin") == "usr/bin"
    assert (root / "etc/hostname").read_text() == "intercode\n"
    assert (root / "etc/hosts").read_text() == HOSTS
    assert (root / "etc/resolv.conf").read_text() == ""
    assert list((root / "var/lib/apt/lists").glob("*Packages*")) == []
    assert (root / "dev").is_dir()
    assert not (root / "usr/share/man/man1").exists()
    assert (root / "tmp").stat().st_mode & 0o7777 == 0o1777


@pytest.mark.parametrize(
    ("mirror", "left"),
    [
        ("http://user:key@mirror.example/debian", "http://mirror.example/debian"),
        ("deb https://key@a.example/x bookworm main", "deb https://a.example/x bookworm main"),
        ("http://mirror.example/debian", "http://mirror.example/debian"),
    ],
)
def test_no_key_of_a_mirror_stays_in_an_image(tmp_path: Path, mirror: str, left: str) -> None:
    """Commands of a Dockerfile are run on it."""
    sources = tmp_path / "etc" / "apt" / "sources.list"
    sources.parent.mkdir(parents=True)
    sources.write_text(f"{mirror}\n")
    for option in DistributionLayer("bookworm", mirror=mirror).command():
        if option.startswith("--customize-hook=sed"):
            command = option.partition("=")[2]
            subprocess.run(["/bin/sh", "-c", command, "hook", str(tmp_path)], check=True)
    assert sources.read_text() == f"{left}\n"
