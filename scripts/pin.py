"""Pin what pyproject.toml asks for, with hashes and without download addresses: writes requirements/*.txt."""

from __future__ import annotations

import subprocess
from pathlib import Path

UV = Path(".venv/bin/uv")
COMMON = ("--universal", "--python-version", "3.11", "--generate-hashes", "--no-annotate", "--no-header", "--quiet")
FOLDER = Path("requirements")


def pin(name: str, *arguments: str, text: str = "") -> None:
    """Resolve, and write requirements/NAME.txt."""
    command = [str(UV), "pip", "compile", *COMMON, "--output-file", str(FOLDER / f"{name}.txt"), *arguments]
    subprocess.run(command, input=text, text=True, check=True)


def main() -> None:
    """All files, the small ones first: a later one keeps to the versions of the earlier."""
    keep = ("--constraint", "requirements/run.txt")
    pin("uv", "-", text="uv\n")
    pin("run", "pyproject.toml", "-", text="hatchling\neditables\n")
    pin("test", "--group", "test", *keep)


if __name__ == "__main__":
    main()
