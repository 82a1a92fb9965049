"""Make the files of a release: scripts/wheels.py [FOLDER]. Needs hatchling, and ziglang: it compiles for each machine.

The sandbox's wheels need no compiler where they are installed: one for each machine that sandboxes run on, with its
programs, and one without for other systems. The other packages have one wheel for all. Each has a source archive.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SANDBOX = ROOT / "packages/sandbox"
MACHINES = ("x86_64", "aarch64")


def compiler(machine: str) -> str:
    """Return the value of CC with which static programs for *machine* are compiled, whatever machine this is."""
    return f"{shlex.quote(sys.executable)} -m ziglang cc -target {machine}-linux-musl"


def build(kind: str, folder: Path, *, project: Path, **environment: str) -> None:
    """Build one file of *kind* (wheel or sdist) of *project* into *folder*. Raises CalledProcessError."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder.resolve())]
    subprocess.run(command, cwd=project, env={**os.environ, **environment}, check=True)


def main() -> None:
    """All of them, in dist or the folder that is named."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "dist")
    for machine in MACHINES:
        build("wheel", folder, project=SANDBOX, INTERCODE_WHEEL=machine, CC=compiler(machine))
    build("wheel", folder, project=SANDBOX, INTERCODE_WHEEL="any")
    build("sdist", folder, project=SANDBOX)
    for project in (ROOT, ROOT / "packages/generate"):
        for kind in ("wheel", "sdist"):
            build(kind, folder, project=project)


if __name__ == "__main__":
    main()
