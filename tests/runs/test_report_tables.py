"""Reports as tables: on a terminal, in Markdown, as CSV, in files."""

from __future__ import annotations

import csv
import json
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy
import pytest
from matplotlib.figure import Figure
from sample_trajectories import call, episode, run, turn

from intercode.errors import UserError
from intercode.runs.report.files import write
from intercode.runs.report.plots import by_turn, rewards
from intercode.runs.report.report import report, reports
from intercode.runs.report.run_names import run_names
from intercode.runs.report.statistics import Interval
from intercode.runs.report.table import Column, Table, text, to_csv, to_long_csv, to_markdown
from intercode.runs.report.tables import make_tables

SHEET = Table(
    "by turn", (Column("turn"), Column("rate", "share"), Column("95 %", "interval")), (("1|2", 0.5, Interval(0.25, 1)),)
)


def test_cells_are_written_as_their_kind_wants() -> None:
    assert text(0.4567, "share") == "45.7%"
    assert text(-0.05, "change") == "-5.0%"
    assert text(Interval(0.25, 0.5), "interval") == "25.0 to 50.0%"
    assert text(Interval(0.25, 0.5), "reward interval") == "0.250 to 0.500"
    assert text(0.01234, "dollars") == "$0.0123"
    assert text(None, "reward") == "-"
    assert text(12, "count") == "12"


def test_markdown_escapes_what_would_end_a_cell() -> None:
    assert "| 1\\|2 | 50.0% | 25.0 to 100.0% |" in to_markdown([SHEET])


def test_csv_has_numbers_in_full_and_two_columns_for_an_interval() -> None:
    assert to_csv(SHEET) == "turn,rate,95 % low,95 % high\n1|2,0.5,0.25,1\n"


def test_long_csv_has_a_line_for_each_figure() -> None:
    assert to_long_csv([SHEET]).splitlines() == [
        "table,row,figure,value",
        "by turn,1|2,rate,0.5",
        "by turn,1|2,95 % low,0.25",
        "by turn,1|2,95 % high,1",
    ]


def test_tables_that_have_nothing_to_say_are_left_out(tmp_path: Path) -> None:
    found = make_tables([report(run(tmp_path / "a", [episode("t/1", 1.0, turn("ls", value=1.0))]))])
    assert [sheet.name for sheet in found] == ["results", "by turn"]


def test_a_run_with_everything_has_every_table(tmp_path: Path) -> None:
    paid = turn("ls", value=1.0, calls=(call("ls", cost=0.5),))
    episodes = [
        episode("t/1", 1.0, paid, difficulty="easy", category="files", repeat=repeat) for repeat in range(2)
    ] + [episode("t/2", None, status="error", error="SandboxError: gone", difficulty="hard")]
    found = {sheet.name: sheet for sheet in make_tables([report(run(tmp_path / "a", episodes))])}
    assert [*found] == [
        "results",
        "repeats",
        "by difficulty",
        "by category",
        "by turn",
        "tokens and cost",
        "errors",
    ]
    assert "difficulty" in [column.name for column in found["by difficulty"].columns]
    assert found["tokens and cost"].rows[0][-3:] == (1.0, 1 / 3, 0.5)
    assert found["errors"].rows == (("a", "SandboxError", 1),)
    assert "1 of 4 episodes are missing" not in found["results"].note
    assert "2 of 4 episodes are missing" in found["results"].note


def test_every_mean_reward_and_every_pass_at_k_stands_beside_its_interval(tmp_path: Path) -> None:
    episodes = [episode(f"t/{n}", n % 3 / 2, repeat=repeat) for n in range(6) for repeat in range(2)]
    made = report(run(tmp_path / "a", episodes))
    for sheet in make_tables([made]):
        for figure, beside in pairwise([*sheet.columns, Column("")]):
            if figure.kind == "reward" or figure.name.startswith("pass@"):
                assert beside.name == f"95 %, {figure.name}"
    assert "| 95 %, exact reward | paper reward | 95 %, paper reward |" in to_markdown(make_tables([made]))
    found = made.to_json()["summary"]
    assert found["reward_intervals"]["exact"][0] < found["rewards"]["exact"] < found["reward_intervals"]["exact"][1]
    assert found["pass_at_intervals"]["2"][0] < found["pass_at"]["2"] < found["pass_at_intervals"]["2"][1]


def test_the_plot_of_rewards_shows_the_mean_in_its_interval(tmp_path: Path) -> None:
    made = reports([run(tmp_path / "a", [episode(f"t/{n}", n / 10) for n in range(11)])])
    axes = Figure().subplots()
    rewards(axes, made)
    interval = made[0].summary.reward_intervals["exact"]
    assert interval is not None
    (mean,) = axes.get_lines()
    assert numpy.asarray(mean.get_xdata()) == pytest.approx(0.5)
    assert axes.patches[-1].get_extents().width == pytest.approx(
        axes.transData.transform((interval.high, 0))[0] - axes.transData.transform((interval.low, 0))[0]
    )


def test_runs_of_the_same_name_are_told_apart_by_their_folders() -> None:
    assert run_names([Path("/x/a/run"), Path("/x/b/run")]) == ["a/run", "b/run"]
    assert run_names([Path("/x/a"), Path("/x/b")]) == ["a", "b"]


def test_a_report_becomes_a_folder_with_tables_and_plots(tmp_path: Path) -> None:
    episodes = [episode(f"t/{n}", n / 4, turn("ls", value=n / 4, calls=(call("x", cost=0.1),))) for n in range(5)]
    made = reports([run(tmp_path / "a", episodes), run(tmp_path / "b", episodes[:3])])
    lines = write(tmp_path / "out", made)
    assert len(lines) == len(list((tmp_path / "out").iterdir()))
    assert len(json.loads((tmp_path / "out" / "report.json").read_text())) == 2
    with (tmp_path / "out" / "results.csv").open() as file:
        assert [row["episodes"] for row in csv.DictReader(file)] == ["5", "3"]
    for name in ("success-by-turn", "rewards", "cost-and-success"):
        assert (tmp_path / "out" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        ElementTree.parse(tmp_path / "out" / f"{name}.svg")


def test_the_plot_of_turns_draws_a_run_that_ended_early_beside_the_longest_one(tmp_path: Path) -> None:
    tried = [turn("a", value=0.0), turn("b", value=0.0), turn("c", value=1.0)]
    runs = [
        run(tmp_path / "once", [episode("t/1", 0.0, tried[0]), episode("t/2", 1.0, tried[2])]),
        run(tmp_path / "again", [episode("t/1", 1.0, *tried), episode("t/2", 1.0, tried[2])]),
    ]
    axes = Figure().subplots()
    by_turn(axes, reports(runs))
    drawn = [[list(map(float, numpy.asarray(each))) for each in line.get_data()] for line in axes.get_lines()]
    assert drawn == [[[1], [0.5]], [[1, 3], [0.5, 0.5]], [[1, 2, 3], [0.5, 0.5, 1.0]]]
    ends = [numpy.asarray(band.get_paths()[0].vertices)[:, 0].max() for band in axes.collections]
    assert ends == [3, 3]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="name another directory"):
        write(tmp_path / "file" / "out", [report(run(tmp_path / "a", [episode()]))])
