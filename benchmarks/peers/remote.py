"""Designs that live in another Python, since their packages cannot be installed beside ours: a line for each call."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.timing import Design

if TYPE_CHECKING:  # ours is not installed in the Pythons of others, in which `serve` runs
    from intercode_sandbox.testing.docker_engine import DockerEngine

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv/benchmarks/bin/python"
"""The environment that `make .venv/benchmarks/ready` makes."""


class RemoteDesign:
    """A design of the *module* here, which calls `serve`. A call costs a tenth of a millisecond on top.

    *arguments* are the module's. *engine* is the Docker engine that it finds, and beside whose networks it runs.
    """

    def __init__(self, module: str, name: str, *arguments: str, engine: DockerEngine | None = None) -> None:
        self.name = name
        argv = [str(PYTHON), "-m", f"benchmarks.peers.{module}", *arguments]
        self._process = subprocess.Popen(
            engine.beside(*argv) if engine else argv,
            cwd=ROOT,
            env={**os.environ, "DOCKER_HOST": engine.url} if engine else None,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def reset(self) -> None:
        self._call("reset")

    def run(self, command: str) -> str:
        return self._call("run", command)

    def diff(self) -> None:
        self._call("diff")

    def close(self) -> None:
        self._call("close")

    def end(self) -> None:
        """End the process."""
        self._process.communicate()

    def _call(self, *words: str) -> str:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(words).encode() + b"\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.name} has ended with status {self._process.wait()}: see its messages above")
        return str(json.loads(line))


def serve(design: Design) -> None:
    """Do what comes by standard input, and answer what `run` has returned. Whatever is printed goes to the errors."""
    answers = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):
        for line in sys.stdin:
            method, *arguments = json.loads(line)
            found: Any = getattr(design, method)(*arguments)
            print(json.dumps(str(found) if method == "run" else ""), file=answers, flush=True)
