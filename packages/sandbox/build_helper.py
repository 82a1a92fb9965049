"""Build hook: compiles the sandboxes' C programs into the package, so that `pip install .` is all there is to do.

Without INTERCODE_WHEEL the programs are this machine's, where it has a compiler. `scripts/wheels.py` sets it, to make
the wheels of a release.
"""

from __future__ import annotations

import os
import platform
import runpy
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SANDBOXES = Path("src/intercode_sandbox")
HELPER = SANDBOXES / "embedded" / "helper"
PROGRAMS = {
    SANDBOXES / "embedded" / "intercode-helper": (HELPER / "*.c",),
    SANDBOXES / "docker" / "intercode-runner": (
        SANDBOXES / "docker" / "runner" / "*.c",
        *(
            HELPER / f"{name}.c"
            for name in (
                "disk",
                "guard",
                "held",
                "keeper",
                "listener",
                "listing",
                "output",
                "pristine",
                "processes",
                "runner",
                "version",
                "wire",
            )
        ),
    ),
}
"""What is built, of which sources: the embedded sandbox's helper, and process 1 of the containers of engines."""

COMPILED = SANDBOXES / "runner" / "compiled.py"
"""Knows the fingerprint of the sources, which the programs carry."""

MACHINES = ("x86_64", "aarch64")
NO_PROGRAMS = "any"
"""INTERCODE_WHEEL is a machine, or this: a wheel for macOS and Windows, where no sandbox can use the programs."""

MISSING = (
    "no C compiler found, so the embedded and the docker sandbox will not run: install one "
    "(Debian, Ubuntu: apt-get install gcc libc6-dev) or name it in CC, and install again"
)


class HelperHook(BuildHookInterface):  # type: ignore[type-arg]
    """Runs `cc -static` on the programs' sources; the wheel is then one for this platform."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and tell hatchling to ship the programs."""
        target = os.environ.get("INTERCODE_WHEEL", "")
        if target not in ("", NO_PROGRAMS, *MACHINES):
            raise RuntimeError(f"INTERCODE_WHEEL is {', '.join((*MACHINES, NO_PROGRAMS))}, not {target!r}")
        if target in MACHINES:
            self._release(target, build_data)
        elif not target and platform.system() == "Linux" and platform.machine() in MACHINES:
            self._for_this_machine(build_data)

    def _for_this_machine(self, build_data: dict[str, Any]) -> None:
        """Programs beside their sources, where an editable install finds them too."""
        compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
        if compiler is None:
            self.app.display_warning(MISSING)
            return
        for target, sources in PROGRAMS.items():
            self._compile(compiler, Path(self.root) / target, sources)
            build_data["artifacts"].append(str(target))
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def _release(self, machine: str, build_data: dict[str, Any]) -> None:
        """Programs in a folder of their own: those beside the sources stay this machine's. CC must be for *machine*.

        They are static, so that any C library's Linux runs them.
        """
        for target, sources in PROGRAMS.items():
            program = Path(self.root) / "build" / "programs" / machine / target.name
            program.parent.mkdir(parents=True, exist_ok=True)
            self._compile(os.environ["CC"], program, sources, "-s")
            build_data["force_include"][str(program)] = str(target.relative_to("src"))
        platforms = f"manylinux2014_{machine}.manylinux_2_17_{machine}.musllinux_1_1_{machine}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platforms}"

    def _compile(self, compiler: str, program: Path, patterns: tuple[Path, ...], *more: str) -> None:
        root = Path(self.root)
        sources = [str(path) for pattern in patterns for path in sorted(root.glob(str(pattern)))]
        fresh = program.with_suffix(f".{os.getpid()}")
        fingerprint = runpy.run_path(str(root / COMPILED))["fingerprint"]()
        options = [
            f'-DSOURCES="{fingerprint}"',
            "-std=gnu11",
            "-O2",
            "-Wall",
            "-Wextra",
            "-static",
            "-Wl,--no-gc-sections",  # some linkers leave out what is never read, as the fingerprint
            *more,
            "-I",
            str(root / HELPER),
        ]
        command = [*shlex.split(compiler), *options, "-o", str(fresh), *sources]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{program.name} does not compile: {' '.join(command)}\n{done.stderr}")
        fresh.replace(program)
