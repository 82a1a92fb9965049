"""Take docs/pictures/view-*.png: the screens of `intercode view` on real runs, in the distribution's Chromium."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from threading import Thread

from playwright.sync_api import Page, sync_playwright

from intercode.view.library import RunLibrary
from intercode.view.server import ViewServer

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"

ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu"]

COMMANDS = {
    "scripted": ["--agent", "scripted", "--agent-option", "script=starter_bash"],
    "oracle": ["--agent", "oracle"],
}

EPISODE = "scripted/starter%2Fbash%2Fdearer-tyres:0"

SCREENS = {
    "runs": ("", "table.runs tbody tr"),
    "episodes": ("#/scripted?sort=exact", ".body .row"),
    "episode": (f"#/{EPISODE}", ".turn"),
    "compare": ("#/~compare/oracle/scripted", ".matrix"),
    "side-by-side": ("#/~compare/oracle/scripted/starter%2Fbash%2Fdearer-tyres", "#divergence"),
    "tree": ("#/scripted/~tree/starter%2Fbash%2Fdearer-tyres", ".tree"),
}
"""By the name of a picture: where, and what has to be there."""


def main() -> None:
    """Play, serve, take."""
    with tempfile.TemporaryDirectory() as folder:
        runs = Path(folder, "runs")
        for name, options in COMMANDS.items():
            command = [
                ".venv/bin/intercode",
                "run",
                "--dataset",
                "starter",
                "--parallel",
                "2",
                "--out",
                str(runs / name),
            ]
            subprocess.run([*command, *options], check=True, stdout=subprocess.DEVNULL)
        server = ViewServer(RunLibrary.open([runs]))
        thread = Thread(target=server.run)
        thread.start()
        try:
            take(server.url)
        finally:
            server.stop()
            thread.join()


def program() -> str | None:
    """Return the browser."""
    return shutil.which("chromium") or shutil.which("google-chrome")


def take(address: str) -> None:
    """All screens, one of them dark and one on a phone."""
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program(), args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        for name, (place, sign) in SCREENS.items():
            visit(page, address, place, sign)
            keep(page, name)
        visit(page, address, f"#/{EPISODE}", ".turn")
        page.keyboard.press("c")
        page.wait_for_selector(".endings", timeout=120_000)
        page.evaluate("document.getElementById('turn-3').scrollIntoView()")
        keep(page, "changes")
        page.evaluate("document.querySelector('.judgement').scrollIntoView()")
        keep(page, "ending")
        page.emulate_media(color_scheme="dark")
        visit(page, address, *SCREENS["episodes"])
        keep(page, "dark")
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": 390, "height": 800})
        visit(page, address, f"#/{EPISODE}", ".turn")
        keep(page, "phone")
        browser.close()


def visit(page: Page, address: str, place: str, sign: str) -> None:
    """Go there, and wait until all is drawn."""
    page.goto("about:blank")
    page.goto(address + place)
    page.wait_for_selector(sign)
    page.wait_for_timeout(500)


def keep(page: Page, name: str) -> None:
    """Write the picture."""
    page.screenshot(path=PICTURES / f"view-{name}.png")


if __name__ == "__main__":
    main()
