"""The page in a real browser: every list, filter, key and link does what it says."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest
from made_runs import append, episode, turn, varied, write
from playwright.sync_api import Locator, Page, expect

from intercode.runs.activity import Activity
from intercode.view.library import RunLibrary
from intercode.view.server import ViewServer

Serve = Callable[..., str]

pytestmark = pytest.mark.slow


def episodes(page: Page) -> Locator:
    """The episodes in the table, which is searched through."""
    page.wait_for_selector("#shown:not(:has-text('searching'))")
    return page.locator(".body .row .task a:not(.everywhere)")


def open_list(page: Page, address: str, query: str = "") -> Locator:
    """The list of the first run, by a deep link."""
    page.goto("about:blank")
    page.goto(f"{address}#/first{query}")
    page.wait_for_selector(".body .row, #shown:has-text('0 episodes')")
    return episodes(page)


def test_runs_are_listed_with_their_figures(page: Page, address: str) -> None:
    page.goto(address)
    row = page.locator("table.runs tbody tr", has_text="first")
    expect(row).to_contain_text("toy, toy-1")
    expect(row).to_contain_text("1 error")
    expect(row).to_contain_text("62.5 %")
    row.get_by_role("link", name="first", exact=True).click()
    expect(episodes(page)).to_have_count(9)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?success=no", ["toy/lost", "toy/skipped", "toy/again"]),
        ("?success=unscored", ["toy/broken"]),
        ("?status=skipped", ["toy/skipped"]),
        ("?disagree=1", ["toy/disputed"]),
        ("?category=edit", ["toy/lost"]),
        ("?difficulty=hard", ["toy/lost"]),
        ("?error=SandboxError", ["toy/broken"]),
        ("?min=0.2&max=0.3", ["toy/lost"]),
        ("?turns_min=4", ["toy/long"]),
        ("?turns_max=1", ["toy/skipped"]),
        ("?seconds_min=60", ["toy/long"]),
        ("?cost_min=0.05", ["toy/long"]),
        ("?q=treasure", ["toy/search"]),
        ("?q=GOLD&in=observation", ["toy/search"]),
        ("?q=gold&in=query", []),
        ("?q=thought+8", ["toy/long"]),
        ("?success=no&sort=exact&dir=desc", ["toy/lost", "toy/again", "toy/skipped"]),
        ("?sort=exact&success=no", ["toy/again", "toy/lost", "toy/skipped"]),
        ("?scoring=paper&success=no", ["toy/lost", "toy/disputed", "toy/skipped", "toy/again"]),
    ],
)
def test_filters_are_in_the_address(page: Page, address: str, query: str, found: list[str]) -> None:
    expect(open_list(page, address, query)).to_have_text(found)


def test_what_is_chosen_goes_into_the_address(page: Page, address: str) -> None:
    open_list(page, address)
    page.get_by_label("success", exact=True).select_option("no")
    expect(page).to_have_url(re.compile(r"success=no"))
    page.get_by_label("scorings disagree").check()
    expect(page).to_have_url(re.compile(r"disagree=1"))
    expect(page.locator("#shown")).to_contain_text("0 episodes of 9")
    page.get_by_role("link", name="Clear").click()
    expect(page.locator("#shown")).to_contain_text("9 episodes")
    page.get_by_role("searchbox").fill("treasure")
    expect(page).to_have_url(re.compile(r"q=treasure"))
    expect(page.locator("#shown")).to_contain_text("1 episode of 9")


def test_columns_sort_both_ways(page: Page, address: str) -> None:
    open_list(page, address)
    page.get_by_role("button", name="turns").click()
    expect(episodes(page).first).to_have_text("toy/skipped")
    page.get_by_role("button", name="turns").click()
    expect(episodes(page).first).to_have_text("toy/long")
    expect(page.get_by_role("columnheader", name="turns")).to_have_attribute("aria-sort", "descending")


def test_tries_are_grouped_by_task(page: Page, address: str) -> None:
    open_list(page, address)
    page.get_by_label("by task").check()
    expect(page.locator(".row.group", has_text="toy/again")).to_contain_text("1 of 2 tries succeeded")


def test_keys_walk_through_the_list(page: Page, address: str) -> None:
    open_list(page, address)
    page.keyboard.press("j")
    expect(page.locator(".row.selected .task a:not(.everywhere)")).to_have_text("toy/lost")
    page.keyboard.press("ArrowUp")
    expect(page.locator(".row.selected .task a:not(.everywhere)")).to_have_text("toy/won")
    page.keyboard.press("f")
    page.keyboard.press("f")
    expect(page.locator(".row.selected .task a:not(.everywhere)")).to_have_text("toy/broken")
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="toy/broken")).to_be_visible()
    page.keyboard.press("u")
    expect(page.locator("#shown")).to_contain_text("9 episodes")
    page.keyboard.press("u")
    expect(page.get_by_role("heading", name="Runs")).to_be_visible()


def test_keys_walk_through_an_episode(page: Page, address: str) -> None:
    page.goto(f"{address}#/first/toy%2Flong:0/2")
    expect(page.locator("#turn-2")).to_have_class(re.compile("current"))
    page.keyboard.press("j")
    expect(page).to_have_url(re.compile("/3$"))
    page.keyboard.press("k")
    page.keyboard.press("k")
    expect(page).to_have_url(re.compile("/1$"))
    page.keyboard.press("n")
    expect(page.get_by_role("heading", name="toy/search")).to_be_visible()
    page.keyboard.press("p")
    expect(page.get_by_role("heading", name="toy/long")).to_be_visible()
    page.keyboard.press("f")
    expect(page.get_by_role("heading", name="toy/again", exact=False)).to_be_visible()


def test_keys_that_follow_each_other_before_the_page_is_painted_all_count(page: Page, address: str) -> None:
    page.goto(f"{address}#/first/toy%2Flong:0/5")
    expect(page.locator("#turn-5")).to_have_class(re.compile("current"))
    page.evaluate(
        """async () => {
            for (let press = 0; press < 3; press++) {
                dispatchEvent(new KeyboardEvent('keydown', { key: 'k' }))
                for (let soon = 0; soon < 20; soon++) await null  // the page is drawn anew, and not yet painted
            }
        }"""
    )
    expect(page).to_have_url(re.compile("/2$"))


def test_an_episode_shows_all_that_is_stored(page: Page, address: str) -> None:
    page.goto(f"{address}#/first/toy%2Flost:0")
    turn = page.locator("#turn-1")
    expect(turn.get_by_label("action of turn 1")).to_have_text("ls")
    expect(turn.get_by_label("observation of turn 1")).to_have_text("a\nb\n")
    expect(turn).to_contain_text("exit 0")
    expect(turn).to_contain_text("12 tokens, $0.01")
    turn.get_by_text("thought", exact=False).first.click()
    expect(turn.get_by_label("thought of turn 1")).to_be_visible()
    turn.get_by_text("model call").click()
    expect(turn.locator(".call")).to_contain_text("settings: temperature=0")
    expect(turn.get_by_label("message 2 of turn 1")).to_have_text("count them")
    expect(turn.get_by_label("reply", exact=True)).to_have_text("I count")
    expect(page.get_by_label("Scores")).to_contain_text("done differently: /a/file")
    expect(page.get_by_label("Go on from here")).to_contain_text("play toy/lost:0 --from")
    expect(page.get_by_label("Time of each turn").get_by_role("button")).to_have_count(2)


def test_equal_states_are_marked(page: Page, serve: Serve, tmp_path: Path) -> None:
    moves = [turn("ls", state="a" * 16), turn("touch x", state="b" * 16), turn("rm x", state="a" * 16)]
    page.goto(f"{serve(write(tmp_path / 'run', [episode('toy/a', *moves)]))}#/run/toy%2Fa:0")
    expect(page.locator("#turn-3 .hash")).to_have_text("aaaaaaaa = after turn 1")


def test_bookmarks_notes_and_tags_are_kept_beside_the_run(page: Page, serve: Serve, tmp_path: Path) -> None:
    folder = write(tmp_path / "run", varied())
    address = serve(folder)
    page.goto(f"{address}#/run")
    page.get_by_label("bookmark toy/lost:0").click()
    expect(page.get_by_label("bookmark toy/lost:0")).to_have_attribute("aria-pressed", "true")
    page.goto(f"{address}#/run/toy%2Fwon:0")
    page.get_by_label("note", exact=True).fill("look again")
    page.get_by_label("tags").fill("odd, nice")
    page.get_by_label("tags").blur()
    page.goto(f"{address}#/run?tag=odd")
    expect(page.locator("#shown")).to_contain_text("1 episode of 9")
    page.goto(f"{address}#/run?marked=1")
    expect(page.locator("#shown")).to_contain_text("2 episodes of 9")
    assert '"look again"' in (folder / "notes.json").read_text()


def test_two_runs_are_compared(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_label("compare first").check()
    page.get_by_label("compare second").check()
    page.get_by_role("link", name="Compare first and second").click()
    expect(page.locator(".matrix")).to_contain_text("1 only A succeeds")
    expect(page.locator("main")).to_contain_text("McNemar")
    page.locator(".matrix a", has_text="only A").click()
    expect(page.locator("table.pairs").last.locator("tbody tr")).to_have_count(1)
    page.get_by_role("link", name="toy/won").click()
    expect(page.locator("#divergence")).to_contain_text("another action")
    expect(page.locator(".turn.parting")).to_contain_text("turn 2")


def test_another_try_at_the_task_can_be_put_beside(page: Page, serve: Serve, tmp_path: Path) -> None:
    other = [episode("toy/a", turn("pwd"), exact=0.5, repeat=1)]
    runs = [write(tmp_path / name, [episode("toy/a"), *more]) for name, more in (("one", other), ("two", []))]
    page.goto(f"{serve(*runs)}#/~compare/one/two/toy%2Fa")
    expect(page.locator("main")).to_contain_text("Both did the same")
    page.get_by_label("repeat of A").select_option("repeat 1")
    expect(page.locator("#divergence")).to_contain_text("another action")
    expect(page).to_have_url(re.compile("ra=1"))
    expect(page.get_by_label("repeat of B")).to_have_count(0)


def test_the_key_b_bookmarks_the_episode(page: Page, serve: Serve, tmp_path: Path) -> None:
    address = serve(write(tmp_path / "run", varied()))
    page.goto(f"{address}#/run")
    page.wait_for_selector(".body .row")
    page.keyboard.press("j")
    page.keyboard.press("b")
    expect(page.get_by_label("bookmark toy/lost:0")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="★ bookmarked")).to_be_visible()
    page.keyboard.press("b")
    expect(page.get_by_role("button", name="☆ bookmark")).to_be_visible()
    page.keyboard.press("u")
    expect(page.get_by_label("bookmark toy/lost:0")).to_have_attribute("aria-pressed", "false")


def test_what_was_tried_is_a_tree(page: Page, address: str) -> None:
    page.goto(f"{address}#/first/~tree/toy%2Fsearch")
    expect(page.locator(".node.trial")).to_contain_text("rm -rf /")
    expect(page.locator(".node.trial .reward")).to_have_text("0.00")
    page.goto(f"{address}#/first/~tree/toy%2Fagain")
    expect(page.locator(".ending").first).to_be_visible()
    expect(page.locator(".tree .tree > li")).not_to_have_count(0)


def test_a_new_episode_of_a_live_run_comes_by_itself(page: Page, serve: Serve, tmp_path: Path) -> None:
    folder = write(tmp_path / "run", varied())
    page.goto(f"{serve(folder)}#/run")
    expect(page.locator("#shown")).to_contain_text("9 episodes")
    append(folder, [episode("toy/new")])
    expect(page.locator(".body .row", has_text="toy/new")).to_be_visible(timeout=10_000)  # on a busy machine


def test_a_page_survives_a_run_that_begins_anew(page: Page, serve: Serve, tmp_path: Path) -> None:
    folder = write(tmp_path / "run", varied())
    page.goto(f"{serve(folder)}#/run")
    expect(page.locator("#shown")).to_contain_text("9 episodes")
    (folder / "episodes.jsonl").unlink()
    append(folder, [episode("toy/other")])
    expect(page.locator("#shown")).to_contain_text("1 episode")


def test_light_and_dark(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("button", name="Colours").click()
    expect(page.locator("body")).to_have_css("background-color", "rgb(21, 24, 28)")
    page.get_by_role("button", name="Colours").click()
    expect(page.locator("body")).to_have_css("background-color", "rgb(255, 255, 255)")


@pytest.mark.parametrize("place", ["", "#/first", "#/first/toy%2Flong:0", "#/~compare/first/second"])
def test_nothing_is_wider_than_a_phone(page: Page, address: str, place: str) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{address}{place}")
    page.wait_for_selector("h1")
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_what_workers_do_is_told(page: Page, serve: Serve, tmp_path: Path) -> None:
    folder = write(tmp_path / "run", varied(), tasks=20)
    page.goto(f"{serve(folder)}#/run")
    expect(page.locator("#shown")).to_contain_text("9 episodes")
    activity = Activity(folder)
    activity.on_start(20, 9, 5)
    activity.on_reset(("toy/next", 0))
    activity.on_step(("toy/next", 0), 4)
    section = page.get_by_label("What is going on")
    expect(section).to_contain_text("toy/next turn 4")
    expect(section).to_contain_text("9 of 20 finished")
    activity.close()
    expect(section).to_have_count(0)


def test_a_page_survives_a_restart_of_the_server(page: Page, tmp_path: Path) -> None:
    folder = write(tmp_path / "run", varied())
    server = ViewServer(RunLibrary.open([folder]), port=0)
    thread = Thread(target=server.run)
    thread.start()
    page.goto(f"{server.url}#/run")
    expect(page.locator("#shown")).to_contain_text("9 episodes")
    server.stop()
    thread.join()
    expect(page.get_by_text("the server does not answer")).to_be_visible()
    append(folder, [episode("toy/meanwhile")])
    again = ViewServer(RunLibrary.open([folder]), port=server.port)
    thread = Thread(target=again.run)
    thread.start()
    try:
        expect(page.locator(".body .row", has_text="toy/meanwhile")).to_be_visible()
        expect(page.get_by_text("the server does not answer")).to_have_count(0)
    finally:
        again.stop()
        thread.join()


def test_who_comes_back_finds_the_place(page: Page, address: str) -> None:
    open_list(page, address)
    page.get_by_role("link", name="toy/long", exact=True).click()
    page.wait_for_selector(".turn")
    page.keyboard.press("u")
    expect(page.locator(".row.selected .task a:not(.everywhere)")).to_have_text("toy/long")


@pytest.mark.parametrize("width", [1280, 390])
def test_the_mark_of_a_disagreement_is_seen_however_long_a_name_is(
    page: Page, serve: Serve, tmp_path: Path, width: int
) -> None:
    long = "toy/" + "a-very-long-name-of-a-task-" * 4
    write(tmp_path / "run", [episode(long, exact=1.0, paper=0.5), episode("toy/b")])
    write(tmp_path / "another", [episode("toy/b")])
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{serve(tmp_path)}#/run")
    row = page.locator(".body .row", has_text="a-very-long-name").first
    mark, cell = row.get_by_title("the two scorings disagree").bounding_box(), row.locator(".task").bounding_box()
    assert mark is not None
    assert cell is not None
    assert cell["x"] < mark["x"]
    assert mark["x"] + mark["width"] <= cell["x"] + cell["width"]
