"""Exit statuses that are answers: `grep` says by 1 that nothing matches, `diff` that two files differ.

A status is that of the last pipeline that ran. Which of a list joined by `&&` and `||` that was, the text does not
tell: if any command in it answers by such a status, that is taken for what happened.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST = 20_000
"""Characters of an action that are looked through."""

_SEARCH = ("grep", "egrep", "fgrep", "zgrep", "bzgrep", "xzgrep", "zstdgrep", "rg", "ag", "ack", "pgrep", "pidof")
_COMPARE = ("diff", "cmp", "sdiff", "diff3", "colordiff", "zdiff", "zcmp", "bzdiff", "bzcmp", "xzdiff", "xzcmp")
_TEST = ("test", "[", "[[", "((", "expr", "let", "false", "mountpoint")
_LOOK_UP = ("which", "command", "type", "hash", "locate", "look", "fuser", "lsof")
_CHECK = ("pytest", "py.test", "ruff", "flake8", "mypy", "pylint", "shellcheck")
ANSWERING = frozenset((*_SEARCH, *_COMPARE, *_TEST, *_LOOK_UP, *_CHECK))
"""Commands that say "no", "none" or "not the same" by an exit status of 1."""

WITH_WORD = {
    "git": ("diff", "grep", "check-ignore", "merge-base", "show-ref", "config", "ls-files", "diff-index"),
    "sort": ("-c", "-C", "--check"),
    **dict.fromkeys(
        ("sha256sum", "sha1sum", "sha512sum", "sha224sum", "sha384sum", "md5sum", "b2sum", "cksum"), ("-c", "--check")
    ),
    **dict.fromkeys(("python", "python3"), ("pytest", "unittest", "mypy", "ruff", "flake8")),
}
"""Commands that do so only with one of these words."""

RUNNING = {"xargs": 123, "find": 1}
"""Commands that run others, and what they end in where one of those has ended in 1."""

OTHERS = {"getent": 2}
"""Commands that say "none" by another status."""

_KEYWORDS = ("!", "{", "then", "do", "else")
_WRAPPERS = frozenset(("sudo", "env", "time", "nice", "nohup", "exec", "builtin", "stdbuf", *_KEYWORDS))
_ENDINGS = frozenset(("", "done", "fi", "esac", "}"))
_TOKEN = re.compile(
    r"""'[^']*'|"(?:\\.|[^"\\])*"|`[^`]*`|\\.|\$?\(\(?|\)|&&|\|\|?|;;?|\n|&?>+&?|<&?|&|(?<!\S)\#[^\n]*|[^\s'"`\\()&|;<>]+|[$\s]|.""",
    re.DOTALL,
)


def is_answer(code: str, status: int) -> bool:
    """Return whether *code*, which ended in *status*, gave an answer by it."""
    if len(code) > LONGEST:
        return False
    return any(_answers(command, status) for command in _last_list(code))


def _answers(command: str, status: int) -> bool:
    if command.startswith("(") and not command.startswith("(("):
        return is_answer(command[1:].rpartition(")")[0], status)
    words = command.split()
    while words and (words[0] in _WRAPPERS or re.match(r"\w+=", words[0])):
        words = words[1:]
    if words and words[0] == "timeout":
        words = words[2:]
    if not words:
        return False
    name = "((" if words[0].startswith("((") else words[0].rpartition("/")[2] or words[0]
    if name in RUNNING:
        return status == RUNNING[name] and not ANSWERING.isdisjoint(words[1:])
    if name in OTHERS:
        return status == OTHERS[name]
    return status == 1 and (name in ANSWERING or not set(WITH_WORD.get(name, ())).isdisjoint(words[1:]))


def _last_list(code: str) -> list[str]:
    """Return the last command of each pipeline in the last list that is joined by `&&` and `||`."""
    found: list[str] = []
    command = ""
    for operator, text in _split(code):
        if operator in ("&&", "||"):
            found.append(command)
        elif operator != "|" and text.strip() not in _ENDINGS:
            found = []
        if text.strip() not in _ENDINGS or operator in ("&&", "||", "|"):
            command = text.strip()
    return [*found, command]


def _split(code: str) -> Iterator[tuple[str, str]]:
    """Yield each command outside of brackets, with the operator before it."""
    operator, text, depth = "", "", 0
    for token in _TOKEN.findall(code):
        depth += token.count("(") if token.strip("$") in ("(", "((") else -(token == ")")
        if depth <= 0 and token in ("&&", "||", "|", ";", ";;", "\n", "&"):
            yield operator, text
            operator, text, depth = token, "", 0
        elif not token.startswith("#"):
            text += token
    yield operator, text
