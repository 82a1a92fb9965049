"""The page about hackcheck, and what the README says of it: as many adversaries as there are."""

from __future__ import annotations

import re
from pathlib import Path

from intercode import world_specs
from intercode.audit.hackcheck.adversaries import of_world

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
ADVERSARIES = (DOCS / "reference" / "adversaries.md").read_text(encoding="utf-8")
FIGURES = (DOCS / "hackcheck-measured.md").read_text(encoding="utf-8")


def numbers(world: str) -> tuple[int, int]:
    """All adversaries of *world*, and those that do not guess."""
    found = of_world(world)
    return len(found), sum(not each.guesses for each in found)


def test_the_page_counts_the_adversaries_of_each_world() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \| (\d+) \|$", ADVERSARIES, re.MULTILINE)
    assert {world: (int(all_of_them), int(plain)) for world, all_of_them, plain in rows} == {
        name: numbers(name) for name in world_specs.names()
    }


def test_the_table_of_nl2bash_has_a_row_for_each_that_was_played() -> None:
    section = FIGURES.partition("## What it finds in NL2Bash")[2].partition("\n## ")[0]
    everybody, plain = numbers("bash")
    found = re.search(r"all (\d+) adversaries", section)
    assert found
    rows = re.findall(r"^\| [^|]+ \| \d+ \| \d\.\d\d \|.* (\S+) \| \S+ \|$", section, re.MULTILINE)
    assert len(rows) == int(found[1]) <= everybody
    assert set(rows[:plain]) == {"0"}
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert f"the {plain} adversaries that do not guess earn 0. The {len(rows) - plain} that guess" in readme


def test_all_pages_say_on_how_many_tasks_doing_nothing_succeeds() -> None:
    row = re.search(r"^\| runs `true` \| (\d+) \|", FIGURES, re.MULTILINE)
    assert row
    said = {
        "README.md": r"running `true` succeeds on (\d+) of 200 tasks",
        "docs/hackcheck-measured.md": r"and 1 on (\d+) of all 200",
        "docs/scoring.md": r"doing nothing \(`true`\), on (\d+) of the 200 tasks",
    }
    for page, sentence in said.items():
        text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
        assert set(re.findall(sentence, text)) == {row[1]}, page
