"""Keys from a keyring: the keyring package's own program files one, and runs find it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from openai_server import Server

KEY = "sk-filed-away-0123456789"


@pytest.fixture
def server() -> Iterator[Server]:
    served = Server(lambda request: {"content": "Thought: done\nAction: submit"})
    yield served
    served.close()


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Without any key, and with a keyring in a file."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_KEY")}
    backend = {"PYTHON_KEYRING_BACKEND": "file_keyring.FileKeyring", "KEYRING_FILE": str(tmp_path / "keyring.json")}
    return kept | backend | {"PYTHONPATH": str(Path(__file__).parent), "CI": "1"}


def said(environment: dict[str, str], *words: str | Path, stdin: str = "") -> tuple[int, str]:
    """The exit status of one of our environment's programs, and all that it says."""
    command = [Path(sys.executable).with_name(str(words[0])), *words[1:]]
    done = subprocess.run(command, env=environment, input=stdin, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "MY_SERVERS"])
def test_a_key_in_the_keyring_is_sent_and_neither_stored_nor_shown(
    server: Server, environment: dict[str, str], tmp_path: Path, name: str
) -> None:
    assert said(environment, "keyring", "set", "intercode", name, stdin=f"{KEY}\n")[0] == 0
    server.fault = lambda number: f'{{"error": {{"message": "no such key: {KEY}"}}}}' if number % 2 else ""
    named = ["--model-option", f"key_env={name}"] if name != "OPENAI_API_KEY" else []
    words = ["run", "--model", "m", "--base-url", server.url, *named, "--limit", "4", "--out", str(tmp_path / "run")]
    status, text = said(environment, "intercode", *words)
    assert status == 1, text
    assert "no such key: [key]" in (tmp_path / "run" / "episodes.jsonl").read_text()  # every other one says so
    assert {headers["authorization"] for headers in server.headers} == {f"Bearer {KEY}"}
    shown = said(environment, "intercode", "show", tmp_path / "run", "--json")[1]
    assert KEY not in text + shown
    for path in (tmp_path / "run").iterdir():
        assert KEY not in path.read_text(), path


def test_a_key_that_is_nowhere_is_asked_for_with_the_command_that_files_it(
    server: Server, environment: dict[str, str]
) -> None:
    words = ["run", "--model", "m", "--base-url", server.url, "--model-option", "key_env=NO_SUCH"]
    status, text = said(environment, "intercode", *words)
    assert status == 2
    assert "keyring set intercode NO_SUCH" in " ".join(text.split())
