"""A run's results, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os.path import commonpath

from rich.console import Console
from rich.table import Table
from rich.text import Text

from intercode.cli.display import tables
from intercode.cli.display.console import short
from intercode.report.cheating import Cheating, cheating
from intercode.report.summary import Summary, by_difficulty, is_counted, summarize
from intercode.report.table import Cell, Column, text
from intercode.report.table import Table as Sheet
from intercode.runs.store import StoredRun
from intercode.types import Status, Trajectory, shown_rewards
from intercode_sandbox.util.text import pluralize

STYLES = {"skipped": "yellow", "refused": "yellow", "error": "red", "yes": "green", "no": "red"}

OUTCOME, MEANS = slice(4), slice(4, None)
"""The two tables that a summary becomes on a terminal too narrow for it: no figure is cut."""

WIDE = 1000
"""Characters that every summary has room in."""

LONGEST_ERROR = 300
"""Characters of the first error that a summary shows."""

MOST_IMAGES = 4
"""How many images are named; in some worlds every task has its own."""


def show(console: Console, run: StoredRun) -> None:
    """Print what was run, the summary, the summary by difficulty, and what is missing."""
    scoring: str = run.manifest.leading_reward
    console.print(_headline(run), style="bold")
    whole = _summaries(run, scoring)
    is_cut = console.measure(whole, options=console.options.update(width=WIDE)).maximum > console.width
    for part in (_summaries(run, scoring, OUTCOME), _summaries(run, scoring, MEANS)) if is_cut else [whole]:
        console.print(part)
    for line in _more(summarize(run.episodes, scoring), scoring):
        console.print(Text(line))
    for line in _remarks(run):
        console.print(Text(line, style="yellow"))


def show_episodes(console: Console, run: StoredRun, chosen: Sequence[Trajectory] | None = None) -> None:
    """A line for each episode, or for those *chosen*, with the number by which `show` finds it.

    Where a terminal has no room for them, the folders that all ids begin with are said once. Ids that are still too
    long go on in a second line: a table that is too wide would lose letters and digits.
    """
    sheet = episodes(run, run.episodes if chosen is None else chosen)
    fits = tables.fits(sheet, console.width, without=("error",))
    if not fits and (folder := _shared_folder([str(row[1]) for row in sheet.rows])):
        console.print(Text(f"all begin with {short(folder)}", style="dim"))
        sheet = replace(sheet, rows=tuple((row[0], str(row[1]).removeprefix(folder), *row[2:]) for row in sheet.rows))
        fits = tables.fits(sheet, console.width, without=("error",))
    unbroken = ("episode", "status", "success") if fits else ("status", "success")
    console.print(tables.table(sheet, unbroken=unbroken, styles=STYLES))


def _shared_folder(ids: Sequence[str]) -> str:
    """Return what all *ids* begin with, up to a slash; "" of fewer than two."""
    folders = [each.rpartition("/")[0] for each in ids]
    if len(folders) < 2 or any(not each or each.startswith("/") for each in folders):
        return ""
    return f"{found}/" if (found := commonpath(folders)) else ""


def episodes(run: StoredRun, chosen: Sequence[Trajectory]) -> Sheet:
    """Return a line for each episode of *run* that is *chosen*."""
    scoring: str = run.manifest.leading_reward
    names = ("episode", "status", "success")
    scores = (Column(each, "reward") for each in shown_rewards(scoring))
    columns = (
        Column("#", "count"),
        *map(Column, names),
        *scores,
        Column("turns", "count"),
        Column("seconds", "seconds"),
    )
    numbers = {id(episode): number for number, episode in enumerate(run.episodes, 1)}
    rows = [(numbers[id(each)], *_row(each, scoring, run.manifest.settings.repeat)) for each in chosen]
    if any(episode.error for episode in run.episodes):
        return Sheet("episodes", (*columns, Column("error")), tuple(rows))
    return Sheet("episodes", columns, tuple(row[:-1] for row in rows))


def example(run: StoredRun) -> str:
    """Return the episode that is best looked at: the first that failed, else the first."""
    scoring: str = run.manifest.leading_reward
    failed = [episode for episode in run.episodes if not episode.success(scoring)]
    return name(([*failed, *run.episodes])[0], run.manifest.settings.repeat) if run.episodes else ""


def name(episode: Trajectory, repeat: int) -> str:
    """Return what `show` calls it: the task's id, and which repeat where there are several."""
    return f"{episode.task.id}:{episode.repeat}" if repeat > 1 or episode.repeat else episode.task.id


def _headline(run: StoredRun) -> Text:
    settings = run.manifest.settings
    found = [f"{image}@{digest}" for image, digest in run.manifest.images.items()]
    more = f" and {len(found) - MOST_IMAGES} more" if len(found) > MOST_IMAGES else ""
    images = ", ".join(found[:MOST_IMAGES]) + more
    if settings.database:
        return Text(f"{settings.dataset} with {settings.agent}  (database {images})")
    return Text(f"{settings.dataset} with {settings.agent}  (sandbox {settings.sandbox}, image {images})")


def _summaries(run: StoredRun, scoring: str, part: slice = slice(None)) -> Table:
    """Return a line for each difficulty; of the figures those of *part*."""
    rewards = [f"reward\n{each}" for each in shown_rewards(scoring)]
    columns = ["episodes", "errors", f"success\n{scoring}", "interval\n95 %", *rewards, "turns\neach", "sec.\neach"]
    table = _table("", *columns[part], left=("",))
    for level, summary in by_difficulty(run.episodes, scoring).items():
        table.add_row(short(level), *_cells(summary, scoring)[part])
    table.add_section()
    table.add_row("all", *_cells(summarize(run.episodes, scoring), scoring)[part], style="bold")
    return table


def _cells(summary: Summary, scoring: str) -> list[Text | str]:
    rewards = [summary.rewards[each] for each in shown_rewards(scoring)]
    return [
        str(summary.episodes),
        Text(str(summary.errors), style="red" if summary.errors else ""),
        "-" if summary.rate is None else f"{summary.rate:.1%}",
        text(summary.interval, "interval"),
        *("-" if reward is None else f"{reward:.3f}" for reward in rewards),
        "-" if summary.turns is None else f"{summary.turns:.1f}",
        "-" if summary.seconds is None else f"{summary.seconds:.2f}",
    ]


def _row(episode: Trajectory, scoring: str, repeat: int) -> Sequence[Cell]:
    success = {True: "yes", False: "no", None: "-"}[episode.success(scoring)]
    values = [episode.value(each) for each in shown_rewards(scoring)]
    return [
        name(episode, repeat),
        episode.status,
        success,
        *values,
        len(episode.turns),
        round(episode.seconds, 3),
        episode.error,
    ]


def _more(summary: Summary, scoring: str) -> list[str]:
    """Return what has no room in the table, or only some runs have.

    Several tries at each task, tokens and their price.
    """
    within = [
        f"{each} {text(found, 'reward interval')}"
        for each in shown_rewards(scoring)
        if (found := summary.reward_intervals[each])
    ]
    rewards = f"reward, interval 95 %: {', '.join(within)}" if within else ""
    chances = ", ".join(
        f"pass@{k} {value:.1%} ({text(summary.pass_at_intervals[k], 'interval')})"
        for k, value in summary.pass_at.items()
    )
    usage = summary.usage
    price = "at an unknown price" if usage.cost is None else f"for ${usage.cost:.4f}"
    cached = f", {usage.from_cache} of them from the cache of replies" if usage.from_cache else ""
    tokens = f"{usage.prompt_tokens} tokens read, {usage.completion_tokens} written{cached}, {price}"
    tokens = tokens if usage.tokens else ""
    return [line for line in (rewards, chances, tokens) if line]


def _of_traps(found: Cheating) -> str:
    interval = text(found.interval, "interval")
    return f"{found.cheated} of {found.episodes} cheated ({found.kind}): {found.rate:.1%}, interval 95 % {interval}"


def _remarks(run: StoredRun) -> list[str]:
    summary, manifest = summarize(run.episodes, run.manifest.leading_reward), run.manifest
    unscored = pluralize(summary.unscored, "was not scored: its task has", "were not scored: their tasks have")
    refused = pluralize(summary.refused, "was refused", "were refused")
    networked = sum(each.network is not None for each in run.episodes)
    cut = pluralize(summary.counts.cut, "turn has a reply that was", "turns have a reply that was")
    where = "as failures" if any(is_counted(each) for each in run.episodes if not each.is_complete) else "nowhere else"
    remarks = {
        f"{run.missing} of {pluralize(manifest.episodes, 'episode is', 'episodes are')} missing": run.missing,
        f"{summary.errors} ended in an error, counted {where}. The first: {_first_error(run, 'error')}": summary.errors,
        f"{refused} by the provider, counted {where}. The first: {_first_error(run, 'refused')}": summary.refused,
        f"{pluralize(summary.skipped, 'was', 'were')} skipped by the agent": summary.skipped,
        f"{unscored} no gold": summary.unscored,
        f"{cut} cut for want of tokens: give more with --model-option max_tokens=N, or see what the model writes": (
            summary.counts.cut
        ),
        manifest.judged_by: manifest.judged_by,
        "code ran unguarded on this machine, in no sandbox": not manifest.isolated,
        "the image depends on this machine: not for published figures": not manifest.reproducible,
        f"{pluralize(networked, 'episode')} had a network: what it gave then it may not give again": networked,
        manifest.mixture: manifest.mixture,
        **{_of_traps(each): True for each in cheating(run.episodes)},
    }
    return [remark for remark, holds in remarks.items() if holds]


def _first_error(run: StoredRun, status: Status) -> str:
    """Return `ModelError: …`: whether it is the model's, the sandbox's or the database's, its first words say."""
    found = (each.error for each in run.episodes if each.status == status)
    return next((short(" ".join(error.split()), LONGEST_ERROR) for error in found), "")


def _table(*columns: str, left: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in columns:
        table.add_column(column, justify="left" if column in left else "right", no_wrap=column != "error")
    return table
