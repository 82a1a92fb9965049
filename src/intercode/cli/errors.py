"""`intercode errors`: show what goes wrong in a run, turn by turn."""

from __future__ import annotations

from intercode.cli.shared import options, parsing, run_reader
from intercode.cli.shared.program_name import program_name


def command(
    run: options.RunPath,
    scoring: options.ScoringName = None,
    form: options.Form = "table",
    json: options.Json = False,
) -> None:
    """See what goes wrong, turn by turn: errors, repetitions, exploring, recovery, and reward gained."""
    from intercode.cli.display import tables
    from intercode.report.actions import actions
    from intercode.report.tables_actions import make_tables as laid_out
    from intercode.runs import cli_hints

    (found,) = run_reader.read([run])
    chosen: str = parsing.scoring(scoring) or found.manifest.leading_reward
    made = actions(found.episodes, chosen)
    tables.show(laid_out(made), form, {"run": str(found.path), "scoring": chosen, **made.to_json()}, json)
    if form == "table" and not json:
        worst = next(iter(made.examples.values()), "")
        print(
            f"\nlook at one: {cli_hints.show_command(found.path, worst, program=program_name())}"
            if worst
            else "\nno action ended in an error"
        )
