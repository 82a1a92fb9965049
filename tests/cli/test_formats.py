"""Tables of `tasks`, `hackcheck` and `replay`: for programs in four formats, for people without a lost column."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from pseudo_terminal import PseudoTerminal
from terminal import PROGRAM, intercode

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
    assert figures["does-nothing", "tried"] == "1"
    assert figures["does-nothing", "exact paid"] == "0"
    replayed = {row["figure"]: row["value"] for row in _figures("replay", finished)}
    assert (replayed["rewards agree"], replayed["success now"]) == ("1.0", replayed["success then"])


def test_on_80_columns_no_figure_is_cut_and_no_word_broken(finished: Path) -> None:
    shown = intercode("replay", finished, COLUMNS="80").stdout
    assert all(word in shown.split() for word in ("judged", "run", "states", "then", "now"))
    checked = intercode(*HACKCHECK, "--all", COLUMNS="80").stdout
    assert "prints and submits words of success\n" in checked
    tables = checked.partition("gold (paper)")[2].partition("\n")[2]
    assert all(len(line) <= 80 for text in (shown, tables) for line in text.splitlines())


@pytest.mark.parametrize("command", ["tasks", "hackcheck", "replay"])
def test_an_unknown_format_is_refused_with_those_that_there_are(command: str, finished: Path) -> None:
    done = intercode(command, finished if command == "replay" else "starter", "--format", "xml")
    assert done.returncode == 2
    assert "--format is table or markdown or latex or csv or json, not 'xml'" in done.stderr


def _figures(*words: str | Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(intercode(*words, "--format", "csv").stdout)))


LISTS = {
    "tasks": ("tasks", "starter", "--limit", "2"),
    "data": ("data", "list"),
    "images": ("images", "list"),
    "doctor": ("doctor",),
}
"""Commands that list, and need no run."""


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A cache with images, into which no other test builds meanwhile."""
    folder = str(tmp_path_factory.mktemp("cache"))
    assert intercode("images", "build", "host", INTERCODE_CACHE=folder).returncode == 0
    return folder


@pytest.mark.parametrize("words", LISTS.values(), ids=list(LISTS))
def test_a_list_is_a_line_for_each_row_in_every_format(words: tuple[str, ...], cache: str) -> None:
    csv_text, markdown, as_json = (
        intercode(*words, "--format", name, INTERCODE_CACHE=cache).stdout for name in ("csv", "markdown", "json")
    )
    rows = list(csv.DictReader(io.StringIO(csv_text)))
    assert len(rows) == len([line for line in markdown.splitlines() if line.startswith("| ")]) - 2
    assert len(json.loads(as_json)) == len(rows) > 0


def test_episodes_and_results_of_a_run_are_printed_in_every_format(finished: Path, tmp_path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(intercode("show", finished, "--format", "csv").stdout)))
    assert [row["success"] for row in rows] == ["yes"] * 3
    assert [row["exact"] for row in rows] == ["1.0"] * 3
    assert "| starter/bash/show-port | submitted | yes |" in intercode("show", finished, "--format", "markdown").stdout
    refused = intercode("show", finished, "1", "--format", "csv")
    assert (refused.returncode, "is for a list of episodes" in refused.stderr) == (2, True)
    played = intercode("run", "-n", "1", "-o", tmp_path / "run", "--format", "csv").stdout
    assert 'results,run,"success, exact",1.0' in played


def test_an_import_reports_in_every_format(tmp_path: Path) -> None:
    (tmp_path / "tasks.csv").write_text("query,gold\nSay hi.,echo hi\nGive a number.,echo $RANDOM\n")
    done = intercode("import", "tasks.csv", "--out", "mine", "--format", "csv", cwd=tmp_path)
    assert "golds,can be scored,tasks,1" in done.stdout, done.stderr


TABLES = {
    **LISTS,
    "hackcheck": (*HACKCHECK, "--all"),
    "run": ("run", "-n", "1", "-o", "OUT"),
    **{name: (name, "RUN") for name in ("show", "report", "replay", "errors")},
}


@pytest.mark.parametrize("words", TABLES.values(), ids=list(TABLES))
def test_in_a_pipe_a_table_is_neither_padded_nor_wrapped_and_on_a_terminal_it_is(
    words: tuple[str, ...], finished: Path, tmp_path: Path, cache: str
) -> None:
    places = {"RUN": str(finished), "OUT": str(tmp_path / "run")}
    piped = intercode(*(places.get(word, word) for word in words), INTERCODE_CACHE=cache).stdout
    rows = [line for line in piped.splitlines() if "\t" in line]
    assert len(rows) >= 2
    assert not [line for line in rows if "  " in line or line.endswith((" ", "\t ")) or " \t" in line]
    places["OUT"] = str(tmp_path / "other")
    env = {"COLUMNS": "80", "INTERCODE_CACHE": cache}
    with PseudoTerminal([*PROGRAM, *(places.get(word, word) for word in words)], env=env) as terminal:
        status, shown = terminal.wait()
    assert status == 0, shown
    assert "\t" not in shown
    assert "  " in shown


def test_a_long_cell_stays_in_one_line_of_a_pipe(tmp_path: Path) -> None:
    query = "Count the words. " * 40
    (tmp_path / "tasks.jsonl").write_text(json.dumps({"query": query, "gold": "true"}) + "\n")
    piped = intercode("tasks", "tasks.jsonl", cwd=tmp_path).stdout
    assert f"\t{query.strip()}\n" in piped


def test_on_a_narrow_terminal_the_list_of_episodes_loses_neither_letters_nor_digits(finished: Path) -> None:
    shared, header, *rows = intercode("show", finished, COLUMNS="60").stdout.partition("\n\n")[0].split("\n")
    assert header.split() == ["#", "episode", "status", "success", "exact", "paper", "turns", "seconds"]
    assert max(map(len, (header, *rows))) <= 60
    ids = "".join(row[header.index("episode") : header.index("status")].strip() for row in rows)
    assert shared == "all begin with starter/bash/"
    assert all(name in ids for name in ("list-confs", "count-january", "show-port"))
    assert all("1.000" in row for row in rows if "submitted" in row)
