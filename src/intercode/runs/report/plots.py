"""Plots of runs beside each other, as PNG and SVG. Needs matplotlib (`pip install intercode-env[plots]`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from intercode.runs.report.report import Report

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999")
"""Okabe and Ito's, which the colour-blind tell apart too."""

SIZE = (7.0, 4.2)
"""Inches."""

DOTS = 150
"""Per inch, in PNG."""

BINS = 20
"""Bars of the histogram, from a reward of 0 to one of 1."""

ALL_TICKS = 12
"""Turns up to which each has its tick."""


def write(folder: Path, reports: Sequence[Report]) -> list[Path]:
    """Every plot that *reports* have figures for, in *folder*. Returns the files, each plot as PNG and as SVG."""
    plots: dict[str, Callable[[Axes, Sequence[Report]], None]] = {"success-by-turn": by_turn, "rewards": rewards}
    if any(each.summary.usage.cost for each in reports):
        plots["cost-and-success"] = cost
    written: list[Path] = []
    with rc_context({"text.parse_math": False}):  # a run's name is no formula, whatever is between its dollars
        for name, draw in plots.items():
            written += _draw(folder / name, draw, reports)
    return written


def _draw(path: Path, draw: Callable[[Axes, Sequence[Report]], None], reports: Sequence[Report]) -> list[Path]:
    """One plot, as PNG and as SVG."""
    figure = Figure(figsize=SIZE, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.25)
    draw(axes, reports)
    files = [path.with_name(f"{path.name}.{ending}") for ending in ("png", "svg")]
    for file in files:
        figure.savefig(file, dpi=DOTS, metadata={"Date": None} if file.suffix == ".svg" else None)
    return files


def by_turn(axes: Axes, reports: Sequence[Report]) -> None:
    """The share of episodes that had succeeded by each turn, with the 95 % interval as a band.

    All runs are drawn up to the longest one's last turn: what has ended stays as it is, which a dotted line says.
    """
    last = max((each.by_turn[-1].turn for each in reports if each.by_turn), default=1)
    for colour, each in zip(_colours(reports), reports, strict=True):
        turns = [at.turn for at in each.by_turn]
        rates = [at.rate for at in each.by_turn]
        lows, highs = [at.interval.low for at in each.by_turn], [at.interval.high for at in each.by_turn]
        axes.plot(turns, rates, color=colour, marker="o", markersize=4, label=_label(each))
        if turns and turns[-1] < last:
            axes.plot([turns[-1], last], [rates[-1]] * 2, color=colour, linestyle=":")
            turns, lows, highs = [*turns, last], [*lows, lows[-1]], [*highs, highs[-1]]
        axes.fill_between(turns, lows, highs, color=colour, alpha=0.15, linewidth=0)
        if last == 1:  # a band has no width there
            axes.vlines(turns, lows, highs, color=colour, alpha=0.5)
    axes.set(xlabel="turn", ylabel="success by then", ylim=(0, 1), title="Success by turn, 95 % intervals")
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.xaxis.set_major_locator(MaxNLocator(nbins=ALL_TICKS, integer=True, min_n_ticks=1))
    _legend(axes, reports)


def rewards(axes: Axes, reports: Sequence[Report]) -> None:
    """How many episodes ended with which reward, as shares of each run; the mean dashed in its 95 % interval."""
    values = [
        [value for episode in each.run.episodes if (value := episode.value(each.scoring)) is not None]
        for each in reports
    ]
    shares = [[1 / len(each) if each else 0.0] * len(each) for each in values]
    names = [_label(each) for each in reports]
    low = min([0.0, *(min(each) for each in values if each)])
    axes.hist(values, bins=BINS, range=(low, 1.0), weights=shares, color=_colours(reports), label=names)
    for colour, each in zip(_colours(reports), reports, strict=True):
        mean, interval = each.summary.rewards[each.scoring], each.summary.reward_intervals[each.scoring]
        if mean is not None and interval is not None:
            axes.axvline(mean, color=colour, linestyle="--")
            axes.axvspan(interval.low, interval.high, color=colour, alpha=0.15, linewidth=0, zorder=0)
    scorings = " and ".join(sorted({each.scoring for each in reports}))
    axes.set(xlabel=f"final reward, {scorings} scoring", ylabel="share of judged episodes")
    axes.set(title="Rewards, their means with 95 % intervals")
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    _legend(axes, reports)


def cost(axes: Axes, reports: Sequence[Report]) -> None:
    """What an episode costs in the mean, against the success rate with its 95 % interval."""
    for colour, each in zip(_colours(reports), reports, strict=True):
        summary = each.summary
        if summary.rate is None or not summary.usage.cost:
            continue
        around = [[summary.rate - summary.low], [summary.high - summary.rate]]
        dollars = summary.usage.cost / summary.episodes
        axes.errorbar([dollars], [summary.rate], yerr=around, color=colour, fmt="o", capsize=4, label=_label(each))
    axes.set(xlabel="cost of an episode, US dollars", ylabel="success", ylim=(0, 1), title="Cost and success")
    axes.set_xlim(0, 1.25 * max((each.summary.usage.cost or 0) / each.summary.episodes for each in reports))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    _legend(axes, reports)


def _colours(reports: Sequence[Report]) -> list[str]:
    return [COLOURS[place % len(COLOURS)] for place in range(len(reports))]


def _label(report: Report) -> str:
    """Its run's name, without what no font has."""
    return "".join(letter if letter.isprintable() else "?" for letter in report.name)


def _legend(axes: Axes, reports: Sequence[Report]) -> None:
    if len(reports) > 1:
        axes.legend(frameon=False)
