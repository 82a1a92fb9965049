"""`intercode errors`: see what goes wrong, turn by turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercode.cli.shared import options, reading
from intercode.cli.shared.program import program

if TYPE_CHECKING:
    from intercode.types import Scoring


def command(
    run: options.RunPath,
    scoring: options.ScoringName = None,
    form: options.Form = "table",
    json: options.Json = False,
) -> None:
    """See what goes wrong, turn by turn: errors, repetitions, exploring, recovery, and reward gained."""
    from intercode.cli.display import sheets
    from intercode.runs import commands
    from intercode.runs.report.actions import actions
    from intercode.runs.report.sheets_actions import sheets as laid_out

    options.one_of("--format", form, sheets.FORMATS)
    (found,) = reading.read([run])
    chosen: Scoring = options.scoring(scoring) or found.manifest.settings.scoring or "exact"
    made = actions(found.episodes, chosen)
    sheets.show(laid_out(made), form, {"run": str(found.path), "scoring": chosen, **made.to_json()}, json)
    if form == "table" and not json:
        worst = next(iter(made.examples.values()), "")
        print(
            f"\nlook at one: {commands.show(found.path, worst, program=program())}"
            if worst
            else "\nno action ended in an error"
        )
