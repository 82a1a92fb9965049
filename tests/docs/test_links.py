"""Links between pages, and to headings within them: on GitHub, and on the site, which names headings otherwise."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from unicodedata import normalize

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("", "benchmarks", "packages/*", "docs/**")
PAGES = sorted({page for folder in FOLDERS for page in ROOT.glob(f"{folder}/*.md".lstrip("/"))})
BLOCK = re.compile(r"^( *)(`{3,}|~{3,}).*?^\1\2[^\n]*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"""\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)|(?:src|href|srcset)="([^"]+)\"""")
ELSEWHERE = re.compile(r"[a-z+]+:")


@cache
def text_of(page: Path) -> str:
    """The page without its blocks of code."""
    return BLOCK.sub("", page.read_text(encoding="utf-8"))


def links(page: Path) -> list[str]:
    """The targets of the page's links to other files of the project, and to its own headings."""
    found = [first or second for first, second in LINK.findall(text_of(page))]
    return [target for target in found if not ELSEWHERE.match(target)]


def names(page: Path, *, on_site: bool) -> set[str]:
    """How the headings of a page are named in links."""
    found: list[str] = []
    for heading in re.findall(r"^#{1,6} (.+?)(?: #+)?$", text_of(page), re.MULTILINE):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", shown).strip()
        name = _site_name(name) if on_site else name.replace(" ", "-")
        again = found.count(name)
        found.append(f"{name}{'_' if on_site else '-'}{again}" if again else name)
    return set(found) | set(re.findall(r'\bid="([^"]+)"', text_of(page)))


def _site_name(name: str) -> str:
    return re.sub(r"[- ]+", "-", normalize("NFKD", name).encode("ascii", "ignore").decode())


def why_broken(page: Path, link: str) -> str:
    """What is wrong with a link of a page; "" for nothing."""
    path, _, name = link.partition("#")
    target = page.parent / path if path else page
    if not target.exists():
        return f"{link}: there is no such file"
    if name and target.suffix == ".md":
        for on_site in (False, True):
            if name not in names(target, on_site=on_site):
                return f"{link}: {target.name} has no such heading{' on the site' if on_site else ''}"
    return ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_a_heading_that_are_there(page: Path) -> None:
    assert [why for link in links(page) if (why := why_broken(page, link))] == []


def test_links_are_found_and_broken_ones_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# The `one` page\n## A & B\n## A & B\n```sh\n# no heading\n```\n"
        "[a](#the-one-page) [b](page.md#no-heading) [c](other.md) [d](#a--b) [e](https://x.org/#y)\n"
        '<img src="none.png">\n'
    )
    assert links(page) == ["#the-one-page", "page.md#no-heading", "other.md", "#a--b", "none.png"]
    assert names(page, on_site=False) == {"the-one-page", "a--b", "a--b-1"}
    assert names(page, on_site=True) == {"the-one-page", "a-b", "a-b_1"}
    assert [why_broken(page, link) for link in links(page)] == [
        "",
        "page.md#no-heading: page.md has no such heading",
        "other.md: there is no such file",
        "#a--b: page.md has no such heading on the site",
        "none.png: there is no such file",
    ]
