"""Build hook: compiles the sandboxes' C programs into the package, so that `pip install .` is all there is to do."""

from __future__ import annotations

import os
import platform
import runpy
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SANDBOXES = Path("src/intercode/sandboxes")
HELPER = SANDBOXES / "embedded" / "helper"
PROGRAMS = {
    SANDBOXES / "embedded" / "intercode-helper": (HELPER / "*.c",),
    SANDBOXES / "docker" / "intercode-runner": (
        SANDBOXES / "docker" / "runner" / "*.c",
        *(HELPER / name for name in ("disk.c", "guard.c", "held.c", "processes.c", "runner.c", "wire.c")),
    ),
}
"""What is built, of which sources: the embedded sandbox's helper, and process 1 of the containers of engines."""

COMPILED = SANDBOXES / "runner" / "compiled.py"
"""Knows the fingerprint of the sources, which the programs carry."""

MISSING = "no C compiler found: install one (Debian, Ubuntu: apt-get install gcc libc6-dev) or name it in CC"


class HelperHook(BuildHookInterface):  # type: ignore[type-arg]
    """Runs `cc -static` on the programs' sources; the wheel is then one for this platform."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and tell hatchling to ship the programs."""
        compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
        if compiler is None:
            raise RuntimeError(MISSING)
        if platform.machine() not in ("x86_64", "aarch64"):
            raise RuntimeError(f"the sandbox helper is for x86-64 and aarch64, not {platform.machine()}")
        for target, sources in PROGRAMS.items():
            self._compile(compiler, target, sources)
            build_data["artifacts"].append(str(target))
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def _compile(self, compiler: str, program: Path, patterns: tuple[Path, ...]) -> None:
        root = Path(self.root)
        sources = [str(path) for pattern in patterns for path in sorted(root.glob(str(pattern)))]
        fresh = (root / program).with_suffix(f".{os.getpid()}")
        fingerprint = runpy.run_path(str(root / COMPILED))["fingerprint"]()
        options = [
            f'-DSOURCES="{fingerprint}"',
            "-std=gnu11",
            "-O2",
            "-Wall",
            "-Wextra",
            "-static",
            "-I",
            str(root / HELPER),
        ]
        command = [compiler, *options, "-o", str(fresh), *sources]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{program.name} does not compile: {' '.join(command)}\n{done.stderr}")
        fresh.replace(root / program)
