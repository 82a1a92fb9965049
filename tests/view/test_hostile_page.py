"""Everything in a run may be hostile: in a real browser it does nothing but show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from made_runs import append, call, episode, scores, turn, write
from playwright.sync_api import Page, expect

from intercode.types import Action, Observation, Score, Trial

pytestmark = pytest.mark.slow

Serve = Callable[..., str]

ATTACKS = {
    "script": "<script>window.hacked = 1</script>",
    "image": "<img src=x onerror='window.hacked = 1'>",
    "link": '<a href="javascript:window.hacked=1">javascript:window.hacked=1</a>',
    "attribute": "\"' onmouseover='window.hacked=1' style='position:fixed",
    "end of data": "</script></pre></style><script>window.hacked=1</script>",
    "ansi": "\x1b[31m<img src=x onerror=window.hacked=1>\x1b[0m",
    "hyperlink": "\x1b[1m\x1b]8;;javascript:window.hacked=1\x07click\x1b]8;;\x07",
    "truecolor": "\x1b[38;2;1;2;3;url(http://evil.example)m<b>\x1b[48;5;200m</b>",
    "bidi": "safe\u202egnp.exe\u2066 \u200b\x00\x07\x9b31m",
}


def hostile(text: str) -> object:
    """An episode that says *text* wherever it can say anything."""
    question = replace(call(text), sent=tuple(replace(each, text=text) for each in call().sent))
    reply = replace(question.reply, reasoning=text, model=text.replace("\x00", "") or "m", finish_reason=text)
    trial = Trial(Action("execute", text), Observation(text), 0.5)
    moves = [
        replace(
            turn(text, text, number=n), thought=text, calls=(replace(question, reply=reply),), trials=(trial, trial)
        )
        for n in (1, 2)
    ]
    score = Score(0.5, False, {text: 0.5}, (text,))
    made = episode("toy/" + text, *moves, turn("submit " + text, text, number=3), query=text)
    task = replace(made.task, category=text, difficulty=text)
    return replace(made, task=task, scores={**scores(0.5), "exact": score}, agent=text, image=text)


def visit(page: Page, address: str, run: str) -> None:
    """Every view of the run, everything opened that can be."""
    page.goto(f"{address}#/{run}")
    page.wait_for_selector(".body .row")
    page.locator(".body .row .task a").first.click()
    page.wait_for_selector(".turn")
    for _ in range(3):
        page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
        page.wait_for_timeout(150)
    page.locator(".about a", has_text="tree").click()
    page.wait_for_selector(".tree")


@pytest.mark.parametrize("name", ATTACKS)
def test_hostile_text_only_shows(page: Page, serve: Serve, tmp_path: Path, name: str) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("dialog", lambda dialog: requests.append(f"dialog {dialog.message}"))
    address = serve(write(tmp_path / "run", [hostile(ATTACKS[name])]))  # type: ignore[list-item]
    visit(page, address, "run")
    assert page.evaluate("window.hacked") is None
    assert page.locator("main img, main script, main iframe, main [onerror], main [style*=fixed]").count() == 0
    assert not [url for url in requests if not url.startswith((address, "data:"))]
    assert not page.evaluate("[...document.links].map((a) => a.href).filter((href) => !/^(http:|blob:)/.test(href))")


def test_what_would_steer_is_made_visible(page: Page, serve: Serve, tmp_path: Path) -> None:
    address = serve(write(tmp_path / "run", [episode("toy/a", turn("ls", ATTACKS["bidi"]))]))
    page.goto(f"{address}#/run/toy%2Fa:0")
    expect(page.get_by_label("observation of turn 1")).to_have_text(
        "safe[U+202E]gnp.exe[U+2066] [U+200B]\u2400\u2407[U+009B]31m"
    )


def test_colours_of_a_terminal_are_shown(page: Page, serve: Serve, tmp_path: Path) -> None:
    text = "plain \x1b[1;31mred\x1b[0m \x1b[38;5;200mpink\x1b[0m"
    page.goto(f"{serve(write(tmp_path / 'run', [episode('toy/a', turn('ls', text))]))}#/run/toy%2Fa:0")
    seen = page.get_by_label("observation of turn 1")
    expect(seen).to_have_text("plain red pink")
    expect(seen.locator(".ansi-red-fg.ansi-bold")).to_have_text("red")
    assert seen.locator("span[style]").evaluate("(each) => each.style.color") == "rgb(255, 0, 215)"


def test_a_line_of_ten_megabytes_is_folded_and_said_to_be(page: Page, serve: Serve, tmp_path: Path) -> None:
    address = serve(write(tmp_path / "run", [episode("toy/a", turn("x" * 10_000_000, "y" * 10_000_000))]))
    page.goto(f"{address}#/run/toy%2Fa:0")
    expect(page.locator("#turn-1")).to_contain_text("of 10.0 million characters folded")
    page.locator("#turn-1 .more button").last.click()
    expect(page.locator("#turn-1 .more").last).to_contain_text("9.7 million characters of 10.0")


def test_an_episode_of_two_hundred_megabytes_scrolls(page: Page, serve: Serve, tmp_path: Path) -> None:
    seen = ("a line of output\n" * 62_000)[:1_000_000]
    folder = write(tmp_path / "run", [])
    append(folder, [episode("toy/a", *(turn(f"cat {n}", seen, number=n) for n in range(1, 201)))])
    page.set_default_timeout(60_000)
    page.goto(f"{serve(folder)}#/run/toy%2Fa:0")
    expect(page.locator(".turn")).to_have_count(200, timeout=60_000)
    page.evaluate("document.getElementById('turn-200').scrollIntoView()")
    expect(page.get_by_label("observation of turn 200")).to_be_in_viewport()
