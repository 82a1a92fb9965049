"""`intercode serve`, as a process: its address, its logs, its end, and the folder that it writes."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from terminal import PROGRAM, intercode, marked
from websockets.sync.client import ClientConnection, connect

HARBOR_TASKS = Path(__file__).parents[1] / "datasets" / "harbor_tasks"
TOKEN = "0123456789abcdef-token"


class Process:
    """The program while it serves. `mark` is in the environment of all that it starts."""

    def __init__(self, mark: str, log: Path, *options: str, command: list[str] | None = None) -> None:
        self.mark, self.log = mark, log
        words = command or [*PROGRAM, "serve", "starter", "--port", "0", *options]
        with log.open("w") as errors:
            self.process = subprocess.Popen(
                ["env", f"MARK={mark}", *words], stdout=subprocess.PIPE, stderr=errors, text=True
            )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()

    @contextmanager
    def client(self, **options: Any) -> Iterator[ClientConnection]:
        """A session."""
        url = self.url.replace("http", "ws") + "/ws"
        with connect(url, compression=None, proxy=None, **options) as socket:
            yield socket

    def end(self) -> float:
        """Send SIGTERM; the seconds until it has ended."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return time.monotonic() - began


def ask(socket: ClientConnection, kind: str, **data: object) -> dict[str, object]:
    socket.send(json.dumps({"type": kind, "data": data}))
    answer: dict[str, object] = json.loads(socket.recv(timeout=30))
    return answer


def test_sigterm_ends_it_with_all_that_it_started(tmp_path: Path) -> None:
    server = Process(f"serve-{tmp_path.name}-{time.time()}", tmp_path / "log")
    with server.client() as playing, server.client() as hanging:
        for socket in (playing, hanging):
            ask(socket, "reset", task="count-january")
        hanging.send('{"type": "step", "data": {"text": "sleep 9"}}')
        assert ask(playing, "step", text="echo the-action-of-an-agent")["type"] == "observation"
        assert marked(server.mark)
        seconds = server.end()
    assert server.process.returncode == 0
    assert seconds < 10  # 5 on a machine that is not busy: benchmarks/serving.py measures it
    assert marked(server.mark) == []


def test_its_logs_are_json_without_tokens_actions_and_session_ids(tmp_path: Path) -> None:
    (tmp_path / "token").write_text(TOKEN)
    server = Process(f"serve-{time.time()}", tmp_path / "log", "--token-file", str(tmp_path / "token"))
    with server.client(additional_headers={"Authorization": f"Bearer {TOKEN}"}) as socket:
        begun = ask(socket, "reset", task=0)
        ask(socket, "step", text="echo the-action-of-an-agent")
    server.end()
    log = server.log.read_text()
    events = [json.loads(line) for line in log.splitlines()]
    assert sorted(each["event"] for each in events) == ["close", "drain", "open"]
    assert all(each["level"] == "info" and each["time"] for each in events)
    assert TOKEN not in log
    assert "the-action" not in log
    assert str(begun["data"]["metadata"]["session_id"]) not in log  # type: ignore[index]


def test_what_cannot_be_is_refused(tmp_path: Path) -> None:
    for options, why in (
        (["--host", "0.0.0.0"], "give a token"),
        (["no-such-set"], "no data set called"),
        (["--world", "sql", "--dataset-option", "x"], "NAME=VALUE"),
        (["--port", "0", "--host", "256.1.1.1", "--token-file", "token"], "cannot listen on"),
    ):
        (tmp_path / "token").write_text(TOKEN)
        done = intercode("serve", *options, cwd=tmp_path, INTERCODE_SERVE_TOKEN="")
        assert (done.returncode, done.stdout) == (2, ""), options
        assert why in done.stderr
        assert "Traceback" not in done.stderr


def test_it_serves_agentgyms_clients(tmp_path: Path) -> None:
    server = Process(f"agentgym-{time.time()}", tmp_path / "log", "--agentgym")
    try:
        with urllib.request.urlopen(f"{server.url}/create", b"", timeout=30) as answer:
            name = json.loads(answer.read())
        with urllib.request.urlopen(
            f"{server.url}/close", json.dumps({"env_idx": name}).encode(), timeout=30
        ) as answer:
            assert json.loads(answer.read()) is True
    finally:
        server.end()
    done = intercode("serve", "starter", "--agentgym", "--mcp")
    assert (done.returncode, done.stdout) == (2, "")
    assert "choose one of" in done.stderr


def test_a_package_is_a_folder_whose_server_serves_the_users_tasks(tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_text('{"query": "Print hi.", "gold": "echo hi"}\n')
    folder = tmp_path / "environment"
    done = intercode("serve", "mine.jsonl", "--turns", "4", "--package", folder, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (folder / "tasks" / "mine.jsonl").is_file()
    server = Process(
        f"package-{time.time()}",
        tmp_path / "log",
        command=[sys.executable, str(folder / "server" / "app.py"), "--port", "0"],
    )
    try:
        with server.client() as socket:
            ask(socket, "reset", task=0)
            ask(socket, "step", text="echo hi")
            assert ask(socket, "step", text="submit")["data"]["reward"] == 1.0  # type: ignore[index]
    finally:
        server.end()
    again = intercode("serve", "mine.jsonl", "--package", folder, cwd=tmp_path)
    assert again.returncode == 2
    assert "is no empty folder" in again.stderr
    again = intercode("serve", "mine.jsonl", "--package", folder / "README.md", cwd=tmp_path)
    assert (again.returncode, "is no empty folder" in again.stderr) == (2, True)


def test_a_package_is_not_made_within_the_tasks_that_are_copied_into_it(tmp_path: Path) -> None:
    shutil.copytree(HARBOR_TASKS, tmp_path / "mine")
    (tmp_path / "linked").symlink_to("mine")
    for folder in ("mine/package", "linked/package"):
        done = intercode("serve", "mine", "--package", folder, cwd=tmp_path)
        assert done.returncode == 2
        assert f"{folder} is within mine" in done.stderr
    assert not (tmp_path / "mine" / "package").exists()


NAMES = ("openenv.yaml", "Dockerfile", "README.md", "pyproject.toml", "client.py", "models.py", "server/app.py")


def test_a_package_has_all_that_openenv_wants(tmp_path: Path) -> None:
    done = intercode("serve", "starter", "--package", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    texts = [(tmp_path / "out" / name).read_text() for name in NAMES]
    assert all(texts)
    assert not any("$" in text for text in texts)


@pytest.mark.parametrize(
    ("name", "options", "extras"),
    [
        ("starter", [], "serve"),
        ("starter-sql", ["--database", "mysql"], "mysql,serve"),
        ("starter", ["--sandbox", "docker"], "docker,serve"),
    ],
)
def test_a_package_asks_for_what_its_settings_need(name: str, options: list[str], extras: str, tmp_path: Path) -> None:
    done = intercode("serve", name, *options, "--package", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    for file in ("Dockerfile", "pyproject.toml"):
        assert f'"intercode-env[{extras}]==' in (tmp_path / "out" / file).read_text()


def test_a_package_holds_no_password(tmp_path: Path) -> None:
    done = intercode("serve", "starter-sql", "--database", "mysql://me:secret@db:3306", "--package", tmp_path / "out")
    assert done.returncode == 2
    assert "password" in done.stderr
    assert "secret" not in done.stderr
    assert not (tmp_path / "out").exists()
