"""Who has never seen the viewer finds what they look for: each path is the actions that it takes from the start page.

docs/how-to/view.md has the table of these numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from made_runs import episode, turn, write
from playwright.sync_api import Locator, Page, expect

from intercode.types import Trajectory

Serve = Callable[..., str]

pytestmark = pytest.mark.slow

DOCS = Path(__file__).parents[2] / "docs" / "how-to" / "view.md"


@dataclass
class Newcomer:
    """Somebody at the start page. A click, a mark or a text that is typed is an action; reading is none."""

    page: Page
    actions: int = 0

    def click(self, target: Locator) -> None:
        """Click what can be seen without scrolling."""
        expect(target).to_be_in_viewport()
        target.click()
        self.actions += 1


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eighteen runs of three data sets, by agents with other limits; the latest of them has failures."""
    made = tmp_path_factory.mktemp("eighteen")
    for number in range(18):
        dataset = ("shop", "bank", "farm")[number % 3]
        write(made / f"run-{number:02}", _played(dataset, number), dataset=dataset, turns=10 + number)
    return made


def _played(dataset: str, number: int) -> list[Trajectory]:
    categories = ("count", "edit", "find")
    seconds = 2.0 if number else 30.0
    turns = () if number else (turn("ls"), turn("ls", number=2), turn("submit", number=3))
    return [
        episode(
            f"{dataset}/task-{task:02}",
            *turns,
            category=categories[task % 3],
            exact=float((task + number) % 4 > 0),
            seconds=seconds,
        )
        for task in range(24)
    ]


@pytest.fixture
def newcomer(page: Page, serve: Serve, folder: Path) -> Newcomer:
    page.goto(serve(folder))
    expect(page.locator("table.runs tbody tr")).to_have_count(18)
    return Newcomer(page)


def test_why_an_episode_failed(newcomer: Newcomer) -> None:
    page = newcomer.page
    newcomer.click(page.get_by_role("link", name="failed of run-").first)
    newcomer.click(page.locator(".body .row .task a").first)
    expect(page.locator("#verdict")).to_have_text(re.compile("✗ failed.*done differently: /a/file"))
    expect(page.locator("#verdict")).to_be_in_viewport()
    assert newcomer.actions == documented("Why an episode failed") <= 2


def test_success_by_category(newcomer: Newcomer) -> None:
    page = newcomer.page
    everywhere = page.locator("figure", has_text="success by category")
    expect(everywhere.locator("tr", has_text="edit")).to_contain_text("75.0 %")
    expect(everywhere).to_be_in_viewport()
    newcomer.click(page.get_by_role("link", name="run-00", exact=True))
    chart = page.locator("figure", has_text="success by category")
    expect(chart.locator("tr", has_text="edit")).to_contain_text(re.compile(r"75\.0 % *6 of 8"))
    expect(chart).to_be_in_viewport()
    assert newcomer.actions == documented("Success by category") <= 2


def test_what_differs_between_the_settings_of_two_runs(newcomer: Newcomer) -> None:
    page = newcomer.page
    marks = page.get_by_role("checkbox", name=re.compile("^compare run-"))
    newcomer.click(marks.nth(0))
    newcomer.click(marks.nth(3))
    differing = page.locator(".chosen tr.differs")
    expect(differing.first).to_be_in_viewport()
    expect(differing).to_have_text([re.compile("turns.*10.*13")])
    assert newcomer.actions == documented("What differs between the settings of two runs") <= 3


def test_the_same_task_in_all_runs(newcomer: Newcomer) -> None:
    page = newcomer.page
    newcomer.click(page.get_by_role("link", name="run-00", exact=True))
    newcomer.click(page.get_by_role("link", name="shop/task-00 in all runs"))
    expect(page.get_by_role("heading", name="shop/task-00 in all runs")).to_be_visible()
    expect(page.locator("table.runs tbody tr")).to_have_count(6)
    assert newcomer.actions == documented("The same task in all runs") <= 2


def test_a_category_is_chosen_for_all_runs_at_once(newcomer: Newcomer) -> None:
    page = newcomer.page
    newcomer.click(page.locator("figure", has_text="success by category").get_by_role("button", name="edit"))
    expect(page).to_have_url(re.compile("category=edit"))
    expect(page.locator("table.runs tbody tr").first).to_contain_text(re.compile(r"75\.0 % *2"))
    newcomer.click(page.get_by_role("link", name="failed of run-").first)
    expect(page.locator("#shown")).to_contain_text("2 episodes of 24")


def test_turns_rewards_and_seconds_of_all_runs_are_charts_that_choose(newcomer: Newcomer) -> None:
    page = newcomer.page
    for title in ("success by turns used", "reward", "seconds"):
        expect(page.locator("figure", has_text=title).first).to_be_visible()
    newcomer.click(page.locator("figure", has_text="seconds").get_by_role("button", name="20.0 s to 50.0 s"))
    expect(page).to_have_url(re.compile("seconds=20"))
    expect(page.locator("table.runs tbody tr")).to_have_count(1)
    newcomer.click(page.get_by_role("button", name="seconds any"))
    expect(page.locator("table.runs tbody tr")).to_have_count(18)


def test_marked_runs_stay_in_sight_from_the_last_of_many(newcomer: Newcomer) -> None:
    page = newcomer.page
    marks = page.get_by_role("checkbox", name=re.compile("^compare run-"))
    marks.nth(0).check()
    marks.nth(17).check()
    expect(page.get_by_role("link", name="Compare run-")).to_be_in_viewport()
    expect(page.locator(".chosen tr.differs").first).to_be_in_viewport()


def documented(what: str) -> int:
    """Return the number of actions that the page of the documentation says."""
    found = re.search(rf"^\| {re.escape(what)} \|.*\| (\d) \|$", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    assert found, what
    return int(found[1])
