"""Reports laid out as tables: a line for each run, and for each difficulty, category and turn within it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import stdev

from intercode.runs.report.report import Report
from intercode.runs.report.summary import Summary, leading_first
from intercode.runs.report.table import Cell, Column, Table
from intercode.text import pluralize
from intercode.types import Scoring

RUN = Column("run")


def make_tables(reports: Sequence[Report]) -> list[Table]:
    """All tables on *reports* that have anything to say."""
    found = [
        results(reports),
        _repeats(reports),
        _group_table("by difficulty", "difficulty", reports, lambda each: each.by_difficulty),
        _group_table("by category", "category", reports, lambda each: each.by_category),
        _turns(reports),
        _usage(reports),
        _errors(reports),
    ]
    return [sheet.without_empty() for sheet in found if sheet.rows]


def overview(reports: Sequence[Report]) -> list[Table]:
    """The tables with a line for each run only."""
    found = [results(reports), _repeats(reports), _usage(reports), _errors(reports)]
    return [sheet.without_empty() for sheet in found if sheet.rows]


def results(reports: Sequence[Report]) -> Table:
    """A line for each run."""
    rows = [(each.name, *_cells(each.summary, _leading(reports))) for each in reports]
    return Table("results", (RUN, *_columns(reports)), tuple(rows), _note(reports))


def _columns(reports: Sequence[Report]) -> tuple[Column, ...]:
    scorings = {each.scoring for each in reports}
    success = f"success, {scorings.pop()}" if len(scorings) == 1 else "success"
    rewards = (
        column
        for scoring in leading_first(_leading(reports))
        for column in (Column(f"{scoring} reward", "reward"), Column(f"95 %, {scoring} reward", "reward interval"))
    )
    return (
        Column("episodes", "count"),
        Column("errors", "count"),
        Column(success, "share"),
        Column("95 %", "interval"),
        *rewards,
        Column("turns", "number"),
        Column("action errors", "share"),
        Column("seconds", "seconds"),
    )


def _cells(summary: Summary, leading: Scoring) -> tuple[Cell, ...]:
    return (
        summary.episodes,
        summary.errors,
        summary.rate,
        summary.interval,
        *(cell for each in leading_first(leading) for cell in (summary.rewards[each], summary.reward_intervals[each])),
        summary.turns,
        summary.action_errors,
        summary.seconds,
    )


def _repeats(reports: Sequence[Report]) -> Table:
    """Where tasks were played more than once: the mean over repeats, how they scatter, and pass@k."""
    repeated = [each for each in reports if each.summary.pass_at]
    ks = sorted({k for each in repeated for k in each.summary.pass_at})
    columns = (
        RUN,
        Column("tasks", "count"),
        Column("repeats", "count"),
        Column("mean", "share"),
        Column("deviation", "share"),
        *(column for k in ks for column in (Column(f"pass@{k}", "share"), Column(f"95 %, pass@{k}", "interval"))),
    )
    rows: list[tuple[Cell, ...]] = []
    for each in repeated:
        rates = each.summary.by_repeat
        spread = stdev(rates) if len(rates) > 1 else None
        found, intervals = each.summary.pass_at, each.summary.pass_at_intervals
        chances = [cell for k in ks for cell in (found.get(k), intervals.get(k))]
        rows.append((each.name, each.summary.tasks, len(rates), sum(rates) / len(rates), spread, *chances))
    note = "mean and standard deviation of the success rate over repeats; pass@k is unbiased"
    return Table("repeats", columns, tuple(rows), note)


def _group_table(
    name: str, heading: str, reports: Sequence[Report], pick: Callable[[Report], Mapping[str, Summary]]
) -> Table:
    rows = [
        (*_name_cells(each, reports), group, *_cells(summary, _leading(reports)))
        for each in reports
        for group, summary in pick(each).items()
    ]
    return Table(name, (*_run_column(reports), Column(heading), *_columns(reports)), tuple(rows))


def _turns(reports: Sequence[Report]) -> Table:
    """Success by turn, with how many episodes were still going on."""
    columns = (
        *_run_column(reports),
        Column("turn"),
        Column("success by then", "share"),
        Column("95 %", "interval"),
        Column("going on", "count"),
    )
    rows: list[tuple[Cell, ...]] = [
        (*_name_cells(each, reports), str(turn.turn), turn.rate, turn.interval, turn.going_on)
        for each in reports
        for turn in each.by_turn
    ]
    return Table("by turn", columns, tuple(rows))


def _usage(reports: Sequence[Report]) -> Table:
    """Tokens and cost of the runs that asked a model."""
    columns = (
        RUN,
        Column("prompt tokens", "count"),
        Column("of them cached", "count"),
        Column("completion tokens", "count"),
        Column("of them reasoning", "count"),
        Column("from our cache", "count"),
        Column("cost", "dollars"),
        Column("cost of an episode", "dollars"),
        Column("cost of a success", "dollars"),
    )
    rows = [(each.name, *_usage_cells(each.summary)) for each in reports if each.summary.usage.tokens]
    return Table("tokens and cost", columns, tuple(rows))


def _usage_cells(summary: Summary) -> tuple[Cell, ...]:
    usage = summary.usage
    costs = [
        usage.cost / count if usage.cost is not None and count else None
        for count in (summary.episodes, summary.successes)
    ]
    tokens = usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens
    return *tokens, usage.reasoning_tokens or None, usage.from_cache or None, usage.cost, *costs


def _errors(reports: Sequence[Report]) -> Table:
    """What broke, by kind."""
    rows = [(each.name, kind, count) for each in reports for kind, count in sorted(each.kinds.items())]
    return Table("errors", (RUN, Column("kind"), Column("episodes", "count")), tuple(rows))


def _note(reports: Sequence[Report]) -> str:
    """What must be said beside the figures, and of which runs, where not of all."""
    remarks: dict[str, list[str]] = {}
    for each in reports:
        manifest = each.run.manifest
        planned = pluralize(manifest.episodes, "episode is", "episodes are")
        unscored = pluralize(each.summary.unscored, "episode has", "episodes have")
        said = {
            f"{each.run.missing} of {planned} missing": each.run.missing,
            f"{pluralize(each.summary.skipped, 'episode was', 'episodes were')} given up": each.summary.skipped,
            f"{unscored} no gold to go by": each.summary.unscored,
            f"{pluralize(each.run.left_out, 'task', 'tasks')} left out for the gold": each.run.left_out,
            f"exact is judged by the reward {manifest.reward}": manifest.reward,
            "code ran unguarded on this machine": not manifest.isolated,
            "the image depends on the machine: not for published figures": not manifest.reproducible,
            manifest.mixture: manifest.mixture,
        }
        for remark in (remark for remark, holds in said.items() if holds):
            remarks.setdefault(remark, []).append(each.name)
    whose = {
        remark: "" if 1 < len(reports) == len(names) else f"{', '.join(names)}: " for remark, names in remarks.items()
    }
    return "; ".join(f"{whose[remark]}{remark}" for remark in remarks)


def _leading(reports: Sequence[Report]) -> Scoring:
    return reports[0].scoring


def _run_column(reports: Sequence[Report]) -> tuple[Column, ...]:
    """Which run it is, where there are several."""
    return (RUN,) * (len(reports) > 1)


def _name_cells(each: Report, reports: Sequence[Report]) -> tuple[str, ...]:
    return (each.name,) * (len(reports) > 1)
