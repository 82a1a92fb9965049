"""Progress on a terminal: a bar with the time remaining, and a line for each episode in flight."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console, ConsoleOptions, RenderResult
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from intercode.cli.display.console import err, escape_control_characters
from intercode.cli.display.progress import ProgressCounter, RunningEpisode, clock
from intercode.cli.display.resizable_live import ResizableLive
from intercode.runs.episode_record import Key

REFRESH = 8
"""Drawings a second."""

GAP = 2
SHORTEST_BAR, LONGEST_BAR = 10, 30

AROUND = 9
"""Lines of the terminal that are not for episodes."""


class LiveProgress(ProgressCounter):
    """Draws until it is closed, and then leaves nothing behind."""

    def __init__(self, good: str = "succeeded") -> None:
        super().__init__(good)
        self._live = ResizableLive(self, console=err(), refresh_per_second=REFRESH)

    def on_start(self, total: int, finished: int, successes: int) -> None:
        super().on_start(total, finished, successes)
        self._live.start()

    def on_episode_end(self, episode: Key, success: bool | None, error: str) -> None:
        super().on_episode_end(episode, success, error)
        if error and self.is_news(episode, error):
            self.on_message(f"{episode[0]}: {error}")

    def on_message(self, message: str) -> None:
        self._live.console.print(Text(message, style="yellow"))

    def close(self) -> None:
        self._live.stop()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        columns = console.width - 1  # in the last one, terminals disagree on where the cursor is once they are resized
        with self.lock:
            flights = list(self.flights.values())
            yield from self._overall(columns)
            if self.kinds:
                yield Text(f"  {self.by_kind}", style="red")
            if waiting := self.waiting:
                yield Text(f"  {escape_control_characters(waiting)}", style="yellow")
        room = max(1, console.height - AROUND)
        width = max((len(flight.name) for flight in flights), default=0)
        width = min(width, columns // 3)
        yield from (_line(flight, width, columns) for flight in flights[:room])
        if len(flights) > room:
            yield Text(f"  … and {len(flights) - room} more", style="dim")

    def _overall(self, width: int) -> Iterator[Table | Text]:
        """Yield the bar with the counts, the clock beside them where there is room, and below them the figures."""
        time = f"elapsed {clock(self.seconds)}, remaining {clock(self.left)}"
        room = width - len(self.counts) - 3 * GAP
        beside = room - len(time) >= SHORTEST_BAR
        length = max(SHORTEST_BAR, min(LONGEST_BAR, room - len(time) if beside else room))
        grid = Table.grid(padding=(0, GAP))
        total = max(self.total, 1)
        bar = ProgressBar(total, self.finished, width=length, complete_style="cyan", finished_style="green")
        grid.add_row(bar, Text(self.counts, no_wrap=True), Text(time if beside else "", style="dim", no_wrap=True))
        yield grid
        for line in _wrap_parts(self.figures if beside else [time, *self.figures], width - GAP):
            yield Text(f"  {line}", style="dim", no_wrap=True)


def _wrap_parts(parts: Sequence[str], width: int) -> list[str]:
    """Return *parts* with commas between, in as few lines of that *width* as they need; none is broken."""
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + GAP + len(part) < width:
            lines[-1] = f"{lines[-1]}, {part}"
        else:
            lines.append(part)
    return lines


def _line(flight: RunningEpisode, width: int, room: int) -> Text:
    """Return what one worker does: its task, the turn, the phase, since when, and the last command."""
    name = flight.name if len(flight.name) <= width else f"…{flight.name[1 - width :]}"
    where = f"turn {flight.turn}" if flight.turn else ""
    line = Text.assemble(
        (f"  {name:<{width}}", "cyan"),
        f"  {where:<7} {flight.phase:<9}",
        (f"{flight.seconds:6.1f} s", "dim"),
        (f"  {escape_control_characters(flight.command)}", "dim"),
        no_wrap=True,
        overflow="ellipsis",
    )
    line.truncate(room, overflow="ellipsis")
    return line
