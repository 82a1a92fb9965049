"""One episode, turn by turn."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.syntax import Syntax
from rich.text import Text

from intercode import worlds
from intercode.cli.display.console import escape_control_characters, short
from intercode.types import Observation, Scores, Trajectory, Turn

LINES = 40
"""Lines of an observation that are shown unless all are asked for."""

LONGEST = 20_000
"""Characters of any text that are shown unless all are asked for."""


def show(console: Console, episode: Trajectory, *, whole: bool = False) -> None:
    """The task, every turn, and the judgement; *whole* shows long observations to their end."""
    most = sys.maxsize if whole else LONGEST
    console.print(Text(short(episode.task.id), style="bold"), Text(short(_about(episode)), style="dim"))
    console.print(Padding(Text(short(episode.task.query, most)), (0, 0, 0, 2), expand=False))
    before = Observation(episode.task.query)
    for number, turn in enumerate(episode.turns, 1):
        _show_turn(console, number, turn, episode.task.world, whole)
        answers = turn.action.kind == "submit" and turn.observation != before  # else it is the last one again
        if turn.action.kind in ("execute", "nothing") or answers:
            _show_observation(console, turn.observation, whole)
        before = turn.observation
    console.print(Rule(style="dim"))
    show_ending(console, episode)


def _show_turn(console: Console, number: int, turn: Turn, world: str, whole: bool) -> None:
    most = sys.maxsize if whole else LONGEST
    console.print(Rule(Text(f"turn {number}, at {turn.started:.2f} s", style="dim"), align="left", style="dim"))
    if turn.thought:
        console.print(Padding(Text(short(turn.thought, most), style="italic"), (0, 0, 0, 2), expand=False))
    if turn.action.kind == "execute":
        code = Syntax(
            short(turn.action.text, most),
            worlds.find(world).language or "text",
            word_wrap=True,
            background_color="default",
        )
        console.print(Padding(code, (0, 0, 0, 2), expand=False))
    else:
        console.print(
            Padding(
                Text(short(str(turn.action) or "(no code)", most), style="bold magenta"), (0, 0, 0, 2), expand=False
            )
        )


def _show_observation(console: Console, observation: Observation, whole: bool) -> None:
    lines = escape_control_characters(observation.text).splitlines()
    shown = lines if whole else [short(line, LONGEST // LINES) for line in lines[:LINES]]
    console.print(Padding(Text("\n".join(shown)), (0, 0, 0, 4), expand=False))
    notes = [
        f"{len(lines) - len(shown)} more lines: --whole shows them" if len(shown) < len(lines) else "",
        *observation.notes("\n".join(shown)),
    ]
    if any(notes):
        console.print(Padding(Text(f"[{', '.join(filter(None, notes))}]", style="yellow"), (0, 0, 0, 4), expand=False))


def show_ending(console: Console, episode: Trajectory) -> None:
    """What went wrong, if anything did, and both judgements with their parts and notes, if there are any."""
    if episode.error:
        console.print(Text(f"error: {short(episode.error)}", style="red"))
    _show_scores(console, episode.scores or {})


def _show_scores(console: Console, scores: Scores) -> None:
    for scoring, score in scores.items():
        parts = ", ".join(f"{part} {value:.2f}" for part, value in score.parts.items())
        verdict = Text("success", style="green") if score.success else Text("no success", style="red")
        console.print(Text.assemble((f"{scoring:<6}", "bold"), f" {score.value:.2f}  ", verdict, (f"  {parts}", "dim")))
        for note in score.notes:
            console.print(Padding(Text(short(note), style="dim"), (0, 0, 0, 8), expand=False))


def _about(episode: Trajectory) -> str:
    words = [
        episode.task.difficulty,
        f"played by {episode.agent}",
        episode.status,
        f"{episode.seconds:.2f} s",
        episode.image,
    ]
    return ", ".join(filter(None, words))
