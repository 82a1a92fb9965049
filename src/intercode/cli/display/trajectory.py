"""One episode, turn by turn."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.syntax import Syntax
from rich.text import Text

from intercode import world_specs
from intercode.cli.display.console import escape_control_characters, short
from intercode.types import Observation, Scores, Trajectory, Turn
from intercode_sandbox.network.usage import NetworkUsage
from intercode_sandbox.util.text import pluralize

LINES = 40
"""Lines of an observation that are shown unless all are asked for."""

USUAL = {"stop", "tool_calls"}
"""Finish reasons that go without saying."""

LONGEST = 20_000
"""Characters of any text that are shown unless all are asked for."""


def show(console: Console, episode: Trajectory, *, whole: bool = False, raw: bool = False) -> None:
    """The task, every turn, and the judgement.

    *whole* shows long observations to their end, *raw* each reply of the model as it came.
    """
    most = sys.maxsize if whole else LONGEST
    console.print(Text(short(episode.task.id), style="bold"), Text(short(_about(episode)), style="dim"))
    console.print(Padding(Text(short(episode.task.query, most)), (0, 0, 0, 2), expand=False))
    before = Observation(episode.task.query)
    for number, turn in enumerate(episode.turns, 1):
        _show_turn(console, number, turn, episode.task.world, whole)
        if raw:
            _show_replies(console, turn, whole)
        answers = turn.action.kind == "submit" and turn.observation != before  # else it is the last one again
        if turn.action.kind in ("execute", "nothing") or answers:
            _show_observation(console, turn.observation, whole)
        before = turn.observation
    console.print(Rule(style="dim"))
    show_ending(console, episode)


def _show_turn(console: Console, number: int, turn: Turn, world: str, whole: bool) -> None:
    most = sys.maxsize if whole else LONGEST
    reasons = [call.reply.finish_reason for call in turn.calls if call.reply.finish_reason]
    told = f", finish reason {', '.join(map(short, reasons))}" if set(reasons) - USUAL else ""
    heading = Text(f"turn {number}, at {turn.started:.2f} s{told}", style="dim")
    console.print(Rule(heading, align="left", style="dim"))
    if turn.thought:
        console.print(Padding(Text(short(turn.thought, most), style="italic"), (0, 0, 0, 2), expand=False))
    if turn.action.kind == "execute":
        code = Syntax(
            short(turn.action.text, most),
            world_specs.find(world).language or "text",
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


def _show_replies(console: Console, turn: Turn, whole: bool) -> None:
    most = sys.maxsize if whole else LONGEST
    for call in turn.calls:
        reply = call.reply
        about = f"reply: {reply.finish_reason or 'no finish reason'}, {reply.usage.completion_tokens} tokens"
        console.print(Padding(Text(short(f"[{about}]"), style="yellow"), (0, 0, 0, 4), expand=False))
        calls = [f"{each.name}({each.arguments})" for each in reply.tool_calls]
        for text in filter(None, (reply.reasoning, reply.text, *calls)):
            console.print(Padding(Text(short(text, most)), (0, 0, 0, 4), expand=False))


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
    """Print what went wrong, if anything did, and both judgements with their parts and notes."""
    if episode.error:
        console.print(Text(f"error: {short(episode.error)}", style="red"))
    _show_scores(console, episode.scores or {})


def _show_scores(console: Console, scores: Scores) -> None:
    for scoring, score in scores.items():
        parts = ", ".join(f"{part} {value:.2f}" for part, value in score.parts.items())
        verdict = Text("success", style="green") if score.success else Text("no success", style="red")
        console.print(Text.assemble((f"{scoring:<6}", "bold"), f" {score.value:.2f}  ", verdict, (f"  {parts}", "dim")))
        for line in (line for note in score.notes for line in note.splitlines()):
            console.print(Padding(Text(short(line), style="dim"), (0, 0, 0, 8), expand=False))


def describe_network(used: NetworkUsage | None) -> str:
    """Return what an episode had of its network, in words; "" where it had none."""
    if used is None:
        return ""
    requests = f"{pluralize(used.requests, 'request')} by network ({used.refused} refused)"
    return f"{requests}, {used.sent:,} bytes sent, {used.received:,} received"


def _about(episode: Trajectory) -> str:
    words = [
        episode.task.difficulty,
        f"played by {episode.agent}",
        episode.status,
        f"{episode.seconds:.2f} s",
        episode.image,
        describe_network(episode.network),
    ]
    return ", ".join(filter(None, words))
