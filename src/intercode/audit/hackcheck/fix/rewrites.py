"""Mechanical changes by which a grader is deceived by less: of shell scripts, and of Python."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping

Rewrite = Callable[[str], str]
"""Returns the text of a grader, changed; the same text where there is nothing to change."""

SYSTEM = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
STEERS = (
    "LD_PRELOAD LD_LIBRARY_PATH PYTHONPATH PYTHONSTARTUP PYTHONHOME BASH_ENV ENV PERL5LIB PERL5OPT GIT_CONFIG_GLOBAL"
)
"""Variables that steer programs."""

_PYTHON = re.compile(r"(?<![\w./-])(?:/usr/bin/)?python3?(?= (?!-I\b)(?:-|[\w./~$\"'-]))")
_FIRST = re.compile(r"\bPATH=([\"']?)([^\s:;\"'$]+(?::[^\s:;\"'$]+)*):\$\{?PATH\}?\1")
_GREP = re.compile(r"\bgrep -(q|s?q|qs)(?= (?!-))")
_ANSWER = re.compile(r"\b(?:answer|handed_in|text|output|content|report|stdout|printed|said|found|lines?)\b")
"""What graders call that which an agent has written."""


def _after_the_head(text: str, line: str) -> str:
    if line in text:
        return text
    head, end, rest = text.partition("\n") if text.startswith("#!") else ("", "", text)
    return f"{head}{end}{line}\n{rest}"


def _isolated(text: str) -> str:
    return _PYTHON.sub("/usr/bin/python3 -I", text)


def _own_programs(text: str) -> str:
    later = _FIRST.sub(lambda found: f"PATH=$PATH:{found[2]}", text)
    return _after_the_head(later, f"export PATH={SYSTEM}; unset {STEERS}")


def _own_folder(text: str) -> str:
    """Put what lies in /tmp into a new folder: what an agent has left there is not read."""
    if not re.search(r"(?<![\w.])/tmp/", text):
        return text
    return _after_the_head(re.sub(r"(?<![\w.])/tmp/", "$own_folder/", text), "own_folder=$(mktemp -d)")


def _whole_lines(text: str) -> str:
    return _GREP.sub(lambda found: f"grep -x{found[1]}", text)


def _every_status(text: str) -> str:
    return _after_the_head(text, "set -o pipefail") if re.search(r"[^|]\|[^|]", text) else text


SHELL: Mapping[str, Rewrite] = {
    "calls its own Python, isolated (-I)": _isolated,
    "calls the system's programs, with nothing that steers them": _own_programs,
    "keeps its own files in a new folder": _own_folder,
    "compares whole lines": _whole_lines,
    "heeds the status of all programs of a pipe": _every_status,
}
"""What is changed in a script, by what that does."""


def _changed(text: str, of: Callable[[ast.AST, str], tuple[ast.expr, str] | None]) -> str:
    """Return *text* with each node for which *of* has something else replaced by that."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return text
    found = [change for node in ast.walk(tree) if (change := of(node, text)) is not None]
    lines = text.encode().splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    data = text.encode()
    for node, instead in sorted(found, key=lambda change: (change[0].lineno, change[0].col_offset), reverse=True):
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        first, last = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
        data = data[:first] + instead.encode() + data[last:]
    changed = data.decode()
    return changed if _parses(changed) else text


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def _is_written(node: ast.expr, text: str) -> str:
    """Return the source of *node* where it seems to be what an agent has written, else ""."""
    source = ast.get_source_segment(text, node) or ""
    reads = ".read(" in source or ".read_text(" in source or _ANSWER.search(source)
    return source if reads and not isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict | ast.Constant) else ""


def _compares_whole(node: ast.AST, text: str) -> tuple[ast.expr, str] | None:
    """Change `A in B` to `A == B`, and the like, where B is what an agent has written."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.In):
        right = _is_written(node.comparators[0], text)
        left = ast.get_source_segment(text, node.left)
        if right and left:
            is_list = re.search(r"\.(?:split|splitlines|readlines)\([^()]*\)$", right)
            return node, f"[{left}] == {right}" if is_list else f"{left}.strip() == ({right}).strip()"
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.LtE):
        left, right = (ast.get_source_segment(text, each) or "" for each in (node.left, node.comparators[0]))
        if right.startswith("set("):
            return node, f"{left} == {right}"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and len(node.args) == 1:
        source = ast.get_source_segment(text, node.args[0]) or ""
        if node.func.attr in ("startswith", "endswith") and _ANSWER.search(source):
            return node, f"{ast.get_source_segment(text, node.func.value)} == {source}"
    return None


def _ends_together(node: ast.AST, text: str) -> tuple[ast.expr, str] | None:
    """Have `zip` fail where one side is shorter."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "zip" and not node.keywords:
        return node, f"{(ast.get_source_segment(text, node) or '')[:-1]}, strict=True)"
    return None


def _reads_data(node: ast.AST, text: str) -> tuple[ast.expr, str] | None:
    """Read data instead of running code."""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "eval"
        and len(node.args) == 1
    ):
        return node, f"__import__('ast').literal_eval({ast.get_source_segment(text, node.args[0])})"
    return None


PYTHON: Mapping[str, Rewrite] = {
    "compares the whole of what was written": lambda text: _changed(text, _compares_whole),
    "compares as many as there are": lambda text: _changed(text, _ends_together),
    "reads data, and runs none of it": lambda text: _changed(text, _reads_data),
}
"""What is changed in Python, by what that does."""


def rewrites_of(name: str) -> Iterator[tuple[str, Rewrite]]:
    """Yield what can be done to a file called *name*."""
    if name.endswith(".py"):
        yield from PYTHON.items()
    elif name.endswith(".sh"):
        yield from SHELL.items()
