"""An exported file in a real browser: it opens from the disk, and asks nobody for anything."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_runs import varied, write
from playwright.sync_api import Page, expect

from intercode.view.export import PageExport
from intercode.view.library import RunLibrary

pytestmark = pytest.mark.slow


def test_it_works_without_any_request(page: Page, runs: Path, tmp_path: Path) -> None:
    PageExport(RunLibrary.open([runs])).write(tmp_path / "run.html")
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    address = (tmp_path / "run.html").as_uri()
    page.goto(f"{address}#/first?success=no")
    expect(page.locator("#shown")).to_contain_text("3 episodes of 9")
    page.get_by_role("searchbox").fill("treasure")
    expect(page.locator("#shown")).to_contain_text("0 episodes of 9")
    page.get_by_role("link", name="Clear").click()
    expect(page.locator("#shown")).to_contain_text("9 episodes")  # else the box that is filled is the one that goes
    page.get_by_role("searchbox").fill("treasure")
    expect(page.locator("#shown")).to_contain_text("1 episode of 9")
    page.get_by_role("link", name="toy/search", exact=True).click()
    expect(page.get_by_label("observation of turn 1")).to_have_text("gold\n")
    page.goto(f"{address}#/first/toy%2Flong:0/5")
    expect(page.locator("#turn-5")).to_be_in_viewport()
    page.goto(f"{address}#/~compare/first/second")
    expect(page.locator(".matrix")).to_contain_text("1 only A succeeds")
    assert [url for url in requests if not url.startswith(("file:", "data:"))] == []
    assert len({url.split("#")[0] for url in requests if url.startswith("file:")}) == 1


def test_what_was_left_out_is_said(page: Page, tmp_path: Path) -> None:
    from intercode.view.export import ExportOptions

    library = RunLibrary.open([write(tmp_path / "run", varied())])
    PageExport(library, ExportOptions(redact=["thoughts"], only_failed=True)).write(tmp_path / "run.html")
    page.goto((tmp_path / "run.html").as_uri())
    expect(page.locator("main")).to_contain_text("written without thoughts and only episodes without success")
