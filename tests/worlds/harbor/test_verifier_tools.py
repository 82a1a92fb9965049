"""Tools that test scripts install, prepared: found in the script's own words, fetched from the machine's index."""

from __future__ import annotations

import hashlib
import io
import json
import platform
import subprocess
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import cast

import pytest

from intercode.errors import ImageError, UserError
from intercode.worlds.harbor.datasets.harbor_folder import HarborFolderDataset, Tools
from intercode.worlds.harbor.verifier_tools import ENVIRONMENT, PROGRAMS, tools
from intercode_sandbox import images
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.images.uv_layer import UvLayer

SCRIPT = """#!/bin/bash
apt-get update
curl -LsSf https://astral.sh/uv/0.9.5/install.sh | sh
source $HOME/.local/bin/env
uvx \\
  -p {python} \\
  -w pytest==8.4.1 \\
  pytest /tests/test_outputs.py -rA
"""


ENV_FILE = "the environment of uv"


@pytest.mark.parametrize(
    ("script", "layers"),
    [
        (SCRIPT.format(python="3.13"), ["uv 0.9.5", ENV_FILE, "Python 3.13"]),
        (SCRIPT.format(python="3.7"), ["uv 0.9.5", ENV_FILE]),
        ("wget -qO- https://astral.sh/uv/install.sh | sh\nuv venv --python=3.12 .v", ["uv", ENV_FILE, "Python 3.12"]),
        ("pip install uv\npython3 -m pytest -p 3.13", []),
        ("", []),
    ],
)
def test_tools_are_those_that_the_script_names(script: str, layers: list[str]) -> None:
    assert [str(layer) for layer in tools(script, images.find("host"))] == layers


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package index on this machine with three wheels of uv, one of them for another kind of machine."""
    folder = tmp_path / "simple" / "uv"
    folder.mkdir(parents=True)
    files = []
    for version, machine in (("0.9.5", platform.machine()), ("0.10.1", platform.machine()), ("0.11.0", "s390x")):
        name = f"uv-{version}-py3-none-manylinux_2_17_{machine}.manylinux2014_{machine}.whl"
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as wheel:
            for program in ("uv", "uvx"):
                wheel.writestr(f"uv-{version}.data/scripts/{program}", f"#!/bin/sh\necho {program} {version}\n")
        (folder / name).write_bytes(packed.getvalue())
        digest = hashlib.sha256(packed.getvalue()).hexdigest()
        files.append({"filename": name, "url": name, "hashes": {"sha256": digest}})
    (folder / "index.html").write_text(json.dumps({"files": files}))
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    monkeypatch.setattr(SimpleHTTPRequestHandler, "log_message", lambda *_: None)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{server.server_port}/simple")
        yield folder
        server.shutdown()


@pytest.mark.parametrize(("version", "found"), [("0.9.5", "0.9.5"), ("", "0.10.1")])
def test_the_installers_words_find_the_programs(index: Path, version: str, found: str) -> None:
    script = f"curl https://astral.sh/uv/{version and f'{version}/'}install.sh | sh"
    host = images.find("host")
    image = host.with_layers(*tools(script, host), name=f"uv-{found}")
    command = "export HOME=/root; source $HOME/.local/bin/env; uv; uvx; source $HOME/.local/bin/env; echo $PATH"
    with EmbeddedSandbox() as sandbox, sandbox.start(image) as session:
        said = session.run(["bash", "-c", command]).text.splitlines()
    assert said[:2] == [f"uv {found}", f"uvx {found}"]
    assert said[2].split(":").count(PROGRAMS) == 1


def test_a_version_that_the_index_lacks_is_named(index: Path, tmp_path: Path) -> None:
    with pytest.raises(ImageError, match=r"http://127.0.0.1:\d+/simple has no uv 0\.1\.0 for"):
        UvLayer("0.1.0")._wheel()


def test_a_wheel_that_was_changed_is_refused(index: Path) -> None:
    (wheel,) = index.glob("uv-0.9.5-*")
    wheel.write_bytes(wheel.read_bytes() + b"x")
    with pytest.raises(ImageError, match=r"its SHA-256 is not"):
        UvLayer("0.9.5")._wheel()


def test_an_index_that_cannot_be_reached_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    with pytest.raises(ImageError, match=r"http://127.0.0.1:9/simple/uv/ cannot be had"):
        UvLayer("0.9.5")._wheel()


def test_the_environments_file_is_for_any_shell(tmp_path: Path) -> None:
    (tmp_path / "env").write_text(ENVIRONMENT)
    run = subprocess.run(["sh", "-c", f". {tmp_path}/env; echo $PATH"], capture_output=True, text=True, check=True)
    assert run.stdout.startswith(f"{PROGRAMS}:")


def test_a_data_set_prepares_them_if_it_is_asked_to(tmp_path: Path) -> None:
    task = tmp_path / "greet"
    (task / "environment").mkdir(parents=True)
    (task / "tests").mkdir()
    (task / "environment" / "Dockerfile").write_text("FROM debian:12\n")
    (task / "task.toml").write_text('version = "1.0"\n')
    (task / "instruction.md").write_text("Greet.\n")
    (task / "tests" / "test.sh").write_text(SCRIPT.format(python="3.13"))
    asked: list[tuple[Tools, list[str]]] = [("script", []), ("prepared", ["uv 0.9.5", ENV_FILE, "Python 3.13"])]
    for option, more in asked:
        found = HarborFolderDataset(task, tools=option)
        image = found.image(found[0], images.find("host"))
        assert [str(layer) for layer in image.layers if str(layer).startswith(("uv", ENV_FILE, "Python"))] == more
    with pytest.raises(UserError, match="tools=none: what tests install comes from one of script, prepared"):
        HarborFolderDataset(task, tools=cast("Tools", "none"))
