"""A run of ten thousand episodes opens at once and is filtered at once; one of a hundred thousand opens soon."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from made_runs import long_run
from playwright.sync_api import Page

pytestmark = pytest.mark.slow

PATIENCE = 3.0
"""Times as much as it may take on a machine with nothing else to do: tests run beside others."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = long_run(tmp_path_factory.mktemp("large") / "run")
    assert (made / "episodes.jsonl").stat().st_size > 40_000_000
    return made


@pytest.mark.flaky_when_busy("it measures seconds")
def test_the_first_rows_come_at_once_and_filters_are_quick(page: Page, folder: Path) -> None:
    with _viewed(folder) as (address, process):
        page.goto(address)
        first = _seen(page, "document.querySelector('.body .row')")
        _seen(page, _says("10,000 episodes"))
        filtered = _seen_after(page, "select[name=success]", "yes", "3,334 episodes of 10,000")
        searched = _seen_after(page, "input[type=search]", "word777 ", "1 episode of 10,000")
        memory = _memory(process)
    print(f"first rows {first:.2f} s, filter {filtered:.2f} s, search {searched:.2f} s, memory {memory} MB")
    assert first < 1.0 * PATIENCE
    assert filtered < 0.2 * PATIENCE
    assert searched < 0.2 * PATIENCE
    assert memory < 300


@pytest.mark.flaky_when_busy("it measures seconds")
def test_a_hundred_thousand_episodes_open(page: Page, tmp_path: Path) -> None:
    with _viewed(long_run(tmp_path / "run", 100_000)) as (address, process):
        page.goto(address)
        first = _seen(page, "document.querySelector('.body .row')")
        whole = _seen(page, _says("100,000 episodes"))
        filtered = _seen_after(page, "select[name=success]", "yes", "33,334 episodes of 100,000")
        memory = _memory(process)
    print(f"first rows {first:.2f} s, all {whole:.2f} s, filter {filtered:.2f} s, memory {memory} MB")
    assert first < 1.0 * PATIENCE
    assert whole < 8.0 * PATIENCE  # what was run in each turn, and how replies ended, is kept for counting
    assert filtered < 0.5 * PATIENCE
    assert memory < 600


@contextmanager
def _viewed(folder: Path) -> Iterator[tuple[str, int]]:
    """`intercode view` of a run: the address of its episodes, and the server's process."""
    argv = [str(Path(sys.executable).with_name("intercode")), "view", str(folder), "--no-browser"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip() + "#/run", server.pid
        finally:
            server.terminate()


def _says(text: str) -> str:
    return f"document.querySelector('#shown')?.textContent.startsWith({text!r})"


def _seen(page: Page, condition: str) -> float:
    """When *condition* was first true of the page, in seconds since it began to load; the page looks at every frame."""
    found = page.wait_for_function(f"() => ({condition}) && performance.now()", polling="raf").json_value()
    return float(found) / 1000


def _seen_after(page: Page, field: str, value: str, text: str) -> float:
    """Seconds from when *value* was entered into *field* until *text* is said."""
    begun: float = page.evaluate(
        """([field, value]) => {
            const element = document.querySelector(field)
            element.value = value
            const begun = performance.now()
            for (const type of ['input', 'change']) element.dispatchEvent(new Event(type, { bubbles: true }))
            return begun
        }""",
        [field, value],
    )
    return _seen(page, _says(text)) - float(begun) / 1000


def _memory(process: int) -> int:
    """The most that it ever took, in MB."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))) // 1000
