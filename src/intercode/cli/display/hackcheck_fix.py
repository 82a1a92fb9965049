"""What `intercode hackcheck --fix` wrote, for a terminal: which holes it closes, and which it cannot."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console

from intercode.audit.hackcheck.fix.mend import Fix


def show(console: Console, found: Fix) -> None:
    """Print what was written, and what the holes earn now."""
    for line in lines(found):
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def lines(found: Fix) -> Iterator[str]:
    """Yield the lines that say it."""
    yield ""
    written = [each for each in found.files if each.written is not None]
    yield f"hardened: {len(written)} of {len(found.files)} files that grade; the golds still earn 1"
    for each in found.files:
        if each.written is None:
            yield f"  {each.file}: nothing that is mechanical helps here"
            continue
        yield f"  {each.written}"
        yield from (f"    {change}" for change in each.changes)
    for hole in found.holes:
        state = "closed" if hole.is_closed else "still open"
        yield f"  {hole.task}: {hole.kind.name}: earned {hole.before:.2f}, now {hole.after:.2f}: {state}"
    if left := list(dict.fromkeys(hole.kind for hole in found.holes if not hole.is_closed)):
        yield "what nobody can write for you:"
        yield from (f"  {kind.name}: {kind.remedy}" for kind in left)
