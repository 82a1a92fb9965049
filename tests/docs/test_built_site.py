"""The built site in a browser: newcomers' questions find their page, commands fit, pages link to their source."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Literal

import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
PlaywrightTimeout = sync_api.TimeoutError

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page

QUESTIONS = {
    "evaluate my model": "tutorials/evaluate-a-model",
    "train my model": "how-to/trl",
    "benchmark my model": "tutorials/evaluate-a-model",
    "how do I fine-tune an LLM?": "how-to/trl",
    "install": "first-ten-minutes",
    "getting started": "first-ten-minutes",
    "run a local model with ollama": "how-to/models",
    "set my api key": "how-to/models",
    "compare two models": "how-to/experiments",
    "how can I resume a run": "how-to/experiments",
    "create a custom environment": "how-to/own-world",
    "write my own reward function": "how-to/add-a-reward",
    "make my own tasks": "how-to/own-task",
    "import my dataset": "how-to/import",
    "reward hacking": "how-to/hackcheck",
    "do I need docker": "how-to/docker",
    "is the sandbox safe": "security",
    "command line options": "reference/cli",
    "why did my agent fail": "how-to/view",
    "run faster in parallel": "how-to/scale",
}
"""What newcomers type, and the page that should come first."""

ENOUGH = 18
PATIENCE = 5000
"""Milliseconds after which the search has found nothing."""

WIDTHS = (1280, 390)


@pytest.fixture(scope="module")
def page(browser: Browser, address: str) -> Page:
    """The home page."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"{address}/index.html")
    return page


def first_found(page: Page, question: str) -> str:
    """The page that the search shows first, without its suffix; "" for none."""
    field = page.get_by_role("combobox").or_(page.get_by_placeholder("Search")).first
    links = page.locator("ol a[href*='.html']")
    field.fill("")
    while links.count():
        page.wait_for_timeout(20)
    field.fill(question)
    try:
        links.first.wait_for(timeout=PATIENCE)
    except PlaywrightTimeout:
        return ""
    page.wait_for_timeout(200)  # the list grows while it searches
    found = re.search(r"//[^/]+/(.*)\.html", links.first.evaluate("link => link.href"))
    return found[1] if found else ""


def test_newcomers_questions_find_the_page_that_answers_them(page: Page) -> None:
    page.keyboard.press("/")
    found = {question: first_found(page, question) for question in QUESTIONS}
    wrong = {question: place for question, place in found.items() if place != QUESTIONS[question]}
    assert len(QUESTIONS) - len(wrong) >= ENOUGH, wrong


def test_a_question_that_nothing_answers_finds_nothing(page: Page) -> None:
    page.keyboard.press("/")
    assert first_found(page, "zebra crossing in Antarctica") == ""


@pytest.mark.parametrize("width", WIDTHS)
def test_commands_fit_their_column_and_keep_clear_of_the_copy_button(
    browser: Browser, site: Path, address: str, width: int
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900})
    for name in sorted(
        str(file.relative_to(site)) for file in site.rglob("*.html") if "language-sh" in file.read_text()
    ):
        page.goto(f"{address}/{name}")
        wide = page.evaluate(
            "[...document.querySelectorAll('.language-sh pre > code')]"
            ".filter(code => code.scrollWidth > code.clientWidth + 1"
            " || parseFloat(getComputedStyle(code).paddingRight) < 40)"
            ".map(code => code.textContent)"
        )
        assert not wide, name
    page.close()


PICTURES = {
    "architecture.html": "architecture",
    "scoring.html": "gold",
    **{f"worlds/{name}.html": f"world-{name}" for name in ("bash", "sql", "python", "ctf", "swe")},
    "benchmarks.html": "growth",
    "learning-curve.html": "templates",
}
"""By a page, the beginning of the name of its picture."""

LIGHTNESS = """async data => {
    const picture = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob())
    const canvas = new OffscreenCanvas(picture.width, picture.height).getContext('2d')
    canvas.drawImage(picture, 0, 0)
    const bytes = canvas.getImageData(0, 0, picture.width, picture.height).data
    return bytes.reduce((sum, each) => sum + each, 0) / bytes.length / 255
}"""


@pytest.mark.parametrize("system", ["light", "dark"])
@pytest.mark.parametrize("scheme", ["default", "slate"])
def test_pictures_follow_the_switch_of_the_site(
    browser: Browser, address: str, system: Literal["light", "dark"], scheme: str
) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme=system)
    page.goto(f"{address}/index.html")
    if page.locator("body").get_attribute("data-md-color-scheme") != scheme:
        page.locator("label[for^=__palette]:visible").first.click()
    page.wait_for_selector(f"body[data-md-color-scheme={scheme}]")
    measured = {}
    for place, name in PICTURES.items():
        page.goto(f"{address}/{place}")
        picture = page.locator(f"article img[src*='/{name}']:visible")
        assert picture.count() == 1, f"{name} is shown {picture.count()} times"
        data = base64.b64encode(picture.screenshot()).decode()
        measured[name] = page.evaluate(LIGHTNESS, data)
    page.close()
    wrong = {name: value for name, value in measured.items() if (value < 0.6) != (scheme == "slate")}
    assert not wrong, measured


def test_the_home_page_has_three_doors(page: Page) -> None:
    doors = page.locator(".cards > ul > li > p:first-child a, .cards > ul > li > :first-child > a")
    assert doors.evaluate_all("links => links.map(link => link.getAttribute('href'))") == [
        "tutorials/evaluate-a-model.html",
        "how-to/trl.html",
        "tutorials/a-task-of-your-own.html",
    ]


def test_pages_link_to_their_source(page: Page, address: str) -> None:
    page.goto(f"{address}/how-to/trl.html")
    assert page.locator("header .md-source, .md-header a[href='https://code.example/team/intercode']").count()
    edit = page.locator("a[rel=edit]").get_attribute("href")
    assert edit == "https://code.example/team/intercode/edit/main/docs/how-to/trl.md"
