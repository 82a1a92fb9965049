"""Reports as tables: on a terminal, in Markdown, as CSV, in files."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path
from xml.etree import ElementTree

import numpy
import pytest
from matplotlib.figure import Figure
from sample_trajectories import call, episode, run, turn

from intercode.errors import UserError
from intercode.report import plots
from intercode.report.files import write
from intercode.report.plots import by_turn, rewards
from intercode.report.report import report, reports
from intercode.report.run_names import run_names
from intercode.report.statistics import Interval
from intercode.report.table import Column, Table, text, to_csv, to_latex, to_long_csv, to_markdown
from intercode.report.tables import make_tables, pivot, readable_tables, results
from intercode.runs.store import StoredRun
from intercode.types import Trajectory
from intercode.types.conversation import Usage

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
    names = ("success", "success-by-turn", "rewards", "cost-and-success")
    for name in (f"{name}{theme}" for name in names for theme in ("", "-dark")):
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


def test_several_runs_stand_beside_each_other_with_a_line_for_each_group(tmp_path: Path) -> None:
    first = [episode("t/1", 1.0, turn("ls", value=1.0), category="files")]
    second = [
        episode("t/1", 0.0, turn("ls", value=0.0), turn("pwd", value=0.0), category="files"),
        episode("t/2", 1.0, turn("ls", value=1.0), category="text"),
    ]
    made = reports([run(tmp_path / "a", first), run(tmp_path / "b", second)])
    found = {sheet.name: sheet for sheet in readable_tables(made)}
    by_category = found["success by category, exact"]
    assert [column.name for column in by_category.columns] == ["category", "a", "95 %, a", "b", "95 %, b"]
    assert [(row[0], row[1], row[3]) for row in by_category.rows] == [("files", 1.0, 0.0), ("text", None, 1.0)]
    assert [row[0] for row in found["success by turn, exact"].rows] == ["1", "2"]
    assert "| files | 100.0% |" in to_markdown([by_category])
    assert "by category" in [sheet.name for sheet in make_tables(made)], "programs get a line for each run and group"


def test_one_run_is_reported_in_full(tmp_path: Path) -> None:
    made = [report(run(tmp_path / "a", [episode("t/1", 1.0, turn("ls", value=1.0))]))]
    assert readable_tables(made) == make_tables(made)


def played(path: Path, episodes: list[Trajectory], **settings: str) -> StoredRun:
    """A run with these settings."""
    found = run(path, episodes)
    manifest = replace(found.manifest, settings=replace(found.manifest.settings, **settings))  # type: ignore[arg-type]
    return replace(found, manifest=manifest)


def grid(folder: Path) -> list[StoredRun]:
    """Two models, two agents, two data sets, and two baselines that did what such agents do."""
    tried = [turn("ls", value=1.0)]
    runs = [
        played(
            folder / f"{model}-{agent}-{dataset}",
            [episode(f"{dataset}/{n}", float(n < wins), *tried) for n in range(4)],
            model=model,
            agent=agent,
            dataset=dataset,
        )
        for wins, (model, agent, dataset) in enumerate(product(("m1", "m2"), ("react", "tool-use"), ("a", "b")), -3)
    ]
    nothing = [episode(f"a/{n}", 0.0, turn("submit", value=0.0)) for n in range(4)]
    gold = [episode(f"a/{n}", 1.0, turn("ls"), turn("submit", value=1.0)) for n in range(4)]
    return [played(folder / "golds", gold, agent="oracle", dataset="a"), played(folder / "nothing", nothing), *runs]


def test_a_report_on_several_runs_says_model_agent_and_data_set_and_which_are_baselines(tmp_path: Path) -> None:
    found = results(reports(grid(tmp_path)))
    assert [column.name for column in found.columns][:5] == ["run", "model", "agent", "data set", "baseline"]
    assert found.rows[0][:5] == ("m1-react-a", "m1", "react", "a", "")
    assert [(row[0], row[4]) for row in found.rows[-2:]] == [("golds", "golds"), ("nothing", "does nothing")]


def test_runs_can_be_pivoted_by_any_two_facets(tmp_path: Path) -> None:
    made = reports(grid(tmp_path)[2:])
    found = pivot(made, "agent", "data set")
    assert [column.name for column in found.columns] == ["agent", "a", "95 %, a", "b", "95 %, b"]
    assert [(row[0], row[1], row[3]) for row in found.rows] == [("react", 1 / 8, 2 / 8), ("tool-use", 3 / 8, 4 / 8)]
    alone = pivot(made[:1], "model", "agent")
    assert alone.rows == (("m1", made[0].summary.rate, made[0].summary.interval),)


def test_latex_is_ready_to_be_pasted() -> None:
    sheet = Table("a_b", (Column("50 % & more"), Column("rate", "share")), (("x^2\\{$#}~", 0.5),), "see _")
    assert to_latex([sheet]).splitlines() == [
        r"\begin{table}",
        r"\centering",
        r"\caption{a\_b}",
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"50 \% \& more & rate \\",
        r"\midrule",
        r"x\textasciicircum{}2\textbackslash{}\{\$\#\}\textasciitilde{} & 50.0\% \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\par\footnotesize see \_",
        r"\end{table}",
    ]


def test_tokens_a_second_are_told_where_models_took_time(tmp_path: Path) -> None:
    asked = replace(call("x"), reply=replace(call("x").reply, seconds=0.5))
    made = reports([run(tmp_path / "a", [episode("t/1", 1.0, turn("ls", calls=(asked, asked)))])])
    (usage,) = (sheet for sheet in make_tables(made) if sheet.name == "tokens and cost")
    assert dict(zip((column.name for column in usage.columns), usage.rows[0], strict=True))["tokens a second"] == 4.0


def test_no_plot_of_a_dozen_runs_has_its_legend_over_figures_and_no_two_look_alike(tmp_path: Path) -> None:
    made = reports(grid(tmp_path))
    assert len(set(plots._styles(12))) == 12
    for draw in (plots._draw_turns, plots._draw_cost, plots._draw_success):
        figure = Figure(figsize=plots.SIZE, layout="constrained")
        draw(figure, [replace(each, summary=replace(each.summary, usage=Usage(1, 1, 0, 0.5))) for each in made])
        figure.draw_without_rendering()
        for legend in figure.legends:
            box = legend.get_window_extent()
            assert not any(box.overlaps(axes.get_window_extent()) for axes in figure.axes)
        labels = [label for axes in figure.axes for label in (*axes.get_yticklabels(), axes.title)]
        assert all(label.get_window_extent().x0 >= -1 for label in labels if label.get_text())


def test_the_plot_of_success_has_a_panel_for_each_data_set_and_a_line_for_each_run(tmp_path: Path) -> None:
    figure = Figure(layout="constrained")
    plots._draw_success(figure, reports(grid(tmp_path)))
    found = {axes.get_title(loc="left"): [each.get_text() for each in axes.get_yticklabels()] for axes in figure.axes}
    assert found["a"] == ["m1-react-a", "m1-tool-use-a", "m2-react-a", "m2-tool-use-a", "golds"]
    assert set(found) == {"a", "b", grid(tmp_path / "more")[1].manifest.settings.dataset}
