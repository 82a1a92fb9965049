"""Actions as the published benchmark's server runs them."""

import _ast
import _signal  # type: ignore[import-not-found] # `signal` takes longer to import than Python takes to start
import sys

from intercode.worlds.python.inside.code import ONLY_TREE

# No annotations from __future__: code that is compiled here would have them too.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

RESET = "RESET_CONTAINER_SPECIAL_KEYWORD"
"""What makes the server forget all variables."""


def first_variables() -> "dict[str, Any]":
    """Return what the server's interpreter begins with, less its own names."""
    import io

    return {"sys": sys, "StringIO": io.StringIO}


def answer_of(text: str, space: "dict[str, Any]") -> "dict[str, str]":
    """Return what the server answers to *text*, run with the variables of *space*."""
    import io

    streams = sys.stdout, sys.stderr
    try:
        sys.stdout, sys.stderr = io.StringIO(), io.StringIO()
        caught = sys.stdout, sys.stderr
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)
        exec(text, space)
        output, error = (stream.getvalue().strip() for stream in caught)
        return {"output": output, "error": error}
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return {"error": "Error: %s" % error}
    finally:
        _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
        sys.stdout, sys.stderr = streams


def wrapped(text: str) -> str:
    """Return the published benchmark's way to see a value: `print(…)` around all but what it takes for a statement."""
    if text.strip().startswith("def "):
        return text
    nodes = walk(compile(text.strip(), "<unknown>", "exec", ONLY_TREE))
    for node in nodes:
        if isinstance(node, (_ast.Assign, _ast.Import)):
            return text
        if isinstance(node, _ast.Call) and isinstance(node.func, _ast.Name) and node.func.id == "print":
            return text
    return text if text.strip().startswith("assert") else "print(%s)" % text


def walk(tree: "Any") -> "Iterator[Any]":
    """Return all nodes of a tree."""
    todo = [tree]
    while todo:
        node = todo.pop()
        yield node
        for name in node._fields:
            below = getattr(node, name, None)
            for each in below if isinstance(below, list) else [below]:
                if isinstance(each, _ast.AST):
                    todo.append(each)
