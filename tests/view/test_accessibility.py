"""No screen has a serious barrier that axe-core knows, in either colours, on a desk or on a phone."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest
from made_runs import varied, write
from playwright.sync_api import Page

Serve = Callable[..., str]

pytestmark = pytest.mark.slow

AXE = files("axe_playwright_python") / "axe.min.js"

SCREENS = {
    "runs": ("", "table.runs tbody tr"),
    "episodes": ("#/first?group=1", ".body .row"),
    "episode": ("#/first/toy%2Flost:0", ".turn"),
    "compare": ("#/~compare/first/second", ".matrix"),
    "side by side": ("#/~compare/first/second/toy%2Fwon", "#divergence"),
    "matrix": ("#/~compare/first/second/third", ".against li:nth-child(2)"),
    "task in all runs": ("#/~task/toy%2Flost", "table.runs tbody tr"),
    "marked runs": ("", "table.runs tbody tr"),
    "tree": ("#/first/~tree/toy%2Fsearch", ".tree"),
}


@pytest.fixture(scope="module")
def three(serve: Serve, runs: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where three runs are served."""
    folder = tmp_path_factory.mktemp("three")
    shutil.copytree(runs, folder, dirs_exist_ok=True)
    write(folder / "third", varied(), agent="third")
    return serve(folder)


@pytest.fixture(scope="module")
def axe() -> str:
    return AXE.read_text(encoding="utf-8")


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("screen", SCREENS)
def test_no_serious_barrier(page: Page, three: str, axe: str, screen: str, colours: str) -> None:
    place, sign = SCREENS[screen]
    page.emulate_media(color_scheme="dark" if colours == "dark" else "light")
    if colours == "dark":
        page.set_viewport_size({"width": 390, "height": 800})
    page.goto(three + place)
    page.wait_for_selector(sign)
    if screen == "marked runs":
        for box in page.get_by_role("checkbox", name="compare ").all():
            box.check()
        page.wait_for_selector(".chosen .differs")
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    page.wait_for_timeout(200)
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    serious = [each for each in found["violations"] if each["impact"] in ("serious", "critical")]
    assert [(each["id"], [node["html"] for node in each["nodes"]][:3]) for each in serious] == []
    assert len(found["passes"]) > 5
