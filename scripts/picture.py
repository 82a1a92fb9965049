"""Draw docs/pictures/run.svg: a real run of the starter tasks as a terminal shows it, half-way and at its end."""

from __future__ import annotations

import tempfile
from io import StringIO
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from intercode.cli.display import results
from intercode.cli.display.live import LiveProgress
from intercode.runs.job import prepare
from intercode.runs.runner import Runner
from intercode.runs.settings import Settings
from intercode.runs.store import Key, RunStore, read

PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "run.svg"

COMMAND = "intercode run --parallel 6 --agent scripted --agent-option script=starter_bash --image debian"

WIDTH = 104

FONT = "'Fira Code', 'DejaVu Sans Mono', Menlo, Consolas, monospace"
"""What the viewer has: rich's own template would fetch a font from the network."""


class Painter(LiveProgress):
    """The display of a run, drawn once when half of it is done."""

    def __init__(self, canvas: Console) -> None:
        super().__init__()
        self._canvas, self._drawn = canvas, False

    def on_start(self, *counts: Any) -> None:
        """As the counter has it, without a terminal."""
        super(LiveProgress, self).on_start(*counts)

    def on_step(self, episode: Key, turn: int) -> None:
        """Draw at a moment when every episode in flight has begun its turns."""
        super().on_step(episode, turn)
        busy = len(self.flights) > 4 and all(flight.turn for flight in self.flights.values())
        if not self._drawn and busy and self.finished * 2 > self.total:
            self._drawn = True
            self._canvas.print(self)


def main() -> None:
    """Play, draw, write."""
    canvas = Console(record=True, width=WIDTH, height=14, file=StringIO(), force_terminal=True, highlight=False)
    canvas.print(Text(f"$ {COMMAND}", style="bold"))
    settings = Settings(dataset="starter", agent="scripted", agent_options={"script": "starter_bash"}, image="debian")
    with tempfile.TemporaryDirectory() as folder, prepare(settings) as job:
        job.try_out()
        with RunStore.create(Path(folder, "run"), job.manifest) as store:
            Runner(job, store, 6, Painter(canvas)).run()
        canvas.print(Text("…", style="dim"))
        results.show(canvas, read(Path(folder, "run")))
    svg = canvas.export_svg(title="InterCode", unique_id="run")
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(_without_fetching(svg), encoding="utf-8")


def _without_fetching(svg: str) -> str:
    """The same picture with fonts of the machine that shows it."""
    begin, end = svg.index("@font-face"), svg.rindex("@font-face")
    last = svg.index("}", end) + 1
    return svg[:begin] + svg[last:].replace("Fira Code, monospace", FONT)


if __name__ == "__main__":
    main()
