"""The published benchmark's reading of replies, to the letter (princeton-nlp/intercode, experiments/utils/utils.py).

Its quirks are part of its figures: Bash code from fences is made lower case and put on one line; SQL is cut at the
first semicolon and begins at the first of four words, `SQL: …` becomes its first character; Bash finds code
in any text.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from intercode.agents.parsers.parsed_reply import ParsedReply
from intercode.errors import UserError
from intercode.types import Action

WORDS = ("SHOW", "SELECT", "DESCRIBE", "DESC")
EXECUTE = re.compile(r"execute\[(.*)\]", re.DOTALL)
TURN = re.compile(r"\nAction(?: \d+)?: ")


def choose(strategy: str, world: str) -> Callable[[str], ParsedReply]:
    """Return the published parser for *strategy* in *world*.

    Raises:
        UserError: If nothing was published.
    """
    found = None if strategy in ("tool_use", "tree_search") else (REACT if strategy == "react" else OTHERS).get(world)
    if found is None:
        raise UserError(f"the paper has no parser for {strategy} in the world {world}: leave --parser out")
    return found


def _bash(reply: str) -> ParsedReply:
    text = reply.replace("\n", " ")
    if "```" not in text:
        if text.lower().startswith("bash: "):
            return _ran(text[len("bash: ") :])
        if "command:" in text.lower():
            if (at := text.find("command:")) < 0:  # there it raised for `Command:`, and the episode was blocked
                return ParsedReply(None)
            return _ran(text[at + len("command:") :])
    code = _first_fence(text.lower(), "bash|BASH|sh")
    return _ran(text if code is None else " ".join(code.split()))


def _sql(reply: str) -> ParsedReply:
    text = reply.replace("\\_", "_")
    if "```" not in text:
        if text == "SQL: ":  # there it raised, and the whole evaluation ended
            return ParsedReply(None)
        if text.startswith("SQL: "):
            return _ran(_statement(text[len("SQL: ")]))
        for word in WORDS:
            if word in text:
                return _ran(_statement(text[text.index(word) :]))
    code = _first_fence(text, "sql|SQL")
    statement = "" if code is None else _statement(" ".join(code.split()))
    first = (statement.split() or [""])[0]
    return _ran(statement) if first.upper() in WORDS else ParsedReply(None)


def _python(reply: str) -> ParsedReply:
    if reply.startswith("def"):
        reply = re.sub(r" {5,}", lambda found: "\n" + " " * (len(found[0]) - 1), reply)
    return _ran(reply)


def _ctf(reply: str) -> ParsedReply:
    """Take all of a reply for code: the published prompt asks for both beginnings at once, so none tells."""
    return _ran(reply)


def _react_bash(reply: str) -> ParsedReply:
    thought, action = _turn(reply)
    if action == "submit":
        return ParsedReply(Action("submit"), thought)
    found = EXECUTE.search(action)
    return ParsedReply(None if found is None else Action.parse(found[1]), thought)


def _react_sql(reply: str) -> ParsedReply:
    read = _react_bash(reply)
    if read.action is None or read.action.kind != "execute":
        return read
    return ParsedReply(Action.parse(_statement(read.action.text)), read.thought)


def _turn(reply: str) -> tuple[str, str]:
    """Thought and action; where they are not two, the first line is the thought and the rest the action."""
    parts = TURN.split(reply.strip())
    if len(parts) == 2:
        return parts[0].removeprefix("Thought: "), parts[1]
    thought, _, rest = reply.strip().partition("\n")
    return thought, rest


def _first_fence(text: str, languages: str) -> str | None:
    found = re.search(rf"```(?:{languages})?([\S\s]+?)```", text)
    return None if found is None else found[1]


def _statement(text: str) -> str:
    return text.partition(";")[0]


def _ran(text: str) -> ParsedReply:
    return ParsedReply(Action.parse(text))


REACT = {"bash": _react_bash, "sql": _react_sql}
"""What was published for ReAct, by the benchmark's worlds."""

OTHERS = {"bash": _bash, "sql": _sql, "python": _python, "ctf": _ctf}
"""What was published for the other strategies."""
