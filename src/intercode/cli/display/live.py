"""Progress on a terminal: a bar with the time remaining, and a line for each episode in flight."""

from __future__ import annotations

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from intercode.cli.display.console import err
from intercode.cli.display.progress import ProgressCounter, RunningEpisode, clock
from intercode.runs.store import Key

REFRESH = 8
"""Drawings a second."""

BESIDE_BAR = 70
"""Characters that the counts and the clock take, beside the bar."""

AROUND = 5
"""Lines of the terminal that are not for episodes."""


class LiveProgress(ProgressCounter):
    """Draws until it is closed, and then leaves nothing behind."""

    def __init__(self, good: str = "succeeded") -> None:
        super().__init__(good)
        self._live = Live(self, console=err(), transient=True, refresh_per_second=REFRESH)

    def on_start(self, total: int, finished: int, successes: int) -> None:
        """See `Watcher.planned`."""
        super().on_start(total, finished, successes)
        self._live.start()

    def on_episode_end(self, episode: Key, success: bool | None, error: str) -> None:
        """See `Watcher.ended`."""
        super().on_episode_end(episode, success, error)
        if error and self.is_news(error):
            self.on_message(f"{episode[0]}: {error}")

    def on_message(self, message: str) -> None:
        """See `Watcher.said`."""
        self._live.console.print(Text(message, style="yellow"))

    def close(self) -> None:
        """See `Watcher.close`."""
        self._live.stop()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        with self.lock:
            flights = list(self.flights.values())
            yield self._overall(console.width)
            if self.kinds:
                yield Text(f"  {self.by_kind}", style="red")
        room = max(1, console.height - AROUND)
        width = max((len(flight.name) for flight in flights), default=0)
        yield from (_line(flight, width) for flight in flights[:room])
        if len(flights) > room:
            yield Text(f"  … and {len(flights) - room} more", style="dim")

    def _overall(self, width: int) -> Table:
        grid = Table.grid(padding=(0, 2))
        shown = max(10, min(30, width - BESIDE_BAR))
        bar = ProgressBar(total=max(self.total, 1), completed=self.finished, width=shown)
        grid.add_row(
            bar, Text(self.counts), Text(f"elapsed {clock(self.seconds)}, remaining {clock(self.left)}", style="dim")
        )
        return grid


def _line(flight: RunningEpisode, width: int) -> Text:
    where = f"turn {flight.turn}" if flight.turn else ""
    name, seconds = f"  {flight.name:<{width}}", f"{flight.seconds:6.1f} s"
    return Text.assemble((name, "cyan"), f"  {where:<7}", (seconds, "dim"), no_wrap=True)
