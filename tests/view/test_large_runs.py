"""A run of ten thousand episodes opens at once, is filtered at once, and takes little memory."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from made_runs import long_run
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.slow

PATIENCE = 10.0
"""Times as much as it takes on a machine with nothing else to do: tests run beside others."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = long_run(tmp_path_factory.mktemp("large") / "run")
    assert (made / "episodes.jsonl").stat().st_size > 40_000_000
    return made


def test_the_first_rows_come_at_once_and_filters_are_quick(page: Page, folder: Path) -> None:
    argv = [str(Path(sys.executable).with_name("intercode")), "view", str(folder), "--no-browser"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            page.goto(server.stdout.readline().strip() + "#/run")
            page.wait_for_selector(".body .row")
            first = page.evaluate("performance.now()") / 1000
            begun = time.monotonic()
            page.get_by_label("success", exact=True).select_option("yes")
            expect(page.locator("#shown")).to_contain_text("3,334 episodes of 10,000")
            filtered = time.monotonic() - begun
            begun = time.monotonic()
            page.get_by_role("searchbox").fill("word777 ")
            expect(page.locator("#shown")).to_contain_text("1 episode of 10,000")
            searched = time.monotonic() - begun
            memory = _memory(server.pid)
        finally:
            server.terminate()
    print(f"first rows {first:.2f} s, filter {filtered:.2f} s, search {searched:.2f} s, memory {memory} MB")
    assert first < 1.0 * PATIENCE
    assert filtered < 0.2 * PATIENCE
    assert searched < 1.0 * PATIENCE
    assert memory < 300


def _memory(process: int) -> int:
    """The most that it ever took, in MB."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))) // 1000
