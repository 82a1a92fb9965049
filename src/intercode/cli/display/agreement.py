"""How far a replay agrees with what was recorded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import ndiff
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from intercode.audit.replay.certificate import ReplayCertificate
from intercode.audit.replay.comparison import (
    Agreement,
    ComparedEpisode,
    ComparedTurn,
    Comparison,
    Pair,
    Share,
    agreement,
    differing,
)
from intercode.cli.display import tables
from intercode.cli.display.console import escape_control_characters
from intercode.report.table import Column
from intercode.report.table import Table as Sheet
from intercode_sandbox.util.text import pluralize

LINES = 12
"""Lines of a difference that are shown."""

LEFT_OUT = {"failed": "left out, ended by an error", "missing": "left out, not played yet"}
"""What a certificate says nothing about."""

WIDTH = 200
"""Characters of such a line."""


def to_json(compared: Sequence[Comparison], differences: int) -> dict[str, Any]:
    """Everything for machines: totals, each file's figures, and its first differences."""
    return {
        "total": agreement(episode for each in compared for episode in each.episodes).to_json(),
        "stable": None if (stable := _stable(compared)) is None else stable.to_json(),
        "files": [_file(each, differences) for each in compared],
    }


def show(console: Console, compared: Sequence[Comparison], differences: int) -> None:
    """A table with a line for each file, what is odd about some, and their first differences."""
    tables.draw(console, [sheet(compared)])
    for each in compared:
        if each.remarks:
            console.print(Text(escape_control_characters(f"{each.path.name}: {each.remarks}"), style="yellow"))
        for episode in each.episodes:
            if episode.error:
                console.print(
                    Text(f"{each.path.name}: {episode.task}: {escape_control_characters(episode.error)}", style="red")
                )
            for line in _describe_differences(episode.differing):
                console.print(Text(f"{each.path.name}: {episode.task}: {line}", style="red"))
    for each in compared:
        if each.differences and differences:
            _show_differences(console, each, differences)


def verdict(certificate: ReplayCertificate) -> Text:
    """Return one line: whether it holds, of how many steps, and where it is."""
    counts = ", ".join(f"{count} {kind}" for kind, count in certificate.steps.items() if count)
    word, style = ("certified", "green") if certificate.holds else ("not certified", "red")
    text = Text.assemble((word, style), f": {counts or 'no finished episode'} ({certificate.path})")
    if not certificate.holds and not certificate.steps["differs"] and certificate.data["note"]:
        text.append(escape_control_characters(f"; {certificate.data['note']}"), style="yellow")
    for kind, count in certificate.left_out.items():
        if count:
            text.append(f"; {pluralize(count, 'episode')} {LEFT_OUT[kind]}", style="yellow")
    return text


def sheet(compared: Sequence[Comparison]) -> Sheet:
    """Return a line for each file and one for all; columns that no file has anything for are left out."""
    lines = [(_name(each), each.agreement, each.on_stable_tasks) for each in compared]
    if len(compared) > 1:
        everything = agreement(episode for each in compared for episode in each.episodes)
        lines.append(("all", everything, _stable(compared)))
    with_stable, with_states = any(line[2] for line in lines), any(line[1].states.of for line in lines)
    names = ["rewards agree", "where judged", "observed the same", "where run"]
    names += ["rewards, stable"] * with_stable + ["same states"] * with_states + ["success then", "success now"]
    rows = []
    for name, whole, stable in lines:
        shares = [whole.rewards, whole.judged, whole.observations, whole.executed]
        shares += [stable.rewards if stable else Share(0, 0)] * with_stable + [whole.states] * with_states
        shares += [whole.success.then, whole.success.now]
        rows.append((name, whole.turns, *(each.agreeing / each.of if each.of else None for each in shares)))
    columns = (Column("file"), Column("turns", "count"), *(Column(name, "share") for name in names))
    return Sheet("agreement", columns, tuple(rows))


def _name(each: Comparison) -> str:
    """Return the file's name without its endings, what it is, and how many episodes of it were played."""
    return f"{each.path.name.partition('.json')[0]} {each.kind}, {pluralize(len(each.episodes), 'episode')}"


def _stable(compared: Sequence[Comparison]) -> Agreement | None:
    """Of all episodes on tasks that their own file's list calls stable."""
    if not any(each.stable for each in compared):
        return None
    return agreement(episode for each in compared for episode in each.episodes if episode.task in each.stable)


def _file(each: Comparison, differences: int) -> dict[str, Any]:
    stable = each.on_stable_tasks
    return {
        "file": str(each.path),
        "kind": each.kind,
        "note": each.remarks,
        **each.agreement.to_json(),
        "stable": None if stable is None else stable.to_json(),
        "errors_in": {episode.task: episode.error for episode in each.episodes if episode.error},
        "differing_in": {
            episode.task: lines for episode in each.episodes if (lines := _describe_differences(episode.differing))
        },
        "differences": [
            {"task": episode.task, "repeat": episode.repeat, **turn.to_json()}
            for episode, turn in each.differences[:differences]
        ],
    }


def _show_differences(console: Console, each: Comparison, differences: int) -> None:
    console.print(
        Text(
            f"\n{each.path.name}: {pluralize(len(each.differences), 'episode differs', 'episodes differ')}, the first:",
            style="bold",
        )
    )
    for episode, turn in each.differences[:differences]:
        _show_turn(console, episode, turn)


def _show_turn(console: Console, episode: ComparedEpisode, turn: ComparedTurn) -> None:
    action = escape_control_characters(turn.action).replace("\n", " ")
    console.print(Text.assemble((f"{episode.task} turn {turn.number}  ", "cyan"), action[:WIDTH]))
    lines = [f"{scoring} reward {pair.then:.2f} then, {pair.now:.2f} now" for scoring, pair in turn.rewards.items()]
    if turn.reward_agrees is False:
        console.print(Padding(Text("\n".join(lines), style="yellow"), (0, 0, 0, 2), expand=False))
    if turn.observation_agrees is False and turn.observation is not None:
        console.print(Padding(_difference(turn.observation), (0, 0, 0, 2), expand=False))
    if turn.state_agrees is False:
        console.print(Padding(Text("another state", style="yellow"), (0, 0, 0, 2), expand=False))
    if differences := _describe_differences(differing(turn.others)):
        console.print(Padding(Text("\n".join(differences), style="yellow"), (0, 0, 0, 2), expand=False))


def _describe_differences(pairs: Mapping[str, Pair[Any]]) -> list[str]:
    """Return what else is not as it was, a line each."""
    return [
        escape_control_characters(f"{name}: {pair.then} then, {pair.now} now").replace("\n", " ")[:WIDTH]
        for name, pair in pairs.items()
    ]


def _difference(pair: Pair[str]) -> Text:
    """Return the lines that only one side has: - then, + now."""
    lines = [line for line in ndiff(sorted(_lines(pair.then)), sorted(_lines(pair.now))) if line[0] in "-+"]
    styles = {"-": "red", "+": "green"}
    shown: Iterable[Text] = (
        Text(escape_control_characters(line)[:WIDTH], style=styles[line[0]]) for line in lines[:LINES]
    )
    rest = [Text(f"… and {len(lines) - LINES} more lines", style="dim")] if len(lines) > LINES else []
    return Text("\n").join([*shown, *rest])


def _lines(text: str) -> list[str]:
    return text.split("\n")
