"""The sandboxes' C programs: no compiler finds fault with them. (Whoever installs them may have one that is newer.)"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

SANDBOXES = Path(__file__).parents[3] / "packages/sandbox/src/intercode_sandbox"
HELPER = SANDBOXES / "embedded/helper"
SOURCES = sorted([*HELPER.glob("*.c"), *(SANDBOXES / "docker/runner").glob("*.c")])


@pytest.mark.parametrize("hardening", ["-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=3"], ids=["plain", "as-on-Ubuntu"])
def test_the_c_programs_compile_without_warnings(hardening: str) -> None:
    compiler = shutil.which("cc")
    assert compiler, "there is no C compiler (Debian, Ubuntu: apt-get install gcc libc6-dev)"
    options = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-I", str(HELPER), hardening]
    for source in SOURCES:
        command = [compiler, *options, "-c", str(source), "-o", "/dev/null"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
