"""The page says first how it went: verdicts, charts, runs side by side, one task everywhere."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from made_runs import episode, scores, turn, varied, write
from playwright.sync_api import Browser, Page, expect

from intercode.types.conversation import Usage
from intercode.view.library import RunLibrary
from intercode.view.routes import ViewRoutes

Serve = Callable[..., str]

pytestmark = pytest.mark.slow


def test_an_episode_begins_with_its_verdict_and_why(page: Page, address: str) -> None:
    page.goto(f"{address}#/first/toy%2Flost:0")
    verdict = page.locator("#verdict")
    expect(verdict).to_have_text(re.compile(r"✗ failed.*exact 0\.25.*paper 0\.25.*done differently: /a/file"))
    page.get_by_role("button", name="done differently").click()
    expect(page.locator("#scores")).to_be_in_viewport()
    page.goto(f"{address}#/first/toy%2Fwon:0")
    expect(verdict).to_have_text(re.compile("✓ succeeded"))
    page.goto(f"{address}#/first/toy%2Fbroken:0")
    expect(verdict).to_have_text(re.compile("not judged.*SandboxError: it is gone"))


def test_a_run_begins_with_its_rate_and_charts_that_filter(page: Page, address: str) -> None:
    page.goto(f"{address}#/first")
    expect(page.locator(".summary > summary")).to_contain_text("62.5 % succeeded (5 of 8")
    page.locator("figure", has_text="success by category").get_by_role("button", name="edit").click()
    expect(page).to_have_url(re.compile("category=edit"))
    expect(page.locator("#shown")).to_contain_text("1 episode of 9")
    page.locator("figure", has_text="success by category").get_by_role("button", name="edit").click()
    expect(page.locator("#shown")).to_contain_text("9 episodes")
    page.locator("figure", has_text="errors").get_by_role("button", name="SandboxError").click()
    expect(page).to_have_url(re.compile("error=SandboxError"))


def test_a_chart_names_its_interval(page: Page, address: str) -> None:
    page.goto(f"{address}#/first")
    bar = page.get_by_role("img", name=re.compile("^hard: 0.0 %, 95 % interval 0.0 % to 79.3 %"))
    expect(bar).to_be_visible()


def test_the_published_parts_are_drawn_against_what_they_can_be(page: Page, serve: Serve, tmp_path: Path) -> None:
    whole = episode("toy/whole")
    assert whole.scores is not None
    judged = scores(1.0)
    paper = {"file_diff": 0.33, "file_changes": 0.33, "answer_similarity": 0.33}
    object.__setattr__(whole, "scores", {**judged, "paper": type(judged["paper"])(1.0, True, paper)})
    write(tmp_path / "run", [whole])
    page.goto(f"{serve(tmp_path)}#/run/toy%2Fwhole:0")
    meters = page.locator(".score", has_text="changed files").locator("meter")
    expect(meters).to_have_count(3)
    assert {meter.get_attribute("max") for meter in meters.all()} == {"0.33"}


def test_runs_are_filtered_sorted_and_told_apart_by_their_settings(page: Page, address: str) -> None:
    page.goto(f"{address}#/")
    rows = page.locator("table.runs tbody tr")
    expect(rows).to_have_count(2)
    page.get_by_role("searchbox").fill("other")
    expect(rows).to_have_count(1)
    page.get_by_role("searchbox").fill("")
    page.get_by_role("button", name="run", exact=True).click()
    expect(rows.first).to_contain_text("first")
    for name in ("first", "second"):
        page.get_by_label(f"compare {name}").check()
    settings = page.locator("details.settings")
    expect(settings.locator("summary")).to_contain_text("1 of")
    expect(settings.locator("tr.differs")).to_have_text(re.compile("agent.*toy.*other"))


def test_a_run_that_was_stopped_says_how_to_go_on(page: Page, serve: Serve, tmp_path: Path) -> None:
    write(tmp_path / "stopped", [episode("toy/a")], tasks=3)
    page.goto(f"{serve(tmp_path)}#/stopped")
    expect(page.locator(".remark")).to_contain_text("stopped: 2 of 3 episodes not played")
    expect(page.locator(".remark")).to_contain_text("--resume")


def test_all_runs_are_searched_at_once(page: Page, address: str) -> None:
    page.goto(f"{address}#/")
    page.get_by_label("Search in the episodes of all runs").fill("treasure")
    page.get_by_role("button", name="Search").click()
    found = page.get_by_role("region", name="Search everywhere")
    expect(found.get_by_role("link", name="toy/search:0").first).to_be_visible()


def test_one_task_is_shown_in_all_runs(page: Page, address: str) -> None:
    page.goto(f"{address}#/first/toy%2Flost:0")
    page.get_by_role("link", name="in all runs").click()
    expect(page.get_by_role("heading", name="toy/lost in all runs")).to_be_visible()
    expect(page.locator("table.runs tbody tr")).to_have_count(2)


def test_three_runs_are_a_matrix_of_tasks(page: Page, serve: Serve, tmp_path: Path) -> None:
    for number, exact in enumerate((1.0, 0.0, 1.0)):
        write(tmp_path / f"run{number}", [episode("toy/a", exact=exact), episode("toy/b", category="edit")])
    page.goto(f"{serve(tmp_path)}#/~compare/run0/run1/run2")
    row = page.locator("table.pairs").last.locator("tr", has_text="toy/a")
    expect(row).to_have_text(re.compile("✓.*✗.*✓"))
    page.get_by_role("link", name="Only where they differ").click()
    expect(page.locator("table.pairs").last.locator("tbody tr")).to_have_count(1)
    expect(page.locator("table.pairs").first).to_contain_text("50.0 %")


def test_of_two_runs_the_categories_turns_and_cost_are_told(page: Page, serve: Serve, tmp_path: Path) -> None:
    won = [episode("toy/a", category="count"), episode("toy/b", category="edit")]
    lost = [episode("toy/a", exact=0.0, category="count"), episode("toy/b", turn("submit"), category="edit")]
    write(tmp_path / "one", [replace(each, usage=Usage(10, 2, 0, 0.25)) for each in won])
    write(tmp_path / "two", [replace(each, usage=Usage(10, 2, 0, 0.5)) for each in lost])
    page.goto(f"{serve(tmp_path)}#/~compare/one/two")
    expect(page.locator(".by-category tr", has_text="count")).to_have_text(re.compile(r"100\.0 %.*0\.0 %"))
    table = page.locator("table.pairs").last
    expect(table.locator("tr", has_text="toy/a")).to_contain_text("✓✗1.000.0022$0.25$0.50only A succeeds")
    expect(table.locator("tr", has_text="toy/b")).to_contain_text("✓✓1.001.0021$0.25$0.50both succeed")
    page.locator(".by-category tr", has_text="edit").get_by_role("link").last.click()
    expect(page).to_have_url(re.compile("#/two\\?category=edit"))


def test_more_than_two_runs_are_tested_against_the_first(page: Page, serve: Serve, tmp_path: Path) -> None:
    for number, won in enumerate((20, 0, 19)):
        write(tmp_path / f"run{number}", [episode(f"toy/{task:02}", exact=float(task < won)) for task in range(20)])
    page.goto(f"{serve(tmp_path)}#/~compare/run0/run1/run2")
    expect(page.locator(".against li")).to_have_text(
        [re.compile(r"run1 against run0: -100\.0 points.*p < 0\.001"), re.compile(r"run2 .*-5\.0 points.*p = 0\.317")]
    )


def test_arrows_go_through_the_chosen_field_only(page: Page, serve: Serve, tmp_path: Path) -> None:
    wins = {"toy/a": (1, 0), "toy/b": (1, 1), "toy/c": (1, 0)}
    for side, name in enumerate(("one", "two")):
        write(tmp_path / name, [episode(task, exact=float(each[side])) for task, each in wins.items()])
    page.goto(f"{serve(tmp_path)}#/~compare/one/two")
    page.locator(".matrix a", has_text="only A").click()
    page.get_by_role("link", name="toy/a").click()
    expect(page.locator(".walk")).to_contain_text("1 of 2: only A succeeds")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", name="toy/c")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".walk")).to_contain_text("2 of 2")
    page.get_by_role("button", name="task before").click()
    expect(page.get_by_role("heading", name="toy/a")).to_be_visible()


def test_a_run_scored_as_published_opens_so_and_who_gave_up_counts(page: Page, serve: Serve, tmp_path: Path) -> None:
    made = [episode("toy/a", exact=1.0, paper=0.5), episode("toy/b"), episode("toy/c", turn("skip"), status="skipped")]
    write(tmp_path / "published", made, scoring="paper")
    page.goto(serve(tmp_path))
    expect(page.locator("table.runs tbody tr")).to_contain_text("33.3 %")
    page.get_by_role("link", name="the 2 failed of published").click()
    expect(page.locator(".summary > summary")).to_contain_text("33.3 % succeeded (1 of 3")
    expect(page.locator("#shown")).to_contain_text("2 episodes of 3")


def test_seconds_tokens_and_cost_are_charts_that_filter(page: Page, serve: Serve, tmp_path: Path) -> None:
    made = [
        replace(episode(f"toy/{n}", seconds=float(n + 1)), usage=Usage(100 * 4**n, 0, 0, 0.001 * 4**n))
        for n in range(4)
    ]
    write(tmp_path / "run", made)
    page.goto(f"{serve(tmp_path)}#/run")
    for title, bar, query in (
        ("seconds", "2.0 s to 5.0 s", "seconds_min=2&seconds_max=4.9995"),
        ("tokens", "5,000 to 10,000", "tokens_min=5000&tokens_max=9999"),
        ("cost", "$0.001 to $0.002", "cost_min=0.001&cost_max=0.0019998"),
    ):
        chart = page.locator("figure", has=page.locator("figcaption", has_text=re.compile(f"^{title}$")))
        row = chart.locator("tr", has_text=bar)
        number = row.locator(".number").inner_text()
        row.get_by_role("button").click()
        expect(page).to_have_url(re.compile(re.escape(query)))
        expect(page.locator("#shown")).to_contain_text(f"{number} episode")
        row.get_by_role("button").click()
        expect(page.locator("#shown")).to_contain_text("4 episodes")


def test_two_episodes_show_the_request_both_reasons_and_what_their_answers_differ_in(page: Page, address: str) -> None:
    page.goto(f"{address}#/~compare/first/second/toy%2Flost")
    expect(page.locator(".query")).to_contain_text("Count the files.")
    expect(page.locator(".heads")).to_contain_text("done differently: /a/file")
    expect(page.get_by_role("region", name="The two endings").locator("pre.diff, .quiet").first).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", name="toy/lost")).to_have_count(0)


def test_rows_of_a_database_are_a_table_and_patches_have_colours(page: Page, serve: Serve, tmp_path: Path) -> None:
    rows = r"""[('it\'s', 1, None), ("a \"b\"", Decimal('2.50'), datetime.date(2024, 1, 2))]"""
    patch = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n"
    made = [episode("toy/rows", turn("SELECT 1", rows, number=1), turn("git diff", patch, number=2), turn("submit"))]
    object.__setattr__(made[0].task, "world", "sql")
    write(tmp_path / "run", made)
    page.goto(f"{serve(tmp_path)}#/run/toy%2Frows:0")
    expect(page.locator(".rows td")).to_have_text(
        ["it's", "1", "NULL", 'a "b"', "Decimal('2.50')", "datetime.date(2024, 1, 2)"]
    )
    page.get_by_role("button", name="as text").click()
    expect(page.locator("#turn-1 pre.observation")).to_contain_text("[('it")
    expect(page.locator(".line-of-patch.added")).to_have_text(re.compile("new"))


def test_a_phone_shows_names_without_what_all_share_and_the_rate(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800})
    page = context.new_page()
    page.goto(f"{address}#/first")
    expect(page.locator(".body .row .task a").first).to_be_in_viewport()
    assert page.locator(".body .row .task a").first.inner_text() == "won"
    expect(page.locator(".summary > summary")).to_be_in_viewport()
    context.close()


def test_a_task_is_asked_for_in_every_run(runs: Path) -> None:
    from starlette.testclient import TestClient

    from intercode.view.changes import ChangeService

    library = RunLibrary.open([runs])
    app = ViewRoutes(library, ChangeService(unsafe=False)).app()
    found = TestClient(app).get("/api/task", params={"task": "toy/again"}).json()
    assert {each["run"]: len(each["rows"]) for each in found["runs"]} == {"first": 2, "second": 2}
    assert len(varied()) == 9
