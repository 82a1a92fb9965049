"""Sandboxes in Docker of others beside ours, in one interleaved run on one engine."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks import embedded, file_tree, timing
from benchmarks.docker_image import docker_image
from benchmarks.embedded import Ours
from benchmarks.peers.in_container import PREPARE
from benchmarks.peers.remote import PYTHON, RemoteDesign
from benchmarks.peers.report import show
from intercode_sandbox.docker import DockerSandbox
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.testing.docker_engine import DockerEngine, NoDockerEngine

COMMANDS = (
    ("in Docker, five tasks' commands", file_tree.COMMANDS),
    ("in Docker, five times `echo hi`", ("echo hi",) * 5),
)
VERSION = (3, 11)
"""Of the Python in Debian 12: SWE-ReX's server runs on the image's Python with the packages of `PYTHON`."""


def side_by_side(console: Console, sandbox: EmbeddedSandbox, base: Path, seconds: float) -> dict[str, Any]:
    """Figures by commands, design and part; *base* is a root file system with Python. What lacks is named."""
    found: dict[str, Any] = {}
    with ExitStack() as stack:
        try:
            engine = stack.enter_context(DockerEngine())
        except NoDockerEngine as reason:
            console.print(f"no Docker engine, so no peers in Docker: {reason}")
            return {}
        console.print(f"Docker: {engine.describe()}")
        ours = stack.enter_context(DockerSandbox(engine=engine.url, progress=console.print))
        image = embedded.image(base)
        designs: list[timing.Design] = [Ours(sandbox, image), Ours(ours, image, "intercode, docker")]
        theirs = stack.enter_context(docker_image(engine, base, command=PREPARE))
        for missing, module, name in _peers(engine):
            if missing:
                console.print(f"{name}: not measured, {missing}")
                continue
            design = RemoteDesign(module, name, theirs, engine=engine)
            stack.callback(design.end)
            designs.append(design)
        for name, commands in COMMANDS:
            found[name] = timing.interleave(designs, rounds=1000, seconds=seconds, commands=commands)
    for name, figures in found.items():
        show(console, name, figures)
    return found


def _peers(engine: DockerEngine) -> Iterator[tuple[str, str, str]]:
    """Yield what is missing for each, its module, and its name."""
    lacking = "" if PYTHON.exists() else ".venv/benchmarks is not there (make .venv/benchmarks/ready)"
    if not lacking and not shutil.which("docker"):
        lacking = "as there is no `docker` on the PATH"
    compose = "" if lacking or _runs("docker", "compose", "version") else "`docker compose` does not run"
    yield lacking or compose, "inspect_docker", "Inspect, docker sandbox"
    version = (
        ""
        if lacking or _runs(str(PYTHON), "-c", f"import sys; assert sys.version_info[:2] == {VERSION}")
        else (f"its packages are not for Python {'.'.join(map(str, VERSION))}")
    )
    network = "" if engine.gives_network else "this engine gives containers no network"
    yield lacking or version or network, "swe_rex_docker", "SWE-ReX, docker deployment"


def _runs(*argv: str) -> bool:
    return subprocess.run(argv, capture_output=True).returncode == 0
