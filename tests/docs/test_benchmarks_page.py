"""The tables of docs/benchmarks.md and README.md show one stored run, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.page import __main__ as program
from benchmarks.page.__main__ import FIGURES, MARKED, PAGES, read, written
from benchmarks.page.aims import AIMS, Aim


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_tables_of_a_page_are_made_of_the_stored_figures(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert MARKED.search(text), "there are marked tables"
    assert text == written(text, read(FIGURES)), "run python -m benchmarks.page"


def test_text_around_a_table_is_left_alone() -> None:
    page = "before\n<!-- table: machine -->\nold\n<!-- /table -->\nafter\n"
    figures = {"machine": {"kernel": "6.1.0", "cores": 2, "python": "3.11.7"}}
    assert written(page, figures) == (
        "before\n<!-- table: machine -->\nLinux 6.1.0, 2 cores, Python 3.11.7.\n<!-- /table -->\nafter\n"
    )


def test_a_table_that_there_is_not_is_named() -> None:
    with pytest.raises(KeyError, match="speed"):
        written("<!-- table: speed -->\n<!-- /table -->\n", {})


@pytest.mark.parametrize(("text", "says"), [('{"machine": {}}', "of a whole `make bench`"), ("{", "cannot read")])
def test_figures_that_lack_something_replace_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str, says: str
) -> None:
    run = tmp_path / "benchmarks.json"
    run.write_text(text)
    before = FIGURES.read_bytes()
    monkeypatch.setattr("sys.argv", ["page", str(run)])
    with pytest.raises(SystemExit):
        program.main()
    assert says in capsys.readouterr().err
    assert FIGURES.read_bytes() == before


def test_an_aim_says_whether_it_is_met() -> None:
    at_most = Aim("reset", lambda figures: figures["reset"], 5, " ms")
    at_least = Aim("threads", lambda figures: figures["threads"], 0.95, " times", at_least=True)
    figures = {"reset": 2.0, "threads": 0.9}
    assert at_most.row(figures) == ["reset", "≤ 5 ms", "2.00 ms", "yes"]
    assert at_least.row(figures) == ["threads", "≥ 0.95 times", "0.90 times", "**no**"]


def test_no_aim_is_listed_twice() -> None:
    assert len({aim.text for aim in AIMS}) == len(AIMS)
