"""No screen has a serious barrier that axe-core knows, in either colours, on a desk or on a phone."""

from __future__ import annotations

from importlib.resources import files

import pytest
from playwright.sync_api import Page

pytestmark = pytest.mark.slow

AXE = files("axe_playwright_python") / "axe.min.js"

SCREENS = {
    "runs": ("", "table.runs tbody tr"),
    "episodes": ("#/first?group=1", ".body .row"),
    "episode": ("#/first/toy%2Flost:0", ".turn"),
    "compare": ("#/~compare/first/second", ".matrix"),
    "side by side": ("#/~compare/first/second/toy%2Fwon", "#divergence"),
    "tree": ("#/first/~tree/toy%2Fsearch", ".tree"),
}


@pytest.fixture(scope="module")
def axe() -> str:
    return AXE.read_text(encoding="utf-8")


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("screen", SCREENS)
def test_no_serious_barrier(page: Page, address: str, axe: str, screen: str, colours: str) -> None:
    place, sign = SCREENS[screen]
    page.emulate_media(color_scheme="dark" if colours == "dark" else "light")
    if colours == "dark":
        page.set_viewport_size({"width": 390, "height": 800})
    page.goto(address + place)
    page.wait_for_selector(sign)
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    page.wait_for_timeout(200)
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    serious = [each for each in found["violations"] if each["impact"] in ("serious", "critical")]
    assert [(each["id"], [node["html"] for node in each["nodes"]][:3]) for each in serious] == []
    assert len(found["passes"]) > 5
