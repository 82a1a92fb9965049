"""How a model's reply is read: which action it asks for, and what it thought before.

`default` reads what today's models write. `bare` also takes a reply without a fence for code as a whole, as models
write that are trained on code alone. `paper` is the published benchmark's reading, quirks included.
"""

from __future__ import annotations

from collections.abc import Callable

from intercode.agents.parsers import default, paper
from intercode.agents.parsers.parsed_reply import ParsedReply
from intercode.errors import UserError

PARSERS = ("default", "bare", "paper")

Parser = Callable[[str], ParsedReply]
"""A reply's text in, what it asks for out. Total: any text at all gives a `Parsed`."""


def choose(name: str, strategy: str, world: str) -> Parser:
    """Return the parser called *name* ("" is `default`) for *strategy* in *world*.

    Raises:
        UserError: If there is none.
    """
    if name not in ("", *PARSERS):
        raise UserError(f"no parser called {name!r}; there are: {', '.join(PARSERS)}")
    if name == "paper":
        return paper.choose(strategy, world)
    return default.choose(strategy, world, bare=name == "bare")
