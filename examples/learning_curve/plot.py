"""`python -m examples.learning_curve.plot FILE FOLDER`: draw stored curves, for light and for dark pages."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from examples.learning_curve.results import arms, episodes, intervals, success
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

LABELS = {
    "start": "supervised",
    "exact": "reward: exact",
    "progress": "reward: exact, progress at each step",
    "paper": "reward: paper",
    "random": "reward: random",
    "frozen": "frozen",
    "demonstrations": "supervised on demonstrations",
}
COLOURS = dict(zip(LABELS, ("#56b4e9", "#0072b2", "#009e73", "#d55e00", "#cc79a7", "#999999", "#e69f00"), strict=True))
"""Okabe and Ito's, which the colour-blind tell apart too."""

ON_DARK = {"exact": "#56b4e9"}
"""In place of what a dark page swallows."""

START = "start"
"""The arm before all others, which is drawn by itself."""

TITLES = {
    "train": "training tasks",
    "test-parameters": "unseen parameters",
    "test-phrasings": "unseen phrasings",
    "test-families": "unseen families",
}
THEMES = {"light": ("#1f2328", "#ffffff"), "dark": ("#e6edf3", "#0d1117")}
"""The colour of lines and text, and of the ground."""


def draw(found: Mapping[str, Any], file: Path, theme: str, shown: Sequence[str]) -> None:
    """Draw the arms that are *shown*, a panel for each set of tasks on which one of them ever succeeds."""
    ink, ground = THEMES[theme]
    splits = [split for split in found["plan"]["splits"] if any(success(found, arm, split).any() for arm in shown)]
    names = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    style: Any = {**dict.fromkeys(names, ink), **dict.fromkeys(("axes.facecolor", "figure.facecolor"), ground)}
    with rc_context({**style, "svg.hashsalt": "learning-curve", "svg.fonttype": "path", "font.size": 11}):
        figure = Figure(figsize=(9.3, 3.8), layout="constrained")
        FigureCanvasAgg(figure)
        panels = figure.subplots(1, max(1, len(splits)), sharey=True, squeeze=False)[0]
        for axes, split in zip(panels, splits, strict=False):
            _panel(axes, found, split, COLOURS if theme == "light" else COLOURS | ON_DARK, shown)
        panels[0].set_ylabel("success under exact, greedy")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=min(3, len(labels)), frameon=False)
        figure.savefig(file, metadata={"Date": None})


def _panel(axes: Axes, found: Mapping[str, Any], split: str, colours: Mapping[str, str], shown: Sequence[str]) -> None:
    for arm in shown:
        seen = episodes(found, arm)
        mean, low, high = intervals(success(found, arm, split))
        axes.plot(seen, mean, color=colours[arm], label=LABELS[arm], linewidth=1.8)
        axes.fill_between(seen, low, high, color=colours[arm], alpha=0.15, linewidth=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.25)
    axes.set(title=TITLES.get(split, split), xlabel="golds" if shown == [START] else "training episodes", ylim=(0, 1))
    axes.xaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))


def main() -> None:
    """See `--help`."""
    parser = argparse.ArgumentParser(prog="examples.learning_curve.plot", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("folder", type=Path)
    chosen = parser.parse_args()
    found = json.loads(chosen.file.read_text())
    for theme in THEMES:
        for kind, shown in (("-start", [START]), ("", [arm for arm in arms(found) if arm != START])):
            if set(shown) & set(arms(found)):
                path = chosen.folder / f"{chosen.file.stem}{kind}-{theme}.svg"
                draw(found, path, theme, shown)
                print(path)


if __name__ == "__main__":
    main()
