"""Who may ask the server, what it answers, and what it never does."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from made_runs import call, episode, turn, varied, write

from intercode.errors import UserError
from intercode.view.library import RunLibrary
from intercode.view.server import ViewServer

Serve = Callable[..., str]

ROOT = Path(__file__).parents[2]


def ask(address: str, path: str, **headers: str) -> httpx.Response:
    return httpx.get(f"{address}{path}", headers=headers, timeout=60)


def test_the_page_may_run_nothing_but_its_own_script(address: str) -> None:
    answer = ask(address, "")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'; script-src 'self'; style-src 'self'" in policy
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"


def test_without_the_secret_nothing_is_answered(address: str) -> None:
    base = f"http://{urlsplit(address).netloc}"
    for path in ("/", "/api/runs", "/wrong/api/runs", "/wrong/", "//api/runs"):
        assert httpx.get(base + path).status_code == 403


def test_another_name_of_the_host_is_refused(address: str) -> None:
    for host in ("evil.example", f"evil.example:{urlsplit(address).port}", "127.0.0.1"):
        assert ask(address, "api/runs", host=host).status_code == 421


@pytest.mark.parametrize("method", ["PUT", "POST", "DELETE"])
@pytest.mark.parametrize("path", ["api/notes?run=first&task=toy/won", "api/changes?run=first&task=toy/won"])
def test_other_sites_change_nothing(address: str, method: str, path: str) -> None:
    own = f"http://{urlsplit(address).netloc}"
    strangers: tuple[dict[str, str], ...] = (
        {},
        {"origin": own},
        {"x-intercode-view": "1"},
        {"origin": "http://evil.example", "x-intercode-view": "1"},
        {"origin": "null", "x-intercode-view": "1"},
    )
    for headers in strangers:
        assert httpx.request(method, address + path, headers=headers, content=b"{}").status_code == 403


def test_only_notes_can_be_written(address: str) -> None:
    own = {"origin": f"http://{urlsplit(address).netloc}", "x-intercode-view": "1"}
    for path in ("api/runs", "api/rows", "api/episode", "app.js", ""):
        for method in ("PUT", "POST", "DELETE", "PATCH"):
            assert httpx.request(method, address + path, headers=own).status_code in (404, 405)


@pytest.mark.parametrize(
    "path", ["../pyproject.toml", "..%2f..%2fetc/passwd", "static/app.js", "api/text?run=../first"]
)
def test_no_other_file_is_served(address: str, path: str) -> None:
    assert ask(address, path).status_code in (403, 404)


def test_notes_that_are_none_are_refused(serve: Serve, tmp_path: Path) -> None:
    folder = write(tmp_path / "run", varied())
    address = serve(folder)
    own = {"origin": f"http://{urlsplit(address).netloc}", "x-intercode-view": "1"}
    deep = b'{"other": ' + b"[" * 100_000
    for body in (b"", b"[]", b'{"bookmark": "yes"}', b'{"other": 1}', b"\xff", deep):
        answer = httpx.put(f"{address}api/notes?run=run&task=toy/won", headers=own, content=body)
        assert "not a note" in answer.json()["error"]
    assert httpx.put(f"{address}api/notes?run=run&task=a", headers=own, content=b"x" * (2 << 20)).status_code == 413
    assert not (folder / "notes.json").exists()


def test_long_texts_are_cut_and_can_be_had(serve: Serve, tmp_path: Path) -> None:
    seen = "é" * 100_000
    address = serve(write(tmp_path / "run", [episode("toy/a", turn("ls", seen))]))
    found = ask(address, "api/episode?run=run&task=toy/a").json()["episode"]
    text = found["turns"][0]["observation"]["text"]
    assert (text["length"], text["path"]) == (100_000, "turns/0/observation/text")
    assert len(text["$text"]) < 20_000
    query = f"run=run&task=toy/a&path={text['path']}"
    assert ask(address, f"api/text?{query}").text == seen
    assert ask(address, f"api/text?{query}&from=10&to=20").text == "é" * 10
    assert ask(address, "api/text?run=run&task=toy/a&path=turns/9/x").status_code == 404


def test_what_is_no_text_for_a_browser_is_still_shown(serve: Serve, tmp_path: Path) -> None:
    folder = write(tmp_path / "run", [episode("toy/a", turn("ls", "half \ud800 pair"))])
    text = (folder / "episodes.jsonl").read_text()
    (folder / "episodes.jsonl").write_text(text.replace('"seconds":0.1', '"seconds":NaN'))
    address = serve(folder)
    found = ask(address, "api/episode?run=run&task=toy/a")
    assert found.status_code in (200, 404)
    assert "half" in found.text or "seconds" in ask(address, "api/runs").text


def test_searching_finds_in_the_fields_that_are_asked(address: str) -> None:
    def keys(query: str) -> list[str]:
        return [task for task, _ in ask(address, f"api/search?run=first&{query}").json()["keys"]]

    assert keys("q=TREASURE") == ["toy/search"]
    assert keys("q=treasure&in=observation") == []
    assert keys("q=count the files&in=query") == [each.task.id for each in varied()]
    assert keys("q=nowhere") == []


def test_a_run_that_cannot_be_read_is_named_and_the_others_shown(serve: Serve, tmp_path: Path) -> None:
    write(tmp_path / "good", varied())
    bad = write(tmp_path / "bad", varied())
    (bad / "episodes.jsonl").unlink()
    (bad / "episodes.jsonl").mkdir()
    answer = ask(serve(tmp_path), "api/runs").json()
    assert [run["name"] for run in answer["runs"]] == ["good"]
    assert answer["problems"] == [f"cannot read {bad}/episodes.jsonl: it is a folder, not a regular file"]


def test_what_is_not_there_is_said(address: str) -> None:
    assert "no run called 'x'" in ask(address, "api/rows?run=x").json()["error"]
    assert "no episode toy/x:0" in ask(address, "api/episode?run=first&task=toy/x").json()["error"]
    assert "error" in ask(address, "api/episode?run=first").json()
    assert "error" in ask(address, "api/rows?run=first&after=x").json()


def test_a_port_that_is_taken_is_named(address: str, runs: Path) -> None:
    with pytest.raises(UserError, match="leave out --port"):
        ViewServer(RunLibrary.open([runs]), port=urlsplit(address).port)


def test_the_address_holds_after_a_restart(runs: Path) -> None:
    found = []
    for _ in range(2):
        with closing(ViewServer(RunLibrary.open([runs]), port=0)) as server:
            found.append(urlsplit(server.url).path)
    assert found[0] == found[1]
    assert len(found[0]) > 20


def test_the_address_is_secret_where_users_have_no_numbers(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "getuid")  # as on Windows
    for _ in range(2):  # the second time there is one that was kept
        with closing(ViewServer(RunLibrary.open([runs]), port=0)) as server:
            assert len(urlsplit(server.url).path) > 20


def test_a_call_is_there_in_full(serve: Serve, tmp_path: Path) -> None:
    made = episode("toy/a", turn("ls"))
    found = ask(serve(write(tmp_path / "run", [made])), "api/episode?run=run&task=toy/a").json()["episode"]
    assert found["turns"][0]["calls"][0]["reply"]["text"] == call().reply.text


def test_the_bundle_is_built_from_these_sources() -> None:
    sources = hashlib.sha256()
    folder = ROOT / "web" / "src"
    for path in sorted(folder.iterdir(), key=lambda each: each.name):
        sources.update(path.name.encode() + b"\0" + path.read_bytes())
    for name in ("app.js", "app.css"):
        bundle = (ROOT / "src/intercode/view/static" / name).read_text()
        assert sources.hexdigest() in bundle[:200], "run `npm run build` in web/"
        assert len(bundle) < 250_000


def test_no_text_becomes_markup() -> None:
    """The page has no way to make elements of texts, so that none can be forgotten."""
    for path in (ROOT / "web" / "src").iterdir():
        code = path.read_text()
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", code), (
            path
        )


def test_the_lock_file_names_no_address() -> None:
    lock = json.loads((ROOT / "web" / "package-lock.json").read_text())
    assert not [name for name, each in lock["packages"].items() if "resolved" in each]
    assert all("integrity" in each for name, each in lock["packages"].items() if name)
