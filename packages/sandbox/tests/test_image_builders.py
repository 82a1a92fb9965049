"""Podman and Buildah build a Dockerfile for the embedded sandbox, where Docker is not there."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import small_root

from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.images import find
from intercode_sandbox.images.builders import Builder
from intercode_sandbox.images.container_layers import DockerfileLayer

BASE = "localhost/intercode/base-of-tests:1"
DOCKERFILE = f"FROM {BASE}\nRUN echo built > /made\nCOPY note.txt /there/\nENV GREETING=hello\nWORKDIR /there\n"


@pytest.fixture(params=["podman", "buildah"])
def program(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A program that keeps images in a folder of the test's, with the base in it."""
    name: str = request.param
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed: apt-get install {name}")
    if os.geteuid() != 0:
        pytest.skip("as root only, since images go into a folder of the test's")
    settings = tmp_path / "storage.conf"
    folders = f'graphroot = "{tmp_path}/images"\nrunroot = "{tmp_path}/run"\n'
    settings.write_text(f'[storage]\ndriver = "vfs"\n{folders}')  # overlay would leave mounts, which other tests see
    monkeypatch.setenv("CONTAINERS_STORAGE_CONF", str(settings))
    archive = tmp_path / "base.tar"
    archive.write_bytes(small_root.archive())
    folder = tmp_path / "base"
    folder.mkdir()
    (folder / "Dockerfile").write_text("FROM scratch\nADD base.tar /\n")
    archive.rename(folder / "base.tar")
    Builder(name).build(folder, BASE)
    yield name
    subprocess.run([name, "rmi", "--all", "--force"], capture_output=True, check=False)


def test_what_it_builds_is_played_in_the_embedded_sandbox(program: str, tmp_path: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "Dockerfile").write_text(DOCKERFILE)
    (folder / "note.txt").write_text("a note\n")
    builder, layer = Builder(program), DockerfileLayer(folder)
    name = layer.image_in(builder)
    assert builder.has(name)
    assert layer.image_in(builder) == name, "the second time it is there"
    said = builder.settings(name)
    assert (said.env["GREETING"], said.workdir) == ("hello", "/there")
    root = tmp_path / "root.tar"
    with root.open("wb") as file:
        builder.export(name, file)
    with EmbeddedSandbox() as sandbox, sandbox.start(find(str(root))) as session:
        assert session.run(["/bin/bash", "-c", "cat /made /there/note.txt"]).text == "built\na note\n"
