"""Stored figures as log-log plots, for light and for dark pages."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from examples.learning_curve.plot import THEMES
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from benchmarks.growth import slopes
from benchmarks.growth.axes import AXES

COLOURS = {"light": ("#0072b2", "#009e73", "#d55e00", "#cc79a7", "#999999")}
COLOURS["dark"] = ("#56b4e9", *COLOURS["light"][1:])
"""Okabe and Ito's, which the colour-blind tell apart too."""


def draw_all(found: Mapping[str, Any], folder: Path) -> None:
    """One picture for each theme, with a panel for each axis."""
    for theme in THEMES:
        path = folder / f"growth-{theme}.svg"
        draw(found, path, theme)
        print(path)


def draw(found: Mapping[str, Any], file: Path, theme: str) -> None:
    """All of *found* as one picture."""
    ink, ground = THEMES[theme]
    names = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    style: Any = {**dict.fromkeys(names, ink), **dict.fromkeys(("axes.facecolor", "figure.facecolor"), ground)}
    with rc_context({**style, "svg.hashsalt": "growth", "svg.fonttype": "path"}):
        figure = Figure(figsize=(11.4, 7.6), layout="constrained")
        FigureCanvasAgg(figure)
        panels = list(figure.subplots(2, 3).flat)
        for axes, (name, figures) in zip(panels, found.items(), strict=False):
            _panel(axes, name, figures, COLOURS[theme])
        for axes in panels[len(found) :]:
            axes.remove()
        figure.savefig(file, metadata={"Date": None})


def _panel(axes: Axes, name: str, figures: Mapping[str, Any], colours: tuple[str, ...]) -> None:
    curves = slopes.curves(figures)
    for colour, (part, points) in zip(colours, curves.items(), strict=False):
        label = f"{part}: {slopes.fit(points):.2f}, at the end {slopes.last(points):.2f}"
        axes.plot(*zip(*points, strict=True), color=colour, label=label, marker="o", markersize=3.5, linewidth=1.6)
    axes.set(title=AXES[name].title, xlabel=AXES[name].label, ylabel="ms", xscale="log", yscale="log")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
    axes.margins(y=0.7)
    axes.legend(frameon=False, fontsize=7.5, loc="upper left", title="slope", title_fontsize=7.5, alignment="left")
