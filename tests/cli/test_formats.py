"""Tables of `tasks`, `hackcheck` and `replay`: for programs in four formats, for people without a lost column."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from terminal import intercode

HACKCHECK = ("hackcheck", "starter", "--limit", "1", "--adversaries", "does-nothing,says-success")


def test_tasks_are_rows_of_a_csv_file_and_of_markdown_in_full() -> None:
    done = intercode("tasks", "starter", "--limit", "3", "--gold", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert list(rows[0]) == ["task", "difficulty", "category", "query", "gold"]
    assert rows[0]["task"] == "starter/bash/list-confs"
    assert rows[0]["query"].endswith("ends in .conf, one per line.")
    assert len(rows) == 3
    markdown = intercode("tasks", "starter", "--limit", "3", "--format", "markdown").stdout
    assert f"| starter/bash/list-confs | easy | find | {rows[0]['query']} |\n" in markdown


def test_json_is_a_format_like_the_others(finished: Path) -> None:
    for words in (("tasks", "starter", "--limit", "1"), ("report", finished)):
        assert json.loads(intercode(*words, "--format", "json").stdout) == json.loads(
            intercode(*words, "--json").stdout
        )


def test_figures_of_hackcheck_and_replay_are_written_in_full(finished: Path) -> None:
    figures = {(row["row"], row["figure"]): row["value"] for row in _figures(*HACKCHECK)}
    assert figures["does-nothing/runs `true`", "tried"] == "1"
    assert figures["does-nothing/runs `true`", "exact paid"] == "0"
    replayed = {row["figure"]: row["value"] for row in _figures("replay", finished)}
    assert (replayed["rewards agree"], replayed["success now"]) == ("1.0", replayed["success then"])


def test_on_80_columns_no_figure_is_cut_and_no_word_broken(finished: Path) -> None:
    shown = intercode("replay", finished, COLUMNS="80").stdout
    assert all(word in shown.split() for word in ("judged", "run", "states", "then", "now"))
    checked = intercode(*HACKCHECK, COLUMNS="80").stdout
    assert "prints and submits words of success\n" in checked
    tables = checked.partition("gold (exact)")[0]
    assert all(len(line) <= 80 for text in (shown, tables) for line in text.splitlines())


@pytest.mark.parametrize("command", ["tasks", "hackcheck", "replay"])
def test_an_unknown_format_is_refused_with_those_that_there_are(command: str, finished: Path) -> None:
    done = intercode(command, finished if command == "replay" else "starter", "--format", "xml")
    assert done.returncode == 2
    assert "--format is table or markdown or csv or json, not 'xml'" in done.stderr


def _figures(*words: str | Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(intercode(*words, "--format", "csv").stdout)))
