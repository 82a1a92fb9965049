"""Pin what pyproject.toml asks for, with hashes and without download addresses: writes requirements/*.txt."""

from __future__ import annotations

import subprocess
from pathlib import Path

UV = Path(".venv/bin/uv")
COMMON = ("--universal", "--generate-hashes", "--no-annotate", "--no-header", "--quiet")
FOLDER = Path("requirements")
OLDEST_PYTHON = "3.11"
PEERS: dict[str, str] = {"loggers": OLDEST_PYTHON}
"""The extras that are tested in an environment of their own, and the oldest Python that each peer's package runs on."""


def pin(name: str, *arguments: str, text: str = "", python: str = OLDEST_PYTHON) -> None:
    """Resolve, and write requirements/NAME.txt."""
    output = FOLDER / f"{name}.txt"
    command = [str(UV), "pip", "compile", *COMMON, "--python-version", python, "--output-file", str(output), *arguments]
    subprocess.run(command, input=text, text=True, check=True)


def pin_peer(peer: str, python: str) -> None:
    """What tests/integrations/PEER needs: the extra of that name, and what runs tests."""
    pin(
        f"integrations/{peer}",
        "pyproject.toml",
        "-",
        "--extra",
        peer,
        "--group",
        "integrations",
        text="hatchling\neditables\n",
        python=python,
    )
    if python != OLDEST_PYTHON:
        path = FOLDER / "integrations" / f"{peer}.txt"
        path.write_text(f"# python: {python}\n{path.read_text()}")


def main() -> None:
    """All files, the small ones first: a later one keeps to the versions of the earlier."""
    keep = ("--constraint", "requirements/run.txt")
    pin("uv", "-", text="uv\n")
    pin("run", "pyproject.toml", "-", text="hatchling\neditables\n")
    pin("test", "--group", "test", *keep)
    pin("site", "--group", "site")
    for peer, python in PEERS.items():
        pin_peer(peer, python)


if __name__ == "__main__":
    main()
