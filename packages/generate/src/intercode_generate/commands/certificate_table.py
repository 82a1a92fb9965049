"""A certificate for people: how many tasks are certified, and what is wrong with the others."""

from __future__ import annotations

from rich.console import Console

from intercode.cli.display import gold_warnings
from intercode_generate.certify.verdict import Certificate, summary
from intercode_sandbox.util.text import pluralize


def show(out: Console, found: Certificate) -> None:
    """Print the counts, and the reasons with their first tasks."""
    total, good = len(found.verdicts), len(found.certified)
    rate = total / found.seconds if found.seconds else 0.0
    out.print(f"{good} of {pluralize(total, 'task')} certified ({found.share:.1%}), {rate:.1f} tasks a second")
    for kind, count in summary(found):
        out.print(f"  not certified, {kind}: {count}, such as {found.rejected[kind][0]}")
    played = found.to_json()["checks"]
    out.print(
        f"played: {pluralize(played['second_golds'], 'second gold')}, {played['near_misses']} near misses, "
        f"{pluralize(played['mutants'], 'mutant')}, {pluralize(played['adversary_episodes'], 'adversary episode')}"
    )
    warnings = (warning for each in found.verdicts for warning in each.warnings)
    gold_warnings.show(out, warnings, "the certificate")
