"""The sandbox under attack: the embedded one, with the image `host`."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from intercode.sandboxes.base import Limits, Snapshot
from intercode.sandboxes.bubblewrap.session import EmbeddedSession
from intercode.sandboxes.embedded import EmbeddedSandbox
from intercode.sandboxes.images import Image, find

ATTACKS = Path(__file__).parent / "attacks"
Start = Callable[..., EmbeddedSession]
Compile = Callable[..., bytes]


@pytest.fixture(scope="session")
def image() -> Image:
    """The machine's own programs."""
    return find("host")


@pytest.fixture(scope="session")
def sandbox() -> Iterator[EmbeddedSandbox]:
    """One for all tests of a process, as a run has it."""
    with EmbeddedSandbox() as sandbox:
        yield sandbox


@pytest.fixture
def start(sandbox: EmbeddedSandbox, image: Image) -> Iterator[Start]:
    """Start sessions that end with the test; takes what `Limits` takes, and a snapshot."""
    with ExitStack() as stack:

        def start(snapshot: Snapshot | None = None, **limits: Any) -> EmbeddedSession:
            session = sandbox.start(image, limits=Limits(**limits), snapshot=snapshot)
            assert isinstance(session, EmbeddedSession)
            return stack.enter_context(session)

        yield start


@pytest.fixture
def session(start: Start) -> EmbeddedSession:
    """Where the agent is."""
    return start()


@pytest.fixture(scope="session")
def attack(tmp_path_factory: pytest.TempPathFactory) -> Compile:
    """Compile a file of `attacks/`, or any C text and files with it, into a static program; its bytes."""
    folder = tmp_path_factory.mktemp("attacks")

    @cache
    def compile_attack(source: str, *more: str) -> bytes:
        target = folder / f"attack{len(list(folder.iterdir()))}"
        _compile(source, more, target)
        return target.read_bytes()

    return compile_attack


def _compile(source: str, more: tuple[str, ...], target: Path) -> None:
    compiler = shutil.which("cc")
    assert compiler, "the attacks are written in C, and there is no C compiler"
    text = (ATTACKS / f"{source}.c").read_text() if "\n" not in source else source
    command = [compiler, "-std=gnu11", "-O1", "-w", "-static", "-I", str(ATTACKS), "-x", "c", "-", *more]
    subprocess.run([*command, "-o", str(target)], input=text, text=True, check=True)
