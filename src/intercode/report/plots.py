"""Plots of runs beside each other, as PNG and SVG. Needs matplotlib (`pip install intercode-env[plots]`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

from matplotlib import rc_context, rcParams
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from intercode.report.report import Report

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999")
"""Okabe and Ito's, which the colour-blind tell apart too."""

MARKERS = ("o", "s", "^", "D")
"""By which runs are told apart whose colours are alike."""

DARK = {
    **dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), "#14171a"),
    **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), "#e6e6e6"),
}
"""Colours for dark pages."""

THEMES: dict[str, dict[Any, Any]] = {"": {}, "-dark": DARK}
"""What the names of files end in, and the settings of their plots."""

LINE = 0.3
"""Inches of a line in the plot of success."""

SIZE = (7.0, 4.2)
"""Inches."""

DOTS = 150
"""Per inch, in PNG."""

BINS = 20
"""Bars of the histogram, from a reward of 0 to one of 1."""

ALL_TICKS = 12
"""Turns up to which each has its tick."""


def write(folder: Path, reports: Sequence[Report]) -> list[Path]:
    """Return every plot that *reports* have figures for, in *folder*.

    Returns the files, each plot as PNG and as SVG, for light pages and for dark ones.
    """
    plots: dict[str, Callable[[Figure, Sequence[Report]], None]] = {
        "success": _draw_success,
        "success-by-turn": _draw_turns,
        "rewards": _draw_rewards,
    }
    if any(each.summary.usage.cost for each in reports):
        plots["cost-and-success"] = _draw_cost
    written: list[Path] = []
    for ending, theme in THEMES.items():
        with rc_context({"text.parse_math": False, **theme}):  # a run's name is no formula, whatever is in it
            for name, draw in plots.items():
                figure = Figure(figsize=SIZE, layout="constrained")
                FigureCanvasAgg(figure)
                draw(figure, reports)
                written += _save(figure, folder / f"{name}{ending}")
    return written


def _save(figure: Figure, path: Path) -> list[Path]:
    files = [path.with_name(f"{path.name}.{ending}") for ending in ("png", "svg")]
    for file in files:
        figure.savefig(file, dpi=DOTS, metadata={"Date": None} if file.suffix == ".svg" else None)
    return files


def _draw_success(figure: Figure, reports: Sequence[Report]) -> None:
    """Draw a forest plot: the success rate of each run in its interval, a panel for each data set."""
    groups = _by_dataset(reports)
    lines = [len(each) for each in groups.values()]
    figure.set_size_inches(SIZE[0], 1.2 + LINE * (sum(lines) + 1.5 * len(lines)))
    panels = figure.subplots(len(groups), 1, sharex=True, squeeze=False, height_ratios=[count + 0.5 for count in lines])
    for axes, (dataset, group) in zip(panels[:, 0], groups.items(), strict=True):
        _style(axes, grid="x")
        forest(axes, group)
        axes.set_title(_printable(dataset), loc="left", fontsize="medium")
    scorings = " and ".join(sorted({each.scoring for each in reports}))
    hollow = "; hollow: baselines" if any(each.baseline for each in reports) else ""
    figure.supxlabel(f"success, {scorings} scoring, 95 % intervals{hollow}", fontsize="medium")


def forest(axes: Axes, reports: Sequence[Report]) -> None:
    """A line for each run: its success rate, and where the true one lies. Baselines are hollow."""
    for place, each in enumerate(reports):
        summary = each.summary
        if summary.rate is None:
            continue
        around = [[summary.rate - summary.low], [summary.high - summary.rate]]
        color = rcParams["text.color"]
        inside = "none" if each.baseline else color
        axes.errorbar([summary.rate], [place], xerr=around, fmt="o", color=color, mfc=inside, capsize=3)
    axes.set(xlim=(-0.02, 1.02), ylim=(len(reports) - 0.5, -0.5))
    axes.set_yticks(range(len(reports)), [_label(each) for each in reports])
    axes.xaxis.set_major_formatter(PercentFormatter(1.0))


def _draw_turns(figure: Figure, reports: Sequence[Report]) -> None:
    """Draw success by turn, a panel for each data set."""
    groups = _by_dataset(reports)
    names = (each.name for group in groups.values() for each in group)  # so that those of a panel differ most
    styles = dict(zip(names, _styles(len(reports)), strict=True))
    for axes, (dataset, group) in zip(_grid(figure, len(groups)), groups.items(), strict=True):
        by_turn(axes, group, [styles[each.name] for each in group])
        axes.set_title(_printable(dataset), fontsize="medium")
        axes.label_outer()
    _legend(figure)


def _draw_rewards(figure: Figure, reports: Sequence[Report]) -> None:
    """Draw how rewards are spread, a panel for each run."""
    for axes, each in zip(_grid(figure, len(reports)), reports, strict=True):
        rewards(axes, [each])
        axes.set_title(_label(each), fontsize="medium")
        axes.label_outer()


def _draw_cost(figure: Figure, reports: Sequence[Report]) -> None:
    (axes,) = _grid(figure, 1)
    cost(axes, reports)
    _legend(figure)


def _grid(figure: Figure, count: int) -> list[Axes]:
    """Return *count* panels of equal size, at most three beside each other, that share their axes."""
    columns = min(count, 3)
    rows = -(-count // columns)
    figure.set_size_inches(SIZE[0] * (1 + 0.35 * (columns - 1)), SIZE[1] * (1 + 0.55 * (rows - 1)))
    panels = list(figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).flat)
    for axes in panels[:count]:
        _style(axes, grid="y")
    for axes in panels[count:]:
        axes.set_visible(False)
    return panels[:count]


def _style(axes: Axes, *, grid: Literal["x", "y"]) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis=grid, alpha=0.25)


def _by_dataset(reports: Sequence[Report]) -> dict[str, list[Report]]:
    """Return *reports* by the data set that was played, baselines last."""
    found: dict[str, list[Report]] = {}
    for each in sorted(reports, key=lambda each: bool(each.baseline)):
        found.setdefault(each.dataset, []).append(each)
    return found


def by_turn(axes: Axes, reports: Sequence[Report], styles: Sequence[tuple[str, str]] = ()) -> None:
    """The share of episodes that had succeeded by each turn, with the 95 % interval as a band.

    All runs are drawn up to the longest one's last turn: what has ended stays as it is, which a dotted line says.
    """
    last = max((each.by_turn[-1].turn for each in reports if each.by_turn), default=1)
    for (colour, marker), each in zip(styles or _styles(len(reports)), reports, strict=True):
        turns = [at.turn for at in each.by_turn]
        rates = [at.rate for at in each.by_turn]
        lows, highs = [at.interval.low for at in each.by_turn], [at.interval.high for at in each.by_turn]
        axes.plot(turns, rates, color=colour, marker=marker, markersize=4, label=_label(each))
        if turns and turns[-1] < last:
            axes.plot([turns[-1], last], [rates[-1]] * 2, color=colour, linestyle=":")
            turns, lows, highs = [*turns, last], [*lows, lows[-1]], [*highs, highs[-1]]
        axes.fill_between(turns, lows, highs, color=colour, alpha=0.4 / (2 + len(reports)), linewidth=0)
        if last == 1:  # a band has no width there
            axes.vlines(turns, lows, highs, color=colour, alpha=0.5)
    axes.set(xlabel="turn", ylabel="success by then", ylim=(0, 1))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.xaxis.set_major_locator(MaxNLocator(nbins=ALL_TICKS, integer=True, min_n_ticks=1))


def rewards(axes: Axes, reports: Sequence[Report]) -> None:
    """Draw how many episodes ended with which reward, as shares of each run, and the mean in its 95 % interval."""
    values = [
        [value for episode in each.run.episodes if (value := episode.value(each.scoring)) is not None]
        for each in reports
    ]
    shares = [[1 / len(each) if each else 0.0] * len(each) for each in values]
    names = [_label(each) for each in reports]
    low = min([0.0, *(min(each) for each in values if each)])
    axes.hist(
        values,
        bins=BINS,
        range=(low, 1.0),
        weights=shares,
        color=[colour for colour, _ in _styles(len(reports))],
        label=names,
    )
    for (colour, _), each in zip(_styles(len(reports)), reports, strict=True):
        mean, interval = each.summary.rewards[each.scoring], each.summary.reward_intervals[each.scoring]
        if mean is not None and interval is not None:
            axes.axvline(mean, color=colour, linestyle="--")
            axes.axvspan(interval.low, interval.high, color=colour, alpha=0.15, linewidth=0, zorder=0)
    scorings = " and ".join(sorted({each.scoring for each in reports}))
    axes.set(xlabel=f"final reward, {scorings} scoring", ylabel="share of judged episodes")
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))


def cost(axes: Axes, reports: Sequence[Report]) -> None:
    """Draw what an episode costs in the mean, against the success rate with its 95 % interval."""
    for (colour, marker), each in zip(_styles(len(reports)), reports, strict=True):
        summary = each.summary
        if summary.rate is None or not summary.usage.cost:
            continue
        around = [[summary.rate - summary.low], [summary.high - summary.rate]]
        dollars = summary.usage.cost / summary.episodes
        axes.errorbar([dollars], [summary.rate], yerr=around, color=colour, fmt=marker, capsize=4, label=_label(each))
    axes.set(xlabel="cost of an episode, US dollars", ylabel="success", ylim=(0, 1), title="Cost and success")
    axes.set_xlim(0, 1.25 * max((each.summary.usage.cost or 0) / each.summary.episodes for each in reports))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))


def _styles(runs: int) -> list[tuple[str, str]]:
    """Return a colour and a marker for each of so many *runs*; no two of 32 are alike."""
    colours = [rcParams["text.color"] if colour == "#000000" else colour for colour in COLOURS]
    count = len(colours)
    return [(colours[place % count], MARKERS[place // count % len(MARKERS)]) for place in range(runs)]


def _label(report: Report) -> str:
    """Its run's name, without what no font has; with a space before `_`, where Matplotlib would leave it out."""
    label = _printable(report.name)
    return f" {label}" if label.startswith("_") else label


def _printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def _legend(figure: Figure) -> None:
    """Name all runs beside the panels, where no figure is covered."""
    found = {
        label: handle for axes in figure.axes for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    if len(found) > 1:
        figure.legend(list(found.values()), list(found), loc="outside right upper", frameon=False, fontsize="small")
