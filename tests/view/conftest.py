"""A server in this process, and a browser that looks at what it serves."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from made_runs import scores, turn, varied, write

from intercode.types import Trajectory
from intercode.view.library import RunLibrary
from intercode.view.server import ViewServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page

Serve = Callable[..., str]

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")

QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(autouse=True, scope="session")
def own_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The secret of the address is not the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INTERCODE_STATE", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="session")
def serve() -> Iterator[Serve]:
    """Serve some paths until the tests are over; the address is returned."""
    with ExitStack() as stack:

        def begin(*paths: Path, unsafe: bool = False) -> str:
            server = ViewServer(RunLibrary.open(paths), port=0, unsafe=unsafe)
            thread = Thread(target=server.run, daemon=True)
            thread.start()
            stack.callback(thread.join, 10)
            stack.callback(server.stop)
            return server.url

        yield begin


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of two runs on the same tasks, every filter with something to choose."""
    folder = tmp_path_factory.mktemp("runs")
    write(folder / "first", varied())
    others = [each for each in varied() if each.task.id not in ("toy/won",)]
    write(folder / "second", [*others[1:], *[_turned(each) for each in varied()[:2]]], agent="other")
    return folder


def _turned(episode: Trajectory) -> Trajectory:
    changed = (turn("ls", "a\nb\n", number=1), turn("ls -l", "x\n", number=7), turn("submit", number=8))
    return replace(episode, scores=scores(0.0), turns=changed)


@pytest.fixture(scope="session")
def address(serve: Serve, runs: Path) -> str:
    """Where they are served."""
    return serve(runs)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The distribution's Chromium. Tests that ask for it are skipped, with the reason, where there is none.

    For one module: while it is there an event loop runs in this thread, and tests of other modules begin their own.
    """
    program = next((found for name in CHROMIUM if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip("there is no Chromium: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    playwright.expect.set_options(timeout=30_000)  # its own five seconds are little on a busy machine
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A new page. Errors in it, and what its policy refused, fail the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page, faults = context.new_page(), list[str]()

    def note(message: ConsoleMessage) -> None:
        if message.type == "error" and "Failed to load resource" not in message.text:  # servers stop, runs are gone
            faults.append(message.text)

    page.on("console", note)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.set_default_timeout(60_000)
    yield page
    context.close()
    assert not faults, faults
