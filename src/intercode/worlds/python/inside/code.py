"""Code as a prompt runs it: the value of a last expression is shown, and tracebacks with their lines."""

import _ast

# No annotations from __future__: code that is compiled here would have them too.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType

ONLY_TREE = 0x400
"""`ast.PyCF_ONLY_AST`; the module `ast` takes longer to import than Python takes to start."""

OURS = __name__.rpartition(".")[0]
sources: "dict[str, str]" = {}
"""The text of each action, for tracebacks."""


def parts(text: str, name: str) -> "list[CodeType]":
    """*text* compiled: all statements, and the last one apart if it is an expression, whose value is then shown."""
    tree = compile(text, name, "exec", ONLY_TREE)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], _ast.Expr) else None
    found = [compile(tree, name, "exec")] if tree.body else []
    if last is not None:
        found.append(compile(_ast.Interactive([last]), name, "single"))
    return found


def show(error: BaseException) -> None:
    """Print the traceback, without our own part of it."""
    import linecache
    import traceback

    for name, text in sources.items():
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(OURS):
        trace = trace.tb_next
    traceback.print_exception(type(error), error.with_traceback(trace), trace)


def one_line(code: object) -> str:
    """Return an exit status, or what was given in its place, for the host."""
    return ("0" if code is None else str(code))[:200].replace("\n", " ").replace("\0", " ")
