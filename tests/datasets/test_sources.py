"""Fetching published data, against a real server on this machine."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from intercode.datasets.sources import SOURCES, PublishedFile, PublishedSource, available, get
from intercode.datasets.sources.published import PACKAGE_HOST
from intercode.errors import DownloadError, UnknownNameError

TASKS = b'[{"query": "Say hi.", "gold": "echo hi"}]'
DUMP = bytes(range(256)) * 4096


def pinned(path: str, content: bytes, *, instead: str = "") -> PublishedFile:
    return PublishedFile(path, sha256(content).hexdigest(), len(content), instead)


PUBLISHED = PublishedSource(
    "toy",
    "two files",
    "CC0",
    "someone/something",
    "0123abcd",
    (pinned("data/tasks.json", TASKS), pinned("docker/dump.sql", DUMP, instead="dump.tar")),
)
SHELF = {"toy": PUBLISHED}


class Server:
    """Serves what is put into `files` (by address), and keeps a list of what was `asked` for."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.cut = False
        """Whether to hang up in the middle of every file."""
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.asked.append(self.path)
                content = server.files.get(self.path)
                if content is None:
                    self.send_error(404)
                    return
                self.send_response(200)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content[: len(content) // 2] if server.cut else content)

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        self.host = f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    server.files = {
        "/someone/something/0123abcd/data/tasks.json": TASKS,
        "/someone/something/0123abcd/docker/dump.sql": DUMP,
    }
    yield server
    server.close()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the toy data set belongs; nothing is there yet."""
    monkeypatch.setenv("INTERCODE_DATA", str(tmp_path / "data"))
    return tmp_path / "data" / "toy"


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.exists() else {}


def test_a_data_set_is_fetched_whole(server: Server, folder: Path) -> None:
    lines: list[str] = []
    assert get("toy", progress=lines.append, host=server.host, sources=SHELF) == folder
    assert contents(folder) == {"tasks.json": TASKS, "dump.sql": DUMP}
    assert lines == ["fetching tasks.json (41 bytes)", "fetching dump.sql (1,048,576 bytes)"]


def test_what_is_there_is_not_fetched_again(server: Server, folder: Path) -> None:
    get("toy", host=server.host, sources=SHELF)
    server.asked.clear()
    get("toy", host=server.host, sources=SHELF)
    assert server.asked == []


def test_what_has_changed_on_this_machine_is_fetched_anew(server: Server, folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "tasks.json").write_bytes(TASKS.replace(b"hi", b"ho"))
    get("toy", host=server.host, sources=SHELF)
    assert contents(folder)["tasks.json"] == TASKS


def test_a_file_that_serves_as_well_saves_the_fetching(server: Server, folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "dump.tar").write_bytes(b"")
    get("toy", host=server.host, sources=SHELF)
    assert server.asked == ["/someone/something/0123abcd/data/tasks.json"]


def test_a_file_that_the_server_lacks_is_named(server: Server, folder: Path) -> None:
    """What came before it stays, and the next attempt goes on from there."""
    dump = server.files.pop("/someone/something/0123abcd/docker/dump.sql")
    with pytest.raises(DownloadError, match=r"/0123abcd/docker/dump\.sql: the server answered 404 Not Found; try"):
        get("toy", host=server.host, sources=SHELF)
    assert contents(folder) == {"tasks.json": TASKS}
    server.files["/someone/something/0123abcd/docker/dump.sql"] = dump
    get("toy", host=server.host, sources=SHELF)
    assert contents(folder) == {"tasks.json": TASKS, "dump.sql": DUMP}


def test_a_wrong_checksum_deletes_what_came(server: Server, folder: Path) -> None:
    server.files["/someone/something/0123abcd/data/tasks.json"] = TASKS.replace(b"hi", b"ho")
    with pytest.raises(DownloadError, match=r"data/tasks\.json: the download's checksum is not the pinned one"):
        get("toy", host=server.host, sources=SHELF)
    assert contents(folder) == {}


def test_a_connection_that_is_cut_leaves_nothing(server: Server, folder: Path) -> None:
    server.cut = True
    with pytest.raises(DownloadError, match=r"data/tasks\.json: no answer, or one that was cut short"):
        get("toy", host=server.host, sources=SHELF)
    assert contents(folder) == {}


def test_a_failed_attempt_leaves_the_old_file_alone(server: Server, folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "tasks.json").write_bytes(b"[]")
    server.cut = True
    with pytest.raises(DownloadError):
        get("toy", host=server.host, sources=SHELF)
    assert contents(folder) == {"tasks.json": b"[]"}


def test_a_server_that_is_not_there_is_named(folder: Path) -> None:
    with socket.socket() as taken:  # nobody else gets the port, and nobody listens at it
        taken.bind(("127.0.0.1", 0))
        host = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(DownloadError, match=rf"{host}/someone/something/0123abcd/data/tasks\.json: no answer"):
            get("toy", host=host, sources=SHELF)
    assert contents(folder) == {}


def test_a_folder_that_cannot_be_written_is_named(server: Server, folder: Path) -> None:
    folder.parent.mkdir()
    folder.write_text("a file where the folder should be")
    with pytest.raises(DownloadError, match=r"tasks\.json: .*; INTERCODE_DATA names another folder"):
        get("toy", host=server.host, sources=SHELF)


def test_an_unknown_name_lists_what_there_is(folder: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"no published data called 'toys'; there are: .*nl2bash"):
        get("toys")


def test_the_list_says_what_is_here(server: Server, folder: Path) -> None:
    (before,) = available(SHELF, {})
    assert (before.name, before.licence, before.size, before.present) == ("toy", "CC0", len(TASKS) + len(DUMP), False)
    get("toy", host=server.host, sources=SHELF)
    (after,) = available(SHELF, {})
    assert after == replace(before, present=True)


def test_every_published_file_is_pinned() -> None:
    """A whole SHA-256, a whole commit, a size; and no two files meet under one name."""
    for name, source in SOURCES.items():
        assert source.name == name
        assert len(bytes.fromhex(source.commit)) == (0 if source.host == PACKAGE_HOST else 20)
        assert source.licence
        assert len({file.name for file in source.files}) == len(source.files)
        for file in source.files:
            assert len(bytes.fromhex(file.sha256)) == 32
            assert file.size > 0
            assert source.url(file).endswith("/".join(filter(None, (source.commit, file.path))))
            assert f"/{source.repository}/" in source.url(file)


def test_published_data_on_this_machine_is_what_is_pinned(published: Path) -> None:
    """Wherever a file of the table is here, it has the table's size and checksum."""
    here = [(file, published / source.name / file.name) for source in SOURCES.values() for file in source.files]
    for file, path in here:
        if path.is_file():
            assert (path.stat().st_size, sha256(path.read_bytes()).hexdigest()) == (file.size, file.sha256)
