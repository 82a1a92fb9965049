"""Build hook: compiles the sandbox's C helper into the package, so that `pip install .` is all there is to do."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = Path("src/intercode/sandboxes/bubblewrap")
MISSING = "no C compiler found: install one (Debian, Ubuntu: apt-get install gcc libc6-dev) or name it in CC"


class HelperHook(BuildHookInterface):  # type: ignore[type-arg]
    """Runs `cc -static` on the helper's sources; the wheel is then one for this platform."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and tell hatchling to ship the program."""
        compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
        if compiler is None:
            raise RuntimeError(MISSING)
        if platform.machine() not in ("x86_64", "aarch64"):
            raise RuntimeError(f"the sandbox helper is for x86-64 and aarch64, not {platform.machine()}")
        root = Path(self.root)
        target = root / FOLDER / "intercode-helper"
        sources = sorted(str(path) for path in (root / FOLDER / "helper").glob("*.c"))
        fresh = target.with_suffix(f".{os.getpid()}")
        command = [compiler, "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-static", "-o", str(fresh), *sources]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"the sandbox helper does not compile: {' '.join(command)}\n{done.stderr}")
        fresh.replace(target)
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        build_data["artifacts"].append(str(FOLDER / "intercode-helper"))
