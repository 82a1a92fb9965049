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


def test_the_reference_names_modules_that_are_there() -> None:
    pages = (DOCS / "reference").glob("*.md")
    named = [name for page in pages for name in re.findall(r"^::: (\S+)$", page.read_text(), re.MULTILINE)]
    assert named
    for name in named:
        path = ROOT / "src" / name.replace(".", "/")
        assert path.with_suffix(".py").exists() or (path / "__init__.py").exists(), name
