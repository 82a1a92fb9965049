"""What each turn changed, and the ending beside the gold's, on real episodes in a real browser."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from intercode.runs.job import prepare
from intercode.runs.runner import Runner
from intercode.runs.settings import Settings
from intercode.runs.store import RunStore
from intercode.view.changes import ChangeService
from intercode.view.export import PageExport
from intercode.view.library import RunLibrary

pytestmark = pytest.mark.slow

Serve = Callable[..., str]

TASK = "starter/bash/show-port"

MOVES = ["cat /shop/config/shop.conf", "echo '<b>new</b>' > /shop/note.txt", "rm /shop/note.txt", "submit"]

PATIENCE = 120_000
"""Milliseconds for a replay, beside other tests."""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("played")
    script = folder / "script.json"
    script.write_text(json.dumps({"moves": {TASK: MOVES}}))
    settings = Settings(agent="scripted", agent_options={"script": str(script)}, tasks=(TASK,))
    with prepare(settings) as job, RunStore.create(folder / "run", job.manifest) as store:
        Runner(job, store).run()
    return folder / "run"


def check(page: Page) -> None:
    """What the page has to show of it."""
    expect(page.locator("#turn-1 .changes")).to_have_text("changed nothing", timeout=PATIENCE)
    expect(page.locator("#turn-2 .changes")).to_contain_text("added file /shop/note.txt")
    expect(page.locator("#turn-2 .diff .added")).to_have_text("+<b>new</b>\n")
    expect(page.locator("#turn-3 .changes")).to_contain_text("removed file /shop/note.txt")
    expect(page.locator(".endings")).to_contain_text("The states are equal.")
    page.get_by_text("the gold itself").click()
    expect(page.get_by_label("gold", exact=True)).to_contain_text("shop.conf")


def test_turns_show_what_they_changed(page: Page, serve: Serve, played: Path) -> None:
    page.goto(f"{serve(played)}#/run/starter%2Fbash%2Fshow-port:0")
    page.wait_for_selector(".turn")
    asked: list[Route] = []
    page.route("**/api/changes?*", lambda route: asked.append(route))  # held until it is seen that something goes on
    page.keyboard.press("c")
    expect(page.get_by_role("status").filter(has_text="playing the episode again")).to_be_visible()
    asked[0].continue_()
    check(page)


def test_a_file_shows_them_too(page: Page, played: Path, tmp_path: Path) -> None:
    service = ChangeService()
    try:
        PageExport(RunLibrary.open([played]), service=service).write(tmp_path / "run.html")
    finally:
        service.close()
    page.goto(f"{(tmp_path / 'run.html').as_uri()}#/run/starter%2Fbash%2Fshow-port:0")
    check(page)


def test_what_cannot_be_played_again_says_why(page: Page, address: str) -> None:
    page.goto(f"{address}#/first/toy%2Fwon:0")
    page.get_by_role("button", name="What did each turn change").click()
    expect(page.locator(".replay [role=alert]")).to_contain_text("toy", timeout=PATIENCE)
