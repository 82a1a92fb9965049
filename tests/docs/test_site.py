"""The documentation site: each page is in its menu, and each public module that others build on in its reference."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def menu(entry: object) -> Iterator[str]:
    """The pages of the menu, from its nested lists and tables."""
    if isinstance(entry, str):
        yield entry
    elif isinstance(entry, list | dict):
        for each in entry.values() if isinstance(entry, dict) else entry:
            yield from menu(each)


def test_the_menu_names_each_page_once() -> None:
    named = list(menu(tomllib.loads((ROOT / "zensical.toml").read_text())["project"]["nav"]))
    assert sorted(named) == sorted(str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md"))


def pages_with_another_name(entry: object) -> Iterator[str]:
    """The pages that the menu calls by another name than their own."""
    if isinstance(entry, dict):
        yield from (page for page in entry.values() if isinstance(page, str))
    for each in entry.values() if isinstance(entry, dict) else entry if isinstance(entry, list) else ():
        yield from pages_with_another_name(each)


def test_a_page_has_one_name() -> None:
    nav = tomllib.loads((ROOT / "zensical.toml").read_text())["project"]["nav"]
    assert not list(pages_with_another_name(nav)), "the menu takes a page's first heading where it names none"
    headings = [page.read_text().partition("\n")[0] for page in DOCS.rglob("*.md")]
    assert all(heading.startswith("# ") for heading in headings)


def test_questions_of_the_search_are_asked_of_pages_that_are_there() -> None:
    questions = tomllib.loads((ROOT / "zensical.toml").read_text())["project"]["extra"]["questions"]
    asked = [title for titles in questions.values() for title in titles]
    assert all((DOCS / page).is_file() for page in questions)
    assert len(asked) == len(set(asked))


def test_the_reference_names_modules_that_are_there() -> None:
    pages = (DOCS / "reference").glob("*.md")
    named = [name for page in pages for name in re.findall(r"^::: (\S+)$", page.read_text(), re.MULTILINE)]
    assert named
    for name in named:
        sources = ROOT / ("packages/sandbox/src" if name.startswith("intercode_sandbox") else "src")
        path = sources / name.replace(".", "/")
        assert path.with_suffix(".py").exists() or (path / "__init__.py").exists(), name
