"""What a kernel and a user cost: the embedded sandbox beside bare bash, as it is here and with sessions kept on disk.

Ratios to bare bash are what can be compared between machines and kernels; the rest of `make bench` says how fast it is.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks import embedded, timing
from benchmarks.bare_bash import BareBash
from benchmarks.embedded import Ours
from intercode_sandbox.embedded import EmbeddedSandbox, scratch

PARTS = ("reset", "echo", "command", "diff", "close", "episode")


def beside_bare_bash(console: Console, seconds: float) -> dict[str, Any]:
    """Figures by design and part, and for ours the ratios of their medians to those of bare bash."""
    with ExitStack() as stack:
        image = embedded.image(None)
        best = stack.enter_context(EmbeddedSandbox(progress=console.print))
        on_disk = stack.enter_context(EmbeddedSandbox(on_disk=True))
        designs: list[timing.Design] = [
            BareBash(),
            Ours(best, image, f"embedded, {scratch.upper()}"),
            Ours(on_disk, image, "embedded, on disk"),
        ]
        found = timing.interleave(designs, rounds=1000, seconds=seconds)
    floor = found[BareBash.name]
    table = Table("ms, median / minimum (ratio to bare bash)", *PARTS, title="upper layers")
    for name, parts in found.items():
        table.add_row(name, *(_cell(parts[part], floor[part]) for part in PARTS))
    console.print(table)
    return {"upper layers": found}


def _cell(figures: timing.Figures, floor: timing.Figures) -> str:
    ratio = figures["median"] / floor["median"]
    return f"{figures['median']:.2f} / {figures['minimum']:.2f} ({ratio:.2f})"
