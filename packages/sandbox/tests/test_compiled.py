"""A C program that is older than its sources is told apart before anybody talks to it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from intercode_sandbox.docker import container
from intercode_sandbox.embedded import EmbeddedSandbox, user_namespace
from intercode_sandbox.errors import SandboxError
from intercode_sandbox.images import find
from intercode_sandbox.runner import compiled


def _stale(program: Path, folder: Path) -> Path:
    """A copy of *program* as if compiled before its sources changed."""
    content, mark = program.read_bytes(), compiled.MARK + compiled.fingerprint().encode()
    assert content.count(mark) == 1
    copy = folder / program.name
    copy.write_bytes(content.replace(mark, compiled.MARK + b"0" * (len(mark) - len(compiled.MARK))))
    copy.chmod(0o755)
    return copy


def test_the_installed_programs_are_those_of_the_sources() -> None:
    assert user_namespace.helper_fault() == ""
    assert container.runner_fault() == ""


def test_no_session_starts_with_a_helper_older_than_its_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user_namespace, "HELPER", _stale(user_namespace.HELPER, tmp_path))
    with EmbeddedSandbox() as sandbox, pytest.raises(SandboxError, match=r"other sources.*make \.venv/ready"):
        sandbox.start(find("host"))


def test_no_container_starts_with_a_runner_older_than_its_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(container, "RUNNER", _stale(container.RUNNER, tmp_path))
    assert "make .venv/ready" in container.runner_fault()


def test_a_program_that_is_missing_is_said_to_be(tmp_path: Path) -> None:
    assert "is missing" in compiled.what_is_wrong_with(tmp_path / "none", "a program")


def test_every_byte_and_name_of_the_sources_counts(tmp_path: Path) -> None:
    for name in compiled.SOURCES:
        shutil.copytree(compiled.SANDBOXES / name, tmp_path / name)
    before = compiled.fingerprint(tmp_path)
    assert before == compiled.fingerprint()
    header = tmp_path / compiled.SOURCES[0] / "helper.h"
    header.write_bytes(header.read_bytes() + b"\n")
    changed = compiled.fingerprint(tmp_path)
    header.rename(header.with_name("other.h"))
    assert len({before, changed, compiled.fingerprint(tmp_path)}) == 3


def test_a_package_without_the_sources_is_not_doubted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert compiled.fingerprint(tmp_path) == ""
    program = tmp_path / "program"
    program.write_bytes(b"no mark")
    monkeypatch.setattr(compiled, "fingerprint", lambda: "")
    assert compiled.what_is_wrong_with(program, "a program") == ""
