"""The columns of a task that hold its hidden tests: who wrote them is told what is wrong, before anything is judged."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from intercode.errors import BadDataError
from intercode.types import Task


def check_columns(task: Task) -> None:
    """Check that *task* has tests, in `tests` or in `inputs` and `outputs`, and that they are of the right types.

    Raises:
        BadDataError: If not. Names the task and the field.
    """
    extra = task.extra
    if "tests" in extra:
        problem = _problem_of_assertions(extra)
    elif "inputs" in extra and "outputs" in extra:
        problem = _problem_of_pairs(extra)
    else:
        problem = "has no tests: it needs the field `tests`, or `inputs` and `outputs`"
    if problem:
        raise BadDataError(f"{task.id} {problem}")


def _problem_of_assertions(extra: Mapping[str, Any]) -> str:
    tests, setup = extra["tests"], extra.get("test_setup_code") or ""
    if not _is_list(tests) or not tests or not all(isinstance(test, str) for test in tests):
        return "has no tests: `tests` must be a list of assertions, each a text"
    if not isinstance(setup, str):
        return "has a `test_setup_code` that is no text"
    try:
        ast.parse(setup)
    except (SyntaxError, ValueError) as error:
        return f"has a `test_setup_code` that is not Python: {error}"
    return ""


def _problem_of_pairs(extra: Mapping[str, Any]) -> str:
    inputs, outputs, function = extra["inputs"], extra["outputs"], extra.get("fn_name")
    if not _is_list(inputs) or not _is_list(outputs) or len(inputs) != len(outputs) or not inputs:
        return "has no tests: `inputs` and `outputs` must be lists of the same length, with an output for each input"
    if function and not (isinstance(function, str) and function.isidentifier()):
        return f"has an `fn_name` that is no name of a function: {function!r:.80}"
    if not function and not all(isinstance(each, str) or _is_list(each) for each in (*inputs, *outputs)):
        return "has `inputs` or `outputs` of a program that are neither texts nor lists of lines"
    return ""


def _is_list(value: object) -> bool:
    return isinstance(value, (list, tuple))
