"""A report as one HTML file: no scripts, nothing from elsewhere, so that it opens from a mail."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape

from intercode.audit.hackcheck.report import HackcheckReport
from intercode.audit.hackcheck.summary import FIGURES, summarize
from intercode.audit.hackcheck.verdict import Hole, TaskCheck

STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "pre{background:#f4f4f4;padding:.6rem;white-space:pre-wrap;overflow-wrap:anywhere}"
    "td,th{text-align:left;padding:.1rem .8rem .1rem 0}.paid{color:#a32015}.sound{color:#22702a}"
    "@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}pre{background:#262626}"
    ".paid{color:#ff8a7a}.sound{color:#7fd387}}"
)

Replay = Callable[[str, Hole], str]
"""The command that plays a hole of a task again."""


def to_html(report: HackcheckReport, title: str, replay: Replay) -> str:
    """Return *report* as a page."""
    tone = "sound" if report.outcome == "sound" else "paid"
    lines = [
        '<!doctype html><html lang="en"><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>hackcheck: {escape(title)}</title><style>{STYLE}</style>",
        f'<h1>hackcheck: {escape(title)}</h1><p class="{tone}"><b>{escape(report.sentence)}</b></p>',
        *_holes(report, replay),
        *_tasks(report),
        *_adversaries(report),
        "</html>",
    ]
    return "\n".join(lines) + "\n"


def _holes(report: HackcheckReport, replay: Replay) -> Iterator[str]:
    for check in report.checks:
        for hole in check.holes:
            moves = "\n".join(map(str, hole.moves)) or "submit"
            known = "" if report.is_new(check.task, hole) else " (in the baseline)"
            yield f"<h2>{escape(check.task)}: {escape(hole.kind.name)}{known}</h2>"
            yield f"<p>{escape(hole.kind.mistake)}. {escape(hole.adversary)} earns {hole.value:.2f} for:</p>"
            yield f"<pre>{escape(moves)}</pre>"
            if hole.why:
                yield f"<p>Paid by <code>{escape(hole.why)}</code></p>"
            yield f"<p>Close it: {escape(hole.kind.remedy)}.</p>"
            yield f"<p>Again:</p><pre>{escape(replay(check.task, hole))}</pre>"


def _tasks(report: HackcheckReport) -> Iterator[str]:
    yield "<h2>Tasks</h2><table><tr><th>task<th>verdict<th>attempts</tr>"
    for check in report.checks:
        yield f"<tr><td>{escape(check.task)}<td>{escape(_verdict(report, check))}<td>{check.attempts}</tr>"
    yield "</table>"


def _verdict(report: HackcheckReport, check: TaskCheck) -> str:
    if check.error:
        return f"not judged: {check.error}"
    if paid := check.paid(report.scoring):
        return f"pays {len(paid)} adversaries"
    if not check.gold_is_right(report.scoring):
        return f"its gold does not earn 1 each time: {check.why_gold_is_wrong(report.scoring)}"
    if check.reward_failures:
        return "its reward raises"
    return "pays nobody who was tried" if check.is_judged else "nothing judges it"


def _adversaries(report: HackcheckReport) -> Iterator[str]:
    heads = "".join(f"<th>{name}" for name in FIGURES)
    yield f"<h2>Adversaries</h2><table><tr><th>adversary<th>what it does{heads}</tr>"
    for each in report.adversaries:
        found = summarize(each.name, report.checks, report.scoring)
        cells = "".join(f"<td>{getattr(found, name):.4g}" for name in FIGURES)
        yield f"<tr><td>{escape(each.name)}<td>{escape(each.about)}{cells}</tr>"
    yield "</table>"
