"""Dockerfiles that install packages, built without an engine: truly, over the network, on a base that tasks share."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from network_servers import why_no_registry

from intercode.datasets.dockerfiles.image import task_image
from intercode.errors import ImageError
from intercode_sandbox import images
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.images import Image
from intercode_sandbox.network.hosts import NetworkPolicy

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("mmdebstrap") is None, reason="mmdebstrap is not installed"),
]

OUT_OF_REACH = ("Could not resolve", "Failed to fetch", "Could not connect", "Unable to connect")


def image_of(folder: Path, command: str, network: NetworkPolicy | None = None) -> Image:
    folder.mkdir()
    (folder / "Dockerfile").write_text(f"FROM debian:12-slim\nRUN {command}\n")
    return task_image(folder, images.find("host"), "archive", network=network)


def test_packages_are_installed_by_apt_itself_on_a_base_that_is_built_once(tmp_path: Path) -> None:
    """Their scripts are run, their files have owners, no service is started, and no key of this machine stays."""
    if reason := why_no_registry():
        pytest.skip(reason)
    install = "apt-get update && apt-get install -y --no-install-recommends"
    first = image_of(tmp_path / "first", f"{install} bc ssmtp")
    second = image_of(tmp_path / "second", f"{install} cron && bc --version || echo none > /bc")
    with EmbeddedSandbox(ahead=0) as sandbox:
        try:
            session = sandbox.start(first)
        except ImageError as error:
            if any(sign in str(error) for sign in OUT_OF_REACH):
                pytest.skip(f"no archive to be reached: {error}")
            raise
        with session:
            assert session.run(["/bin/sh", "-c", "echo '6*7' | bc"]).text == "42\n"
            owner = session.run(["/bin/sh", "-c", "stat -c %U:%G:%a /etc/ssmtp/ssmtp.conf"]).text
            assert owner == "root:mail:640\n"
            assert session.run(["/bin/sh", "-c", "cat /var/lib/apt/lists/*Release /etc/apt/*.list"]).exit_code == 0
            assert session.run(["/bin/sh", "-c", "ls /var/cache/apt/archives/*.deb /dev/intercode"]).exit_code != 0
        said = list[str]()
        sandbox.store.progress = said.append
        with sandbox.start(second) as session:
            assert session.read("/bc") == b"none\n", "what one task installs is in no other's image"
        assert [line for line in said if "bookworm with" in line] == []
        assert [line for line in said if "cron" in line] != []


def test_apt_without_a_network_says_so_and_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match=r"installs bc, and its commands have no network: .*build_network=allow"):
        image_of(tmp_path / "first", "apt-get install -y bc", "none")
