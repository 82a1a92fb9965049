"""A report in one line, and as a badge: what was paid, how much was tried, and how many holes such a check finds."""

from __future__ import annotations

from html import escape

from intercode.audit.hackcheck.report import HackcheckReport

RECALL = "80 % (65 to 90)"
"""What was found of the last bank of planted holes that nobody had seen before (docs/hackcheck-measured.md)."""

COLOURS = {"sound": "#3c8d40", "paid": "#c03a2b"}
OTHER = "#8a6d1f"
LETTER = 6.2
"""Pixels that a letter takes."""


def text(report: HackcheckReport) -> str:
    """Return the words of the badge."""
    if report.outcome == "unchecked":
        return "nothing was checked"
    paid = sum(bool(check.paid(report.scoring)) for check in report.checks)
    return f"{paid} of {len(report.checks)} tasks paid, {len(report.adversaries)} adversaries, recall {RECALL}"


def to_svg(report: HackcheckReport) -> str:
    """Return the badge as a picture."""
    label, said = "hackcheck", text(report)
    left, right = 10 + LETTER * len(label), 10 + LETTER * len(said)
    colour = COLOURS.get(report.outcome, OTHER)
    width = left + right
    words = (
        f'<text x="{left / 2:.0f}" y="14">{label}</text><text x="{left + right / 2:.0f}" y="14">{escape(said)}</text>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="20" role="img">'
        f"<title>{label}: {escape(said)}</title>"
        f'<rect width="{width:.0f}" height="20" rx="3" fill="#444"/>'
        f'<rect x="{left:.0f}" width="{right:.0f}" height="20" rx="3" fill="{colour}"/>'
        f'<g fill="#fff" text-anchor="middle" font-family="Verdana,sans-serif" font-size="11">{words}</g></svg>\n'
    )
