"""Reports laid out as tables: a line for each run, and for each difficulty, category and turn within it.

Programs get a line for each run and group. People who look at several runs get a line for each group, and the runs
beside each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import stdev

from intercode.report.report import Report
from intercode.report.statistics import Interval
from intercode.report.summary import Summary, is_counted, summarize
from intercode.report.table import Cell, Column, Table
from intercode.types import shown_rewards
from intercode_sandbox.util.text import pluralize

RUN = Column("run")

FACETS = ("model", "agent", "data set")
"""What tells runs apart, besides their names."""

Rate = tuple[float | None, Interval | None]
"""A success rate, and its interval."""


def make_tables(reports: Sequence[Report]) -> list[Table]:
    """Return all tables on *reports* that have anything to say."""
    found = [
        results(reports),
        _cheating(reports),
        _repeats(reports),
        _group_table("by difficulty", "difficulty", reports, lambda each: each.by_difficulty),
        _group_table("by category", "category", reports, lambda each: each.by_category),
        _turns(reports),
        _usage(reports),
        _errors(reports),
    ]
    return [sheet.without_empty() for sheet in found if sheet.rows]


def readable_tables(reports: Sequence[Report]) -> list[Table]:
    """Return the same for people: where there are several runs, they stand beside each other."""
    if len(reports) == 1:
        return make_tables(reports)
    found = [
        results(reports),
        _cheating(reports),
        _repeats(reports),
        _side_by_side("difficulty", reports, lambda each: _rates(each.by_difficulty)),
        _side_by_side("category", reports, lambda each: _rates(each.by_category)),
        _side_by_side("turn", reports, lambda each: {str(at.turn): (at.rate, at.interval) for at in each.by_turn}),
        _usage(reports),
        _errors(reports),
    ]
    return [sheet.without_empty() for sheet in found if sheet.rows]


def overview(reports: Sequence[Report]) -> list[Table]:
    """Return the tables with a line for each run only."""
    found = [results(reports), _cheating(reports), _repeats(reports), _usage(reports), _errors(reports)]
    return [sheet.without_empty() for sheet in found if sheet.rows]


def results(reports: Sequence[Report]) -> Table:
    """Return a line for each run."""
    if len(reports) == 1:
        rows = [(each.name, *_cells(each.summary, _leading(reports))) for each in reports]
        return Table("results", (RUN, *_columns(reports)), tuple(rows), _note(reports))
    ordered = sorted(reports, key=lambda each: bool(each.baseline))
    several = [
        (each.name, *what_ran(each), each.baseline, *_cells(each.summary, _leading(reports))) for each in ordered
    ]
    columns = (RUN, *map(Column, FACETS), Column("baseline"), *_columns(reports))
    return Table("results", columns, tuple(several), _note(reports))


def what_ran(report: Report) -> tuple[str, str, str]:
    """Return model, agent and data set of a run: see `FACETS`."""
    settings = report.run.manifest.settings
    return settings.model, settings.agent, report.dataset


def pivot(reports: Sequence[Report], down: str, across: str, *, seed: int = 0) -> Table:
    """Return the success of runs by two of `FACETS`; runs that have both alike are taken together.

    Args:
        reports: Reports on runs under one scoring.
        down: What each line is.
        across: What each column is.
        seed: The bootstrap's.
    """
    groups: dict[tuple[str, str], list[Report]] = {}
    for each in reports:
        facets = dict(zip(FACETS, what_ran(each), strict=True))
        groups.setdefault((facets[down] or "none", facets[across] or "none"), []).append(each)
    rates: dict[tuple[str, str], Rate] = {}
    for place, found in groups.items():
        episodes = [episode for each in found for episode in each.run.episodes]
        summary = found[0].summary if len(found) == 1 else summarize(episodes, _leading(reports), seed=seed)
        rates[place] = summary.rate, summary.interval
    lines, names = (dict.fromkeys(place[at] for place in groups) for at in (0, 1))
    columns = [column for name in names for column in (Column(name, "success"), Column(f"95 %, {name}", "interval"))]
    rows = [(line, *(cell for name in names for cell in rates.get((line, name), (None, None)))) for line in lines]
    heading = f"success by {down} and {across}, {_leading(reports)}"
    return Table(heading, (Column(down), *columns), tuple(rows))


def _columns(reports: Sequence[Report]) -> tuple[Column, ...]:
    scorings = {each.scoring for each in reports}
    success = f"success, {scorings.pop()}" if len(scorings) == 1 else "success"
    rewards = (
        column
        for scoring in shown_rewards(_leading(reports))
        for column in (Column(f"{scoring} reward", "reward"), Column(f"95 %, {scoring} reward", "reward interval"))
    )
    return (
        Column("episodes", "count"),
        Column("errors", "count"),
        Column("refused", "count"),
        Column(success, "success"),
        Column("95 %", "interval"),
        *rewards,
        Column("turns", "number"),
        Column("action errors", "share"),
        Column("no code", "share"),
        Column("cut", "share"),
        Column("repeated", "share"),
        Column("seconds", "seconds"),
    )


def _cells(summary: Summary, leading: str) -> tuple[Cell, ...]:
    counts = summary.counts
    return (
        summary.episodes,
        summary.errors,
        summary.refused or None,
        summary.rate,
        summary.interval,
        *(cell for each in shown_rewards(leading) for cell in (summary.rewards[each], summary.reward_intervals[each])),
        summary.turns,
        summary.action_errors,
        *(summary.share_of_turns(count) or None for count in (counts.no_code, counts.cut, counts.repeated)),
        summary.seconds,
    )


def _cheating(reports: Sequence[Report]) -> Table:
    """Return how often each run cheated, by kind of trap."""
    columns = (RUN, Column("trap"), Column("episodes", "count"), Column("cheated", "count"))
    rows = [
        (each.name, one.kind, one.episodes, one.cheated, one.rate, one.interval)
        for each in reports
        for one in each.cheating
    ]
    return Table("cheating", (*columns, Column("rate", "share"), Column("95 %", "interval")), tuple(rows))


def _repeats(reports: Sequence[Report]) -> Table:
    """Return where tasks were played more than once: the mean over repeats, how they scatter, and pass@k."""
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


def _side_by_side(heading: str, reports: Sequence[Report], pick: Callable[[Report], Mapping[str, Rate]]) -> Table:
    """Return a line for each group, with the success of each run in it."""
    found = [pick(each) for each in reports]
    groups = dict.fromkeys(group for rates in found for group in rates)
    columns = (
        column
        for each in reports
        for column in (Column(each.name, "success"), Column(f"95 %, {each.name}", "interval"))
    )
    rows = ((group, *(cell for rates in found for cell in rates.get(group, (None, None)))) for group in groups)
    scorings = {each.scoring for each in reports}
    name = f"success by {heading}" + (f", {scorings.pop()}" if len(scorings) == 1 else "")
    return Table(name, (Column(heading), *columns), tuple(rows))


def _rates(groups: Mapping[str, Summary]) -> Mapping[str, Rate]:
    return {group: (summary.rate, summary.interval) for group, summary in groups.items()}


def _turns(reports: Sequence[Report]) -> Table:
    """Success by turn, with how many episodes were still going on."""
    columns = (
        *_run_column(reports),
        Column("turn"),
        Column("success by then", "success"),
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
        Column("tokens a second", "number"),
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
    more = usage.reasoning_tokens or None, usage.from_cache or None, summary.tokens_per_second
    return *tokens, *more, usage.cost, *costs


def _errors(reports: Sequence[Report]) -> Table:
    """Return what broke, by kind."""
    rows = [(each.name, kind, count) for each in reports for kind, count in sorted(each.kinds.items())]
    return Table("errors", (RUN, Column("kind"), Column("episodes", "count")), tuple(rows))


def _note(reports: Sequence[Report]) -> str:
    """Return what must be said beside the figures, and of which runs, where not of all."""
    remarks: dict[str, list[str]] = {}
    for each in reports:
        manifest = each.run.manifest
        planned = pluralize(manifest.episodes, "episode is", "episodes are")
        skipped = pluralize(each.summary.skipped, "episode was", "episodes were")
        unscored = pluralize(each.summary.unscored, "episode was", "episodes were")
        said = {
            f"{each.run.missing} of {planned} missing": each.run.missing,
            f"{skipped} skipped by the agent": each.summary.skipped,
            f"{unscored} not scored, for want of a gold": each.summary.unscored,
            "errors and refusals counted as failures": any(
                is_counted(episode) for episode in each.run.episodes if not episode.is_complete
            ),
            f"{pluralize(each.run.left_out, 'task', 'tasks')} left out, as their golds are faulty": each.run.left_out,
            manifest.judged_by: manifest.judged_by,
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


def _leading(reports: Sequence[Report]) -> str:
    return reports[0].scoring


def _run_column(reports: Sequence[Report]) -> tuple[Column, ...]:
    """Return which run it is, where there are several."""
    return (RUN,) * (len(reports) > 1)


def _name_cells(each: Report, reports: Sequence[Report]) -> tuple[str, ...]:
    return (each.name,) * (len(reports) > 1)
