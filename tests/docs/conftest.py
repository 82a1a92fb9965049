"""The documentation site as `make docs` builds it, served to a browser."""

from __future__ import annotations

import http.server
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parents[2]
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files, and says nothing of it."""

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture(scope="module")
def site() -> Iterator[Path]:
    """The site, built with links to its source. `make docs` installs what builds it; without that tests are skipped."""
    if not (ROOT / ".venv/site/bin/zensical").exists():
        pytest.skip("Zensical is not installed: make .venv/site/ready")
    (ROOT / "build").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
        into = f"build/{Path(folder).name}"
        words = ("--into", into, "--repo-url", "https://code.example/team/intercode")
        program = ROOT / ".venv/site/bin/python"
        done = subprocess.run(
            [program, "scripts/build_site.py", *words], cwd=ROOT, text=True, capture_output=True, check=False
        )
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        yield Path(folder)


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Where the site is served."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site))) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join(10)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The distribution's Chromium. Tests that ask for it are skipped, with the reason, where there is none."""
    program = next((found for name in CHROMIUM if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip("there is no Chromium: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=("--headless", "--no-sandbox", "--disable-gpu"))
        yield browser
        browser.close()
