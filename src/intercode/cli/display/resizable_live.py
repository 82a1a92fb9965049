"""A live display that leaves nothing behind when its terminal is resized.

Rich moves the cursor up by as many lines as it wrote. A terminal that has become narrower has wrapped them since, so
that they take more lines than that.
"""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.control import Control
from rich.live import Live
from rich.live_render import LiveRender
from rich.segment import Segment


class ResizableLive(Live):
    """Draws *renderable* again and again in the same place of a terminal whose width may change."""

    def __init__(self, renderable: RenderableType, *, console: Console, refresh_per_second: float) -> None:
        super().__init__(renderable, console=console, transient=True, refresh_per_second=refresh_per_second)
        self._live_render = ReflowingRender(console, renderable)


class ReflowingRender(LiveRender):
    """Knows how many lines of the terminal its last drawing takes now."""

    def __init__(self, console: Console, renderable: RenderableType) -> None:
        super().__init__(renderable)
        self._console = console
        self._widths: list[int] = []

    def position_cursor(self) -> Control:
        self._measure()
        return super().position_cursor()

    def restore_cursor(self) -> Control:
        self._measure()
        return super().restore_cursor()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        drawn = list(super().__rich_console__(console, options))
        self._widths = _line_widths(piece for piece in drawn if isinstance(piece, Segment))
        yield from drawn

    def _measure(self) -> None:
        """Count the lines anew, each as many times as the terminal has wrapped it."""
        if self._shape is not None and self._widths:
            width = max(1, self._console.width)
            self._shape = (width, sum(max(1, -(-each // width)) for each in self._widths))


def _line_widths(drawn: Iterable[Segment]) -> list[int]:
    return [sum(piece.cell_length for piece in line) for line in Segment.split_lines(drawn)]
