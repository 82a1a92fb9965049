"""`python -m benchmarks.growth`: time every size, write the figures, and draw them for light and for dark pages."""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.growth import slopes
from benchmarks.growth.axes import AXES, Axis
from benchmarks.growth.plot import draw_all
from benchmarks.timing import summary
from intercode_sandbox.embedded import EmbeddedSandbox

CACHE = "INTERCODE_CACHE"
HERE = Path(__file__).parent
console = Console(width=120)


def main() -> None:
    """See `--help`."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("--only", choices=AXES, action="append", help="leaves the stored figures of others as they are")
    parser.add_argument("--largest", type=int, default=10**9, help="leaves out larger sizes")
    parser.add_argument("--rounds", type=int, default=20, help="times that each size is timed")
    parser.add_argument("--seed", type=int, default=0, help="of the order of sizes")
    parser.add_argument("--out", type=Path, default=HERE / "figures.json")
    parser.add_argument("--pictures", type=Path, help="the folder to draw into, such as docs/pictures")
    chosen = parser.parse_args()
    found = json.loads(chosen.out.read_text()) if chosen.only and chosen.out.exists() else {}
    for name in chosen.only or AXES:
        sizes = [size for size in AXES[name].sizes if size <= chosen.largest]
        with own_cache():
            found[name] = measured(replace(AXES[name], sizes=sizes), chosen.rounds, chosen.seed)
        chosen.out.write_text(json.dumps(found, indent=1) + "\n")
    show(found)
    if chosen.pictures is not None:
        draw_all(found, chosen.pictures)


@contextmanager
def own_cache() -> Iterator[None]:
    """Provide a cache of built images that is removed: nobody needs a million small files again."""
    before = os.environ.get(CACHE)
    with TemporaryDirectory(prefix="intercode-growth-") as folder:
        os.environ[CACHE] = folder
        try:
            yield
            with EmbeddedSandbox() as sandbox:
                sandbox.store.prune()  # only a sandbox can remove what its users own
        finally:
            del os.environ[CACHE]
            os.environ |= {CACHE: before} if before else {}


def measured(axis: Axis, rounds: int, seed: int) -> dict[str, Any]:
    """Return the figures of all sizes of *axis*, smallest first, though timed in an order of their own."""
    order = random.Random(seed).sample(list(axis.sizes), len(axis.sizes))
    points = {}
    with EmbeddedSandbox(progress=console.print, ahead=0) as sandbox:  # no work is hidden in a pause
        for size in order:
            samples = axis.measure(sandbox, size, rounds)
            points[size] = {part: summary(times) for part, times in samples.items()}
    return {
        "machine": {"kernel": platform.release(), "cores": os.cpu_count(), "load": os.getloadavg()[0]},
        "seed": seed,
        "points": [{"size": size, "parts": points[size]} for size in sorted(points)],
    }


def show(found: dict[str, Any]) -> None:
    """The least times at both ends, and slopes, beside what they may be."""
    table = Table("what grows", "part", "least ms at the smallest", "at the largest", "slope", "at the end", "may be")
    for name, figures in found.items():
        for part, points in slopes.curves(figures).items():
            ends = [f"{time:.3g} ({size:g})" for size, time in (points[0], points[-1])]
            may_be = "1" if part in AXES[name].linear else "0"
            table.add_row(name, part, *ends, f"{slopes.fit(points):.2f}", f"{slopes.last(points):.2f}", may_be)
    console.print(table)


if __name__ == "__main__":
    main()
