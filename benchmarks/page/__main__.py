"""`python -m benchmarks.page`: write the tables of docs/benchmarks.md and README.md anew, from a run of `make bench`.

Each table stands between `<!-- table: NAME -->` and `<!-- /table -->`; text around them is left alone.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
from pathlib import Path
from typing import Any

from benchmarks.page.aims import aims
from benchmarks.page.tables import TABLES

HERE = Path(__file__).parent
FIGURES = HERE / "figures.json"
"""The run whose figures the page shows."""
GROWTH = HERE.parent / "growth" / "figures.json"
ROOT = HERE.parents[1]
PAGES = (ROOT / "docs" / "benchmarks.md", ROOT / "README.md")
MARKED = re.compile(r"(<!-- table: (?P<name>[a-z-]+) -->\n).*?(<!-- /table -->)", re.DOTALL)


def main() -> None:
    """Store the figures, if others are given, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.page", description=__doc__)
    parser.add_argument(
        "run", nargs="?", type=Path, help="benchmarks.json of a whole run (default: the stored figures)"
    )
    given = parser.parse_args()
    try:
        figures = read(given.run or FIGURES)
        pages = {page: written(page.read_text(encoding="utf-8"), figures) for page in PAGES}
    except (OSError, ValueError) as error:
        parser.error(f"cannot read {given.run}: {error}")
    except KeyError as error:
        parser.error(f"{given.run} has no {error}: give the benchmarks.json of a whole `make bench`")
    if given.run is not None:
        shutil.copyfile(given.run, FIGURES)
    for page, text in pages.items():
        page.write_text(text, encoding="utf-8")


def read(path: Path) -> dict[str, Any]:
    """Return the figures at *path*, with the stored ones of growth."""
    figures: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return figures | {"how cost grows": json.loads(GROWTH.read_text(encoding="utf-8"))}


def written(page: str, figures: dict[str, Any]) -> str:
    """Return *page* with each marked table made of *figures*.

    Raises:
        KeyError: If the page names a table that there is not, or the figures lack what one shows.
    """
    tables = TABLES | {"aims": aims}
    return MARKED.sub(lambda found: f"{found[1]}{tables[found['name']](figures)}{found[3]}", page)


if __name__ == "__main__":
    main()
