"""Views in the embedded SQLite: which of MySQL's clauses it has, and what a view is called."""

from __future__ import annotations

import re
from dataclasses import dataclass

from intercode.databases.dialect.tokenizer import meaningful, plain

VIEW = re.compile(
    r"create\s+(?P<replace>or\s+replace\s+)?(?:(?:algorithm|definer)\s*=\s*\S+\s+|sql\s+security\s+\w+\s+)*(?P<rest>view\b.*)",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class View:
    """A CREATE VIEW: its `statement` without what SQLite has no word for, and whether it comes instead of another."""

    name: str
    statement: str
    instead: bool


def view(statement: str) -> View | None:
    """*statement* as a view to be made; None for any other."""
    found = VIEW.match(statement.lstrip())
    if found is None:
        return None
    skipped = ("view", "if", "not", "exists")
    names = [token for token in meaningful(found["rest"])[:7] if token.lower not in skipped or token.kind == "name"]
    if not names:
        return None
    qualified = len(names) > 2 and names[1].text == "."
    return View(plain(names[2 if qualified else 0]), f"CREATE {found['rest']}", bool(found["replace"]))


def shown(made: str) -> str:
    """A view's text in SQLite as SHOW CREATE TABLE prints it."""
    return re.sub(r"(?i)^create\s+view\s+", "CREATE VIEW ", made)
